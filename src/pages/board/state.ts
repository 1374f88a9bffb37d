/**
 * Everything the board knows, as one value; `set` changes it and has the page drawn. The functions
 * at the end answer a changed state or a question about one.
 */

import type { View } from "../shared/dom.ts";
import { changeMenu, emptyMenu, type Menu, type MenuItem } from "../shared/menu.ts";
import { save, saved } from "../shared/storage.ts";
import { storeOf } from "../shared/store.ts";
import type { Change } from "../shared/stream.ts";
import type { MenuKind, Order } from "../shared/types.ts";
import type { Limits } from "./cards.ts";
import { calendarDay, changeDay, type Day, type ReadyTimes, withReady } from "./day.ts";
import type { CardsDialog, DevicesDialog, InviteDialog } from "./dialogs.ts";
import { dropOrder, type Known, type Stage, stageOf, takeOrder } from "./orders.ts";

export const tabs = ["orders", "done", "menu"] as const;

export type Tab = (typeof tabs)[number];

export interface State extends Known {
  readonly menu: Menu;
  /** Whether the service tells this device all open orders. */
  readonly orderReads: "loading" | "open" | "refused";
  readonly day: Day | undefined;
  /** Saved on the device. */
  readonly readyTimes: ReadyTimes;

  /** Staff, or a reader, whose device shows the board and does nothing. */
  readonly isSignedIn: boolean;
  readonly isStaff: boolean;
  /** When the sign-in ended here, and how many orders waited then. */
  readonly signedOut: Ended | undefined;
  /** Why the last attempt to sign in failed. */
  readonly signInFault: string;

  /** The server's time, in milliseconds since 1970, as ages are told. */
  readonly now: number;
  /** The last sign of life of a lost stream, and how many orders waited then. */
  readonly lost: Ended | undefined;

  readonly tab: Tab;
  /** The column for number keys, and the one that a phone shows. */
  readonly chosen: Stage;
  /** Keys are being used: their numbers show. */
  readonly withKeys: boolean;
  readonly isSumsOpen: boolean;
  /** The subject of the open menu: a card's key, with a part's id behind it, or "toppings/funghi". */
  readonly popup: string | undefined;
  readonly dialog: Dialog | undefined;
  readonly notices: readonly Notice[];
  /** The column whose older notices are shown too. */
  readonly unfolded: Stage | undefined;
  /** Cards out of sight below, by column. */
  readonly below: Readonly<Partial<Record<Stage, Below>>>;
  /** The orders that are to be printed. */
  readonly printing: readonly Order[];
  /** Cards for tables, drawn once, while they are printed. */
  readonly sheets: View | undefined;
  /** New orders, for those who hear the board. */
  readonly arrived: readonly string[];
  readonly menuSearch: string;

  readonly settings: Settings;
  /** The browser plays no sound until the page is touched. */
  readonly isMuted: boolean;
}

/** A sign-in or a connection that has ended. */
export interface Ended {
  readonly at: number;
  readonly waiting: number;
}

/** Saved on the device. */
export interface Settings {
  /** The size of the text on cards. */
  readonly scale: number;
  /** The column that fills the screen. */
  readonly alone: Stage | "";
  readonly chimes: boolean;
  readonly lateChimes: boolean;
  readonly usesKeys: boolean;
  readonly limits: Limits;
  /** Minutes that the shop promises from an order to its pizza. */
  readonly promise: number;
}

/** An action, shown for as long as it can be undone. */
export interface Notice {
  readonly key: number;
  readonly text: string;
  /** The column that the order left. */
  readonly stage: Stage | undefined;
  readonly undo: (() => Promise<unknown>) | undefined;
}

export interface Below {
  readonly count: number;
  readonly hasNew: boolean;
  /** Whether there are some above too. */
  readonly isScrolled: boolean;
}

export type Dialog = { readonly type: "settings" | "closing" } | ItemDialog | DevicesDialog
  | InviteDialog | CardsDialog;

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
  alone: "",
  chimes: true,
  lateChimes: false,
  usesKeys: true,
  limits: { Pending: 5, Preparing: 15, Ready: 10, "Out for Delivery": 40 },
  promise: 30,
};

const settings = saved("board", defaults) ?? defaults;

/** Orders of the last days: nobody looks further back. */
const readyTimesFor = 7 * 24 * 3_600_000;

function savedReadyTimes(): ReadyTimes {
  const oldest = calendarDay(new Date(Date.now() - readyTimesFor));
  return Object.fromEntries(Object.entries(saved<ReadyTimes>("ready-times", {}) ?? {})
    .filter(([, { date }]) => date >= oldest));
}

const firstState: State = {
  menu: emptyMenu,
  orders: new Map(),
  marks: new Map(),
  orderReads: "loading",
  day: undefined,
  readyTimes: savedReadyTimes(),
  isSignedIn: false,
  isStaff: false,
  signedOut: undefined,
  signInFault: "",
  now: 0,
  lost: undefined,
  tab: "orders",
  chosen: settings.alone || "Pending",
  withKeys: false,
  isSumsOpen: false,
  popup: undefined,
  dialog: undefined,
  notices: [],
  unfolded: undefined,
  below: {},
  printing: [],
  sheets: undefined,
  arrived: [],
  menuSearch: "",
  settings,
  isMuted: true,
};

export const { state, set, drawNow, onChange } = storeOf(firstState);

export function saveSettings(change: Partial<Settings>): void {
  const settings = { ...state().settings, ...change };
  set({ settings });
  save("board", settings);
}

const onDevice = { readyTimes: firstState.readyTimes };

export function saveReadyTimes(): void {
  const { readyTimes } = state();
  if (readyTimes === onDevice.readyTimes) return;
  onDevice.readyTimes = readyTimes;
  save("ready-times", readyTimes);
}

/** Applies changes of the stream. */
export function applyChanges(state: State, changes: readonly Change[]): State {
  return changes.reduce((before, change) => {
    const { event, data } = change;
    const order = data as Order;
    const isHeard = event.startsWith("orders.") && event !== "orders.deleted";
    const known = event === "orders.deleted"
      ? dropOrder(before, order.id, new Date(before.now).toISOString())
      : isHeard ? takeOrder(before, order) : before;
    const isArrival = event === "orders.created" && stageOf(order.status) !== undefined;
    return {
      ...before, orders: known.orders,
      // At a reader's device nobody says that something was seen.
      marks: isReader(before) ? before.marks : known.marks,
      menu: changeMenu(before.menu, change),
      day: before.day && changeDay(before.day, change),
      readyTimes: isHeard ? withReady(before.readyTimes, before.orders.get(order.id), order)
        : before.readyTimes,
      arrived: isArrival ? [...before.arrived, order.id] : before.arrived,
    };
  }, { ...state, arrived: [] } as State);
}

/** Otherwise orders and counts may have changed since they were heard of. */
export function isLive({ isSignedIn, lost }: State): boolean {
  return isSignedIn && lost === undefined;
}

/** Signed in to look on. */
export function isReader({ isSignedIn, isStaff }: State): boolean {
  return isSignedIn && !isStaff;
}

export function canAct(state: State): boolean {
  return state.isStaff && isLive(state);
}

/** Orders that wait to be accepted. */
export function pendingCount({ orders }: Pick<State, "orders">): number {
  return [...orders.values()].filter(({ status }) => status === "Pending").length;
}
