/** The state of the board, how events change it, and what follows from it. Pure values. */

import type { View } from "../shared/dom.ts";
import { changeMenu, type Menu } from "../shared/menu.ts";
import { isOpen } from "../shared/orders.ts";
import type { RefusedSignIn } from "../shared/session.ts";
import type { Change, Order } from "../shared/types.ts";
import { changeDay, type Day } from "./day.ts";
import type { Dialog } from "./dialog-state.ts";
import { type BoardOrder, changeOrders, type KnownOrders } from "./known-orders.ts";

export const tabs = ["orders", "tables", "done", "menu"] as const;
export type Tab = (typeof tabs)[number];

/** A reader sees the board, staff work with it, and owners add devices, too. */
export type Role = "nobody" | "reader" | "staff" | "owner";

export interface State extends KnownOrders {
  readonly menu: Menu;
  /** Whether all open orders have been read. */
  readonly hasRead: boolean;
  /** The ETag of the open orders when they were last read. */
  readonly ordersEtag: string;
  readonly day: Day | undefined;

  /** The role of the sign-in, also while the shop refuses it. */
  readonly role: Role;
  /** Why the shop does not accept the sign-in now. What was known is still shown. */
  readonly refused: RefusedSignIn | undefined;
  /** Why the last attempt to sign in, or to stay signed in, failed. */
  readonly signInFailure: string;

  /** The server's time, in milliseconds since 1970. */
  readonly now: number;
  /** The last sign of life of a shop that is silent, in milliseconds since 1970. */
  readonly lostAt: number | undefined;
  /** The script of another build behind the server. "": there is none. */
  readonly newBuild: string;

  readonly tab: Tab;
  /** The list that one column shows. "ready": with the lists below it. */
  readonly shownList: "make" | "ready";
  /** The width of the page, in rem. */
  readonly widthRem: number;
  /** The text of the search in the open orders. Undefined: the search is closed. */
  readonly search: string | undefined;
  readonly dialog: Dialog | undefined;
  /** The notice for guests while it is typed, and what it was before. */
  readonly typedNotice: { readonly text: string; readonly before: string } | undefined;
  /** The oldest first. */
  readonly undoLines: readonly UndoLine[];
  /** Tickets of orders or cards for tables, while they are printed. */
  readonly paper: Paper | undefined;
  /** New orders, to be named for people who hear the board. */
  readonly arrived: readonly Order[];

  readonly settings: Settings;
  /** The browser plays no sound until the page is touched. */
  readonly isMuted: boolean;
}

/** An action of this device, with its undo for ten seconds. */
export interface UndoLine {
  readonly key: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
  /** The orders as they were before. One that has left its place there keeps it for the line. */
  readonly before: readonly BoardOrder[];
}

interface Paper {
  readonly className: string;
  readonly pages: readonly View[];
}

/** Saved on the device. */
export interface Settings {
  /** The size of all text on the board. */
  readonly scale: number;
  /** Sounds for new orders, and for ready ones. */
  readonly newSound: boolean;
  readonly readySound: boolean;
  /** Toppings of the shop's pizzas are on the cards. */
  readonly toppings: boolean;
  /** The tab that was open last. */
  readonly tab: string;
}

/** Text sizes; the largest can be read from more than two meters. */
export const scales: readonly number[] = [1, 1.2, 1.45, 1.75, 2.1, 2.6];

/** Without a sign-in the board keeps the orders as it knew them. `now`: the server's time. */
export function changeState(state: State, changes: readonly Change[], now: number): State {
  const after = isSignedIn(state) ? changeOrders(state, changes, now) : state;
  const isNew = (order: Order): boolean =>
    state.hasRead && !state.orders.has(order.id) && isOpen(order);
  return {
    ...state, now, orders: after.orders, marks: after.marks,
    menu: changes.reduce(changeMenu, state.menu),
    day: state.day && changes.reduce((day, change) => changeDay(day, change, now), state.day),
    arrived: [...after.orders.values()].filter(isNew),
  };
}

/** The shop accepts the sign-in, as far as the board knows. */
export function isSignedIn({ role, refused }: State): boolean {
  return role !== "nobody" && refused === undefined;
}

/** Staff and owners, also while the connection is lost. */
export function isStaff(state: State): boolean {
  return isSignedIn(state) && state.role !== "reader";
}

/** Orders and counts are as the shop has them. Else they may have changed meanwhile. */
export function isLive(state: State): boolean {
  return isSignedIn(state) && state.lostAt === undefined;
}

export function canAct(state: State): boolean {
  return isStaff(state) && state.lostAt === undefined;
}
