/**
 * The orders that the board has heard of, each with a mark: what its card says until somebody has
 * seen it. Pure values: an older state of an order never replaces a newer one.
 */

import { isOpen, sameOrderText, type WholeOrder } from "../shared/orders.ts";
import type { Change, Order } from "../shared/types.ts";

export interface KnownOrders {
  /** By id: the open ones, and closed ones that the board has heard of. */
  readonly orders: ReadonlyMap<string, Order>;
  /** By the order's id. */
  readonly marks: ReadonlyMap<string, Mark>;
}

/** `shown`: the card keeps this state of the order, and its place. */
export type Mark =
  /** This device moves it, or changes its texts. `under`: the mark before. */
  | { readonly type: "sending"; readonly shown: Order; readonly under: Mark | undefined }
  | { readonly type: "failed" }
  // The others were done elsewhere. `notedAt`: when this board heard, as Date.now.
  | { readonly type: "cancelled"; readonly shown: Order; readonly notedAt: number }
  | { readonly type: "changed"; readonly before: Order; readonly notedAt: number };

/** A pizza as its card shows it: see `Mark`. */
export interface Pizza extends Order {
  readonly mark: Mark | undefined;
}

export type BoardOrder = WholeOrder<Pizza>;

/** Cancelled elsewhere, and still shown. */
export function isCancelledElsewhere({ mark }: Pizza): boolean {
  return mark?.type === "cancelled";
}

export function isSending({ mark }: Pizza): boolean {
  return mark?.type === "sending";
}

/** The texts that people change on the board: three of the whole order, one of a pizza. */
export const headTexts = ["table", "name", "wantedAt"] as const;
export const orderTexts = [...headTexts, "note"] as const;
export type OrderText = (typeof orderTexts)[number];

/** The orders and marks after changes of the stream. `now`: as Date.now. */
export function changeOrders(
  last: KnownOrders, changes: readonly Change[], now: number,
): KnownOrders {
  const orders = new Map(last.orders);
  const marks = new Map(last.marks);
  for (const { event, data } of changes) {
    if (!event.startsWith("orders.")) continue;
    const { id } = data as Order;
    const before = orders.get(id);
    // Who deletes an order cancels it. It stays here, so that its group keeps its numbers.
    const order = event !== "orders.deleted" ? data as Order
      : before && { ...before, status: "Cancelled" as const };
    if (order === undefined) continue;
    if (before !== undefined && order.updatedAt < before.updatedAt) continue;
    orders.set(id, order);
    setMark(marks, id, markAfter(before, order, marks.get(id), now));
  }
  return { orders, marks };
}

/** The mark after another device has made `order` of `before`. */
export function markAfter(
  before: Order | undefined, order: Order, mark: Mark | undefined, notedAt: number,
): Mark | undefined {
  if (mark?.type === "sending") return mark;
  if (order.status === "Cancelled") {
    return before && isOpen(before) ? { type: "cancelled", shown: before, notedAt } : mark;
  }
  if (!isOpen(order)) return undefined;
  const first = mark?.type === "changed" ? mark.before : before;
  if (first !== undefined && !isSame(first, order)) {
    return { type: "changed", before: first, notedAt };
  }
  return mark?.type === "failed" && before?.status === order.status ? mark : undefined;
}

function isSame(first: Order, second: Order): boolean {
  return isSamePizza(first, second) && orderTexts.every((field) => first[field] === second[field]);
}

/** Whether both have the same name and the same items, in the same order. Drinks count. */
function isSamePizza(first: Order, second: Order): boolean {
  const contents = ({ pizza, pizzaSize, toppings, beverages }: Order): string =>
    JSON.stringify([pizza, ...[[pizzaSize], toppings, beverages].map((items) =>
      items.map(({ id }) => id))]);
  return contents(first) === contents(second);
}

/** A card tags what was changed elsewhere at its head, and at the pizza. */
export type CardPart = "head" | "pizza";

/** Whether somebody else has changed that part, and nobody has pressed its tag since. */
export function isChanged(pizza: Pizza, part: CardPart): boolean {
  const mark = pizza.mark?.type === "sending" ? pizza.mark.under : pizza.mark;
  if (mark?.type !== "changed") return false;
  const { before } = mark;
  return part === "head" ? headTexts.some((field) => before[field] !== pizza[field])
    : before.note !== pizza.note || !isSamePizza(before, pizza);
}

/** The mark after somebody has pressed the tag of one part. */
export function markWithout(
  order: Order, mark: Mark | undefined, part: CardPart,
): Mark | undefined {
  if (mark?.type !== "changed") return mark;
  const { table, name, wantedAt } = part === "head" ? order : mark.before;
  const rest = part === "head" ? mark.before : order;
  const before = { ...rest, table, name, wantedAt };
  return isSame(before, order) ? undefined : { ...mark, before };
}

/** Orders that somebody else has changed. Orders that belong together count as one. */
export function changedCount({ orders, marks }: KnownOrders): number {
  const changed = [...orders.values()].filter(({ id }) => marks.get(id)?.type === "changed");
  return new Set(changed.map(sameOrderText)).size;
}

/** All that a row can show of an order, for a press key. */
export function orderPressText({ pizzas }: BoardOrder): string {
  return pizzas.map(({ id, updatedAt, mark }) =>
    [id, updatedAt, markPressText(mark)].join(" ")).join();
}

/** A press on its way to the shop moves nothing. */
export function markPressText(mark: Mark | undefined): string {
  return mark === undefined || mark.type === "sending" ? "" : mark.type;
}

/** Undefined: there is nothing to say. */
export function setMark(marks: Map<string, Mark>, id: string, mark: Mark | undefined): void {
  if (mark === undefined) marks.delete(id);
  else marks.set(id, mark);
}

const readerSeesForMs = 60_000;

/** At a reader's display nobody presses OK: marks go after a minute. */
export function withoutOldMarks(marks: KnownOrders["marks"], now: number): KnownOrders["marks"] {
  return new Map([...marks].filter(([, mark]) =>
    !("notedAt" in mark) || now - mark.notedAt < readerSeesForMs));
}
