/**
 * Everything the board knows, as one value; `set` changes it and has the page drawn. The functions
 * at the end answer a changed state or a question about one.
 */

import { changeMenu, emptyMenu, type Menu, type MenuItem } from "../shared/menu.ts";
import { saved } from "../shared/storage.ts";
import { storeOf } from "../shared/store.ts";
import type { Change } from "../shared/stream.ts";
import type { MenuKind, Order } from "../shared/types.ts";
import { changeDay, type Day } from "./day.ts";
import {
  changeOrders, type Groups, groupsWith, type Limits, type OpenOrder, type OpenOrders, placeOf,
  type Stage, stageOf,
} from "./orders.ts";

export const tabs = ["orders", "done", "menu"] as const;

export type Tab = (typeof tabs)[number];

export interface State {
  readonly menu: Menu;
  readonly orders: OpenOrders;
  readonly groups: Groups;
  /** Whether the service tells this device all open orders. */
  readonly orderReads: "loading" | "open" | "refused";
  readonly day: Day | undefined;

  /** Staff, or a reader, whose device shows the board and does nothing. */
  readonly isSignedIn: boolean;
  readonly isStaff: boolean;
  /** When the sign-in ended here, and how many orders waited then. */
  readonly signedOut: { readonly at: number; readonly waiting: number } | undefined;
  /** Why the last attempt to sign in failed. */
  readonly signInFault: string;

  /** The server's time, in milliseconds since 1970, as ages are told. */
  readonly now: number;
  /** The last sign of life of a lost stream, by this device's clock. */
  readonly lostAt: number | undefined;

  readonly tab: Tab;
  /** The column for number keys, and the one that a phone shows. */
  readonly chosen: Stage;
  /** Keys are being used: their numbers show. */
  readonly withKeys: boolean;
  readonly isSumsOpen: boolean;
  /** The subject of the open menu: "order K7QX3M" or "toppings funghi". */
  readonly popup: string | undefined;
  readonly dialog: Dialog | undefined;
  readonly notices: readonly Notice[];
  /** Cards out of sight below, by column. */
  readonly below: Readonly<Partial<Record<Stage, Below>>>;
  /** Columns in which cards have just moved up, and may lie under a finger. */
  readonly left: Readonly<Partial<Record<Stage, Left>>>;
  /** The orders that are to be printed. */
  readonly printing: readonly OpenOrder[];
  /** New orders, for those who hear the board. */
  readonly arrived: readonly string[];
  readonly menuSearch: string;

  readonly settings: Settings;
  /** The browser plays no sound until the page is touched. */
  readonly isMuted: boolean;
}

/** Kept on the device. */
export interface Settings {
  /** The size of the text on cards. */
  readonly scale: number;
  readonly chimes: boolean;
  readonly usesKeys: boolean;
  readonly limits: Limits;
}

export interface Notice {
  readonly key: number;
  readonly text: string;
  /** The column that the order left. */
  readonly stage: Stage | undefined;
  /** Its height above the column's end, so that none moves while it is there. */
  readonly slot: number;
  readonly undo: (() => Promise<unknown>) | undefined;
}

export interface Below {
  readonly count: number;
  readonly hasNew: boolean;
  /** Whether there are some above too. */
  readonly isScrolled: boolean;
}

export interface Left {
  /** The order that left had this place in the column. */
  readonly place: string;
  readonly at: number;
}

export type Dialog = { readonly type: "settings" | "closing" } | ItemDialog;

export interface ItemDialog {
  readonly type: "item";
  readonly kind: MenuKind;
  /** The values that the fields begin with. */
  readonly item: MenuItem | undefined;
  /** The tag of the state that is being changed. Undefined: a new item. */
  readonly etag: string | undefined;
  /** By field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly failure: string;
  readonly isSaving: boolean;
}

/** Text sizes; the largest can be read from more than two meters. */
export const scales: readonly number[] = [0.85, 1, 1.2, 1.45, 1.75, 2.1, 2.6];

const defaults: Settings = {
  scale: 1,
  chimes: true,
  usesKeys: true,
  limits: { Pending: 5, Preparing: 15, Ready: 10, "Out for Delivery": 40 },
};

const firstState: State = {
  menu: emptyMenu,
  orders: new Map(),
  groups: new Map(),
  orderReads: "loading",
  day: undefined,
  isSignedIn: false,
  isStaff: false,
  signedOut: undefined,
  signInFault: "",
  now: 0,
  lostAt: undefined,
  tab: "orders",
  chosen: "Pending",
  withKeys: false,
  isSumsOpen: false,
  popup: undefined,
  dialog: undefined,
  notices: [],
  below: {},
  left: {},
  printing: [],
  arrived: [],
  menuSearch: "",
  settings: saved("board", defaults) ?? defaults,
  isMuted: true,
};

export const { state, set, drawNow, onChange } = storeOf(firstState);

/** Applies changes of the stream. `at`: this device's time, in milliseconds. */
export function applyChanges(state: State, changes: readonly Change[], at: number): State {
  return changes.reduce((before, change) => {
    const orders = changeOrders(before.orders, change);
    const isOfOrder = change.event.startsWith("orders.");
    const order = change.data as Order;
    const isArrival = change.event === "orders.created" && stageOf(order.status) !== undefined;
    return {
      ...withOrders(before, orders, at),
      menu: changeMenu(before.menu, change),
      groups: isOfOrder ? groupsWith(before.groups, [order]) : before.groups,
      day: before.day && changeDay(before.day, change),
      arrived: isArrival ? [...before.arrived, order.id] : before.arrived,
    };
  }, { ...state, arrived: [] } as State);
}

/** Notes which columns an order has left. */
export function withOrders(state: State, orders: OpenOrders, at: number): State {
  if (orders === state.orders) return state;
  const gone = [...state.orders.values()].filter(({ order, stage }) =>
    orders.get(order.id)?.stage !== stage);
  const left = Object.fromEntries(gone.map((one) => [one.stage, { place: placeOf(one), at }]));
  return { ...state, orders, left: { ...state.left, ...left } };
}

/** How long a card that has come to lie under a finger takes no press. */
const guardMs = 400;

export function isGuarded({ left }: State, one: OpenOrder, at: number): boolean {
  const before = left[one.stage];
  return before !== undefined && at - before.at < guardMs && placeOf(one) > before.place;
}

export function pendingCount({ orders }: State): number {
  return [...orders.values()].filter(({ stage }) => stage === "Pending").length;
}

/** The lowest free place over a column's end; what is there stays where it is. */
export function withNotice(
  state: State, notice: Omit<Notice, "slot">,
): readonly Notice[] {
  const taken = state.notices.filter(({ stage }) => stage === notice.stage)
    .map(({ slot }) => slot);
  const slot = [...taken, 0].map((_, place) => place).find((place) => !taken.includes(place)) ?? 0;
  return [...state.notices, { ...notice, slot }];
}
