/**
 * Everything the board knows, as one value; `set` changes it and has the page drawn. The functions
 * at the end answer a changed state or a question about one.
 */

import type { View } from "../shared/dom.ts";
import { changeMenu, emptyMenu, type Menu } from "../shared/menu.ts";
import { save, saved } from "../shared/storage.ts";
import { storeOf } from "../shared/store.ts";
import type { Change } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { changeDay, type Day } from "./day.ts";
import type { Dialog } from "./dialogs.ts";
import { savedNews } from "./news.ts";
import { dropOrder, type Known, type Stage, stageOf, takeOrder } from "./orders.ts";

export const tabs = ["orders", "done", "menu"] as const;

export type Tab = (typeof tabs)[number];

export interface State extends Known {
  readonly menu: Menu;
  /** Whether all open orders have been read. */
  readonly hasRead: boolean;
  readonly day: Day | undefined;

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
  /** The column that a phone shows. */
  readonly chosen: Stage;
  readonly isSumsOpen: boolean;
  readonly bar: Bar | undefined;
  readonly dialog: Dialog | undefined;
  readonly notices: readonly Notice[];
  /** Cards out of sight below, by column. */
  readonly below: Readonly<Partial<Record<Stage, Below>>>;
  /** Tickets of orders or cards for tables, while they are printed. */
  readonly paper: View | undefined;
  /** New orders, for those who hear the board. */
  readonly arrived: readonly string[];
  readonly menuSearch: string;

  readonly settings: Settings;
  /** The browser plays no sound until the page is touched. */
  readonly isMuted: boolean;
}

/** A sign-in or a connection that has ended. */
interface Ended {
  readonly at: number;
  readonly waiting: number;
}

/** The bar that `⋯` has opened: see bar.ts. */
interface Bar {
  /** A card's key, or "toppings/funghi". */
  readonly of: string;
  /** The one order that was picked of a group; empty: all. */
  readonly part: string;
}

/** Saved on the device. */
interface Settings {
  /** The size of the text on cards. */
  readonly scale: number;
  readonly chimes: boolean;
}

/** An action, shown for as long as it can be undone. */
interface Notice {
  readonly key: number;
  readonly text: string;
  /** The column that the order left. */
  readonly stage: Stage | undefined;
  readonly undo: (() => Promise<unknown>) | undefined;
}

export interface Below {
  readonly count: number;
  readonly hasNew: boolean;
}

/** Text sizes; the largest can be read from more than two meters. */
export const scales: readonly number[] = [0.85, 1, 1.2, 1.45, 1.75, 2.1, 2.6];

const defaults: Settings = { scale: 1, chimes: true };

const { scale, chimes } = saved("board", defaults) ?? defaults;

const firstState: State = {
  menu: emptyMenu,
  orders: new Map(),
  marks: savedNews(),
  hasRead: false,
  day: undefined,
  isSignedIn: false,
  isStaff: false,
  signedOut: undefined,
  signInFault: "",
  now: 0,
  lost: undefined,
  tab: "orders",
  chosen: "Pending",
  isSumsOpen: false,
  bar: undefined,
  dialog: undefined,
  notices: [],
  below: {},
  paper: undefined,
  arrived: [],
  menuSearch: "",
  settings: { scale: scales.includes(scale) ? scale : defaults.scale, chimes },
  isMuted: true,
};

export const { state, set, drawNow, onChange } = storeOf(firstState);

export function saveSettings(change: Partial<Settings>): void {
  const settings = { ...state().settings, ...change };
  set({ settings });
  save("board", settings);
}

/** Applies changes of the stream. */
export function applyChanges(state: State, changes: readonly Change[]): State {
  return changes.reduce((before, change) => {
    const { event, data } = change;
    const order = data as Order;
    // Without a sign-in the board keeps what was known: it says since when.
    const isHeard = event.startsWith("orders.") && before.isSignedIn;
    const known = !isHeard ? before
      : event === "orders.deleted" ? dropOrder(before, order.id, new Date(before.now).toISOString())
        : takeOrder(before, order);
    const isArrival = isHeard && event === "orders.created" && stageOf(order.status) !== undefined;
    return {
      ...before, orders: known.orders,
      // At a reader's device nobody says that something was seen.
      marks: isReader(before) ? before.marks : known.marks,
      menu: changeMenu(before.menu, change),
      day: before.day && changeDay(before.day, change),
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
