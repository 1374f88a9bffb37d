/**
 * Where each order stands: in a list of the tab Orders, and at a table. The undo line of what took
 * an order away holds its place there. Pure values.
 */

import { isOpen, sameOrderText, statusFacts, wholeOrders } from "../shared/orders.ts";
import type { Order } from "../shared/types.ts";
import { joined, locale } from "../shared/words.ts";
import {
  type BoardOrder, isCancelledElsewhere, type KnownOrders, type Pizza,
} from "./known-orders.ts";
import type { State, UndoLine } from "./state.ts";
import { isToMake } from "./statuses.ts";

export type List = "make" | "ready" | "on the way" | "later";

/** An order in a list. With an undo line the order has left, and the line holds its place. */
export interface Place {
  readonly order: BoardOrder;
  readonly undoLine: UndoLine | undefined;
}

/** A wanted order becomes a card this long before its time. */
const dueBeforeMs = 30 * 60_000;

/** A drawing asks for the orders some fifteen times, and making them takes 1 to 3 ms. */
const drawn: { from: KnownOrders | undefined; orders: readonly BoardOrder[] } = {
  from: undefined, orders: [],
};

/** Open orders, and orders that others have cancelled until somebody has said OK. */
export function boardOrders(known: KnownOrders): readonly BoardOrder[] {
  const { orders, marks } = known;
  if (drawn.from?.orders === orders && drawn.from.marks === marks) return drawn.orders;
  // A board that stays open for weeks has heard of many orders that are closed.
  const shown = new Set([...orders.values()].filter((order) =>
    isOpen(order) || marks.has(order.id)).map(sameOrderText));
  const pizzas = [...orders.values()].filter((order) => shown.has(sameOrderText(order)))
    .map((order): Pizza => {
      const mark = marks.get(order.id);
      return { ...mark?.type === "sending" ? mark.shown : order, mark };
    });
  drawn.from = known;
  drawn.orders = wholeOrders(pizzas).filter(({ stage, pizzas }) =>
    stage !== "closed" || pizzas.some(isCancelledElsewhere));
  return drawn.orders;
}

/** The whole orders that have these pizzas. */
export function ordersWith(known: KnownOrders, pizzas: readonly Order[]): readonly BoardOrder[] {
  return boardOrders(known).filter((order) =>
    order.pizzas.some(({ id }) => pizzas.some((pizza) => pizza.id === id)));
}

/** The title in a button's name. Where several orders have it, with who has ordered. */
export function spokenTitle(known: KnownOrders, { title, name, number }: BoardOrder): string {
  const isAlone = boardOrders(known).filter((order) => order.title === title).length < 2;
  return isAlone ? title : joined(title, name === title ? number : name || number);
}

export function listOf(order: BoardOrder, now: number): List {
  const { stage, pizzas, wantedAt } = order;
  if (stage === "ready" || stage === "on the way") return stage;
  if (stage !== "closed") {
    const isLater = wantedAt !== undefined && now < Date.parse(wantedAt) - dueBeforeMs
      && pizzas.every((pizza) => isToMake(pizza) || pizza.status === "Cancelled");
    return isLater ? "later" : "make";
  }
  const wasMade = pizzas.some(({ mark }) =>
    mark?.type === "cancelled" && statusFacts[mark.shown.status].isReady);
  return wasMade ? "ready" : "make";
}

/** The order waits for Start. One that is wanted later does not wait yet. */
export function isNew(order: BoardOrder, now: number): boolean {
  return order.stage === "new" && listOf(order, now) === "make";
}

export function newOrders(state: KnownOrders & Pick<State, "now">): readonly BoardOrder[] {
  return boardOrders(state).filter((order) => isNew(order, state.now));
}

/** When the order came to where it is, RFC 3339. */
export function sinceOf({ pizzas, stage }: BoardOrder): string {
  const shown = stage === "on the way" ? stage : "ready";
  const counted = pizzas.filter((pizza) => stage === "closed" ? isCancelledElsewhere(pizza)
    : statusFacts[pizza.status].stage === shown);
  return counted.map(({ mark, statusSince }) =>
    mark?.type === "cancelled" ? mark.shown.statusSince : statusSince).sort().at(-1) ?? "";
}

/** The places of a list, the order that came first first. */
export function placesIn(state: State, list: List): readonly Place[] {
  const places = new Map<string, Place>();
  for (const place of allPlaces(state)) {
    const isHere = listOf(place.order, state.now) === list;
    if (isHere && !places.has(place.order.id)) places.set(place.order.id, place);
  }
  const momentOf = ({ order }: Place): string =>
    `${list === "make" || list === "later" ? order.dueAt : sinceOf(order)} ${order.id}`;
  return [...places.values()].sort((first, second) => momentOf(first) < momentOf(second) ? -1 : 1);
}

/** Where orders stand now, then where they stood before a press: the newest undo line first. */
function allPlaces(state: State): readonly Place[] {
  return [
    ...boardOrders(state).map((order) => ({ order, undoLine: undefined })),
    ...state.undoLines.toReversed().flatMap((undoLine) =>
      undoLine.before.map((order) => ({ order, undoLine }))),
  ];
}

/** A table with open orders. It is made from them at each drawing. */
export interface Table {
  readonly key: string;
  readonly name: string;
  /** The oldest first. */
  readonly orders: readonly [BoardOrder, ...BoardOrder[]];
  /** All orders have left the table, and the undo line holds its place. */
  readonly undoLine: UndoLine | undefined;
}

const byName = new Intl.Collator(locale, { numeric: true });

/** In the natural order of their names: Table 2 before Table 10. */
export function tablesOf(state: State): readonly Table[] {
  const tables = new Map<string, Table>();
  for (const { order, undoLine } of allPlaces(state)) {
    const key = order.table.trim().toLowerCase();
    if (key === "" || order.stage === "closed" || listOf(order, state.now) === "later") continue;
    const table = tables.get(key);
    if (table === undefined) {
      tables.set(key, { key, name: order.table, orders: [order], undoLine });
    } else if (table.undoLine === undoLine) {
      tables.set(key, { ...table, orders: [...table.orders, order] });
    }
  }
  return [...tables.values()].sort((first, second) => byName.compare(first.name, second.name));
}
