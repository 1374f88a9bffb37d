/**
 * Orders as the board shows them: where each stands, its one clock, its buttons. Pure values.
 */

import { isSoldOut, type Menu } from "../shared/menu.ts";
import {
  isOpen, type PizzaRow, statusFacts, togetherKey, type WholeOrder, wholeOrders,
} from "../shared/orders.ts";
import { pizzaParts, type PizzaParts } from "../shared/pizza-text.ts";
import type { Order, Status } from "../shared/types.ts";
import { clockText, t } from "../shared/words.ts";
import { hasChanged, type Mark, type Orders, type Part } from "./marks.ts";
import type { State, UndoLine } from "./state.ts";
import { isToMake } from "./statuses.ts";

/** An order of the API as its card shows it: see Mark. */
export interface Pizza extends Order {
  readonly mark: Mark | undefined;
}

export type BoardOrder = WholeOrder<Pizza>;
export type Row = PizzaRow<Pizza>;

/** The lists that an order can stand in. */
export type Place = "make" | "ready" | "on the way" | "later";

/** An order in a list, or its place there, which the undo line of what took it away holds. */
export interface Card {
  readonly key: string;
  readonly order: BoardOrder;
  readonly line: UndoLine | undefined;
}

const minuteMs = 60_000;
/** A wanted order becomes a card this long before its time. */
const dueBeforeMs = 30 * minuteMs;
const lateAfterMinutes = 15;
const veryLateAfterMinutes = 30;
const coldAfterMinutes = 5;
const maxMinutes = 180;

const last: { from: Orders | undefined; orders: readonly BoardOrder[] } = {
  from: undefined, orders: [],
};

/** Open orders, and orders that others have cancelled until somebody has said OK. */
export function boardOrders(state: Orders): readonly BoardOrder[] {
  const { orders, marks } = state;
  if (last.from?.orders === orders && last.from.marks === marks) return last.orders;
  // A board that stays open for weeks has heard of many orders that are closed.
  const shown = new Set([...orders.values()].filter((order) =>
    isOpen(order) || marks.has(order.id)).map(togetherKey));
  const pizzas = [...orders.values()].filter((order) => shown.has(togetherKey(order)))
    .map((order): Pizza => {
      const mark = marks.get(order.id);
      return { ...mark?.type === "sending" ? mark.shown : order, mark };
    });
  last.from = state;
  last.orders = [...wholeOrders(pizzas).values()].filter(({ stage, pizzas }) =>
    stage !== "closed" || pizzas.some(isGone));
  return last.orders;
}

/** The whole orders that have these pizzas. */
export function ordersWith(state: Orders, pizzas: readonly Order[]): readonly BoardOrder[] {
  return boardOrders(state).filter((order) =>
    order.pizzas.some(({ id }) => pizzas.some((pizza) => pizza.id === id)));
}

/** It stays the same when the order gets another table. */
export function keyOf({ pizzas: [first] }: BoardOrder): string {
  return first.id;
}

/** Cancelled elsewhere, and still shown. */
export function isGone({ mark }: Pizza): boolean {
  return mark?.type === "cancelled";
}

export function isSending({ mark }: Pizza): boolean {
  return mark?.type === "sending";
}

/** The rows that a card shows: what was cancelled here is not there. */
export function rowsOf({ rows }: BoardOrder): readonly Row[] {
  return rows.filter(([pizza]) => pizza.status !== "Cancelled" || isGone(pizza));
}

export function placeOf(order: BoardOrder, now: number): Place {
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

/** The orders of a place, the first one first, and the places of orders that have left it. */
export function cardsIn(state: State, place: Place): readonly Card[] {
  const isHere = (order: BoardOrder): boolean => placeOf(order, state.now) === place;
  const here = boardOrders(state).filter(isHere)
    .map((order): Card => ({ key: keyOf(order), order, line: undefined }));
  return [...here, ...placesLeft(state, new Set(here.map(({ key }) => key)), isHere)]
    .sort((one, other) => orderOf(one, place) < orderOf(other, place) ? -1 : 1);
}

/** `taken`: keys whose places orders have. The newest of several lines holds a place. */
function placesLeft(
  { undoLines }: State, taken: ReadonlySet<string>, isHere: (order: BoardOrder) => boolean,
): readonly Card[] {
  const left = new Map<string, Card>();
  for (const line of undoLines) {
    for (const order of line.before.filter(isHere)) {
      const key = keyOf(order);
      if (!taken.has(key)) left.set(key, { key, order, line });
    }
  }
  return [...left.values()];
}

function orderOf({ key, order }: Card, place: Place): string {
  const moment = place === "make" || place === "later" ? order.dueAt : sinceOf(order);
  return `${moment} ${key}`;
}

/** When the order came to where it is, RFC 3339. */
export function sinceOf({ pizzas, stage }: BoardOrder): string {
  const counted = pizzas.filter((pizza) => stage === "closed" ? isGone(pizza)
    : stage === "on the way" ? pizza.status === "Out for Delivery" : pizza.status === "Ready");
  return counted.map(({ mark, statusSince }) =>
    mark?.type === "cancelled" ? mark.shown.statusSince : statusSince).sort().at(-1) ?? "";
}

/** It waits for Start. */
export function isNew(order: BoardOrder, now: number): boolean {
  return order.stage === "new" && placeOf(order, now) === "make";
}

/** The orders that wait for Start. One that is wanted later does not wait yet. */
export function newOrders(state: Orders & Pick<State, "now">): readonly BoardOrder[] {
  return boardOrders(state).filter((order) => isNew(order, state.now));
}

function minutesSince(moment: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(moment)) / minuteMs));
}

/** Minutes, and after three hours hours: "71 min", "3 h". */
export function ageText(moment: string, now: number): string {
  const minutes = minutesSince(moment, now);
  return minutes <= maxMinutes ? t("{minutes} min", { minutes })
    : t("{hours} h", { hours: Math.floor(minutes / 60) });
}

/** 0: in time. 1: for 15 minutes it should have been there. 2: for 30. */
export type Lateness = 0 | 1 | 2;

export function latenessOf({ stage, dueAt }: BoardOrder, now: number): Lateness {
  const minutes = minutesSince(dueAt, now);
  return stage === "closed" || minutes < lateAfterMinutes ? 0
    : minutes < veryLateAfterMinutes ? 1 : 2;
}

/** Pizzas get cold. */
export function isCold(order: BoardOrder, now: number): boolean {
  return order.stage === "ready" && minutesSince(sinceOf(order), now) >= coldAfterMinutes;
}

/** The one clock: the time it is wanted at, the time a new one came, or how long ago that was. */
export function clockOf(order: BoardOrder, now: number): string {
  const { wantedAt, placedAt } = order;
  return isNew(order, now) && wantedAt === undefined && latenessOf(order, now) === 0
    ? clockText(placedAt) : dueText(order, now);
}

/** "for 19:30", then how long ago that was; without a wanted time how long ago it was placed. */
export function dueText({ dueAt, wantedAt }: BoardOrder, now: number): string {
  return wantedAt !== undefined && now < Date.parse(wantedAt)
    ? t("for {time}", { time: clockText(wantedAt) }) : ageText(dueAt, now);
}

/** A button that moves pizzas on. */
export interface Move {
  readonly pizzas: readonly Pizza[];
  readonly to: Status;
  readonly label: string;
}

export function pizzasOf({ pizzas }: BoardOrder, wanted: Status): readonly Pizza[] {
  return pizzas.filter(({ status }) => status === wanted);
}

/** The one button for the whole order. */
export function mainMove(order: BoardOrder): Move | undefined {
  const { stage, count, table } = order;
  const move = (from: Status, to: Status, label: string): Move =>
    ({ pizzas: pizzasOf(order, from), to, label });
  switch (stage) {
    case "new": return move("Pending", "Preparing", t("Start"));
    case "making": return move("Preparing", "Ready", count === 1 ? t("Ready")
      : t("All {count} ready", { count: pizzasOf(order, "Preparing").length }));
    case "ready": return move("Ready", "Delivered", table === "" ? t("Picked up") : t("Served"));
    case "on the way": return move("Out for Delivery", "Delivered", t("Delivered"));
    case "closed": return undefined;
  }
}

/** Where a press on a row of equal pizzas brings them. Undefined before Start, and in the end. */
export function nextStatus([{ status }]: Row): Status | undefined {
  return status === "Preparing" ? "Ready" : status === "Ready" ? "Preparing" : undefined;
}

export function isChanged(pizzas: readonly Pizza[], part: Part): boolean {
  return pizzas.some((pizza) => hasChanged(pizza, pizza.mark, part));
}

/** The parts of a pizza that its row shows. Toppings also where nothing else tells them. */
export function rowParts(menu: Menu, [pizza]: Row, showsToppings: boolean): PizzaParts {
  const parts = pizzaParts(menu, pizza);
  const isTold = parts.differences !== undefined && !showsToppings;
  return { ...parts, toppings: isTold ? [] : parts.toppings };
}

/** Items of a pizza that is still to be made, and that are sold out by now. */
export function soldOutIn(menu: Menu, pizza: Pizza): readonly string[] {
  if (!isToMake(pizza)) return [];
  const { pizzaSize, toppings, pizza: name } = pizza;
  const names = toppings.filter(({ id }) => isSoldOut(menu, "toppings", id))
    .map((topping) => topping.name);
  const isSizeOut = isSoldOut(menu, "pizzasizes", pizzaSize.id);
  return [...new Set([...isSizeOut ? [pizzaSize.name] : [], ...names])]
    .filter((each) => each !== name);
}

/** About as many lines of text as a card is high. An estimate, so that nothing is measured. */
export function heightOf(menu: Menu, order: BoardOrder, showsToppings: boolean): number {
  const letters = 28;
  const linesOf = (text: string): number => Math.ceil(text.length / letters);
  const heights = rowsOf(order).map((row) => {
    const { differences, toppings, note } = rowParts(menu, row, showsToppings);
    const { without = [], added = [] } = differences ?? {};
    const running = toppings.map(({ text }) => text).join(", ");
    return Math.max(2.3, 1.4 + without.length + added.length + linesOf(running) + linesOf(note));
  });
  return heights.reduce((sum, height) => sum + height, 6.5);
}
