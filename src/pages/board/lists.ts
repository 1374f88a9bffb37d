/**
 * Where each order stands: in a list of the tab Orders, and at a table. The undo line of what took
 * an order away holds its place there. Pure values.
 */

import { isOpen, statusFacts, sameOrderText, wholeOrders } from "../shared/orders.ts";
import type { Order } from "../shared/types.ts";
import { locale } from "../shared/words.ts";
import { type BoardOrder, isGone, type KnownOrders, type Pizza } from "./known-orders.ts";
import type { State, UndoLine } from "./state.ts";
import { isToMake } from "./statuses.ts";

export type List = "make" | "ready" | "on the way" | "later";

/** An order in a list. With a line the order has left, and the line holds its place. */
export interface Place {
  readonly order: BoardOrder;
  readonly line: UndoLine | undefined;
}

/** A wanted order becomes a card this long before its time. */
const dueBeforeMs = 30 * 60_000;

/** All that is drawn asks for the orders, so they are made once for each change. */
const last: { from: KnownOrders | undefined; orders: readonly BoardOrder[] } = {
  from: undefined, orders: [],
};

/** Open orders, and orders that others have cancelled until somebody has said OK. */
export function boardOrders(known: KnownOrders): readonly BoardOrder[] {
  const { orders, marks } = known;
  if (last.from?.orders === orders && last.from.marks === marks) return last.orders;
  // A board that stays open for weeks has heard of many orders that are closed.
  const shown = new Set([...orders.values()].filter((order) =>
    isOpen(order) || marks.has(order.id)).map(sameOrderText));
  const pizzas = [...orders.values()].filter((order) => shown.has(sameOrderText(order)))
    .map((order): Pizza => {
      const mark = marks.get(order.id);
      return { ...mark?.type === "sending" ? mark.shown : order, mark };
    });
  last.from = known;
  last.orders = wholeOrders(pizzas).filter(({ stage, pizzas }) =>
    stage !== "closed" || pizzas.some(isGone));
  return last.orders;
}

/** The whole orders that have these pizzas. */
export function ordersWith(known: KnownOrders, pizzas: readonly Order[]): readonly BoardOrder[] {
  return boardOrders(known).filter((order) =>
    order.pizzas.some(({ id }) => pizzas.some((pizza) => pizza.id === id)));
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

/** It waits for Start. One that is wanted later does not wait yet. */
export function isNew(order: BoardOrder, now: number): boolean {
  return order.stage === "new" && listOf(order, now) === "make";
}

export function newOrders(state: KnownOrders & Pick<State, "now">): readonly BoardOrder[] {
  return boardOrders(state).filter((order) => isNew(order, state.now));
}

/** When the order came to where it is, RFC 3339. */
export function sinceOf({ pizzas, stage }: BoardOrder): string {
  const counted = pizzas.filter((pizza) => stage === "closed" ? isGone(pizza)
    : stage === "on the way" ? pizza.status === "Out for Delivery" : pizza.status === "Ready");
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
  return [...places.values()].sort((one, other) => momentOf(one) < momentOf(other) ? -1 : 1);
}

/** Where orders stand now, then where they stood before a press: the newest line first. */
function allPlaces(state: State): readonly Place[] {
  return [
    ...boardOrders(state).map((order) => ({ order, line: undefined })),
    ...state.undoLines.toReversed().flatMap((line) =>
      line.before.map((order) => ({ order, line }))),
  ];
}

/** A table with open orders. Nothing is stored of it. */
export interface Table {
  readonly key: string;
  readonly name: string;
  /** The oldest first. */
  readonly orders: readonly [BoardOrder, ...BoardOrder[]];
  /** All of it has left, and the line holds its place. */
  readonly line: UndoLine | undefined;
}

const byName = new Intl.Collator(locale, { numeric: true });

/** In the natural order of their names: Table 2 before Table 10. */
export function tablesOf(state: State): readonly Table[] {
  const tables = new Map<string, Table>();
  for (const { order, line } of allPlaces(state)) {
    const key = order.table.trim().toLowerCase();
    if (key === "" || order.stage === "closed" || listOf(order, state.now) === "later") continue;
    const table = tables.get(key);
    if (table === undefined) tables.set(key, { key, name: order.table, orders: [order], line });
    else if (table.line === line) {
      tables.set(key, { ...table, orders: [...table.orders, order] });
    }
  }
  return [...tables.values()].sort((one, other) => byName.compare(one.name, other.name));
}
