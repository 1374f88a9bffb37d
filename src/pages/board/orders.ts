/**
 * The orders that the board knows, and what a card has to tell about one until it was seen. Pure
 * values: an older state of an order never replaces a newer one.
 */

import { holdsTheSame } from "../shared/menu.ts";
import { numberOf } from "../shared/table.ts";
import type { Order, Status } from "../shared/types.ts";

export const stages = ["Pending", "Preparing", "Ready", "Out for Delivery"] as const;

export type Stage = (typeof stages)[number];

export interface Known {
  /** By id: the open ones, and closed ones that were heard of. */
  readonly orders: ReadonlyMap<string, Order>;
  /** By the order's id. */
  readonly marks: ReadonlyMap<string, Mark>;
}

/** `shown`: the card keeps this state of the order, and its place. */
export type Mark =
  | { readonly type: "sending"; readonly shown: Order; readonly to: Status }
  | { readonly type: "failed" }
  // The others were done elsewhere.
  | { readonly type: "cancelled"; readonly shown: Order; readonly at: string }
  | { readonly type: "changed"; readonly before: Order };

export function stageOf(status: Status): Stage | undefined {
  return stages.find((stage) => stage === status);
}

/** An order as an event or a list tells it. */
export function takeOrder(known: Known, order: Order): Known {
  const { orders, marks } = known;
  const before = orders.get(order.id);
  if (before !== undefined && order.updatedAt < before.updatedAt) return known;
  return {
    orders: new Map([...orders, [order.id, order]]),
    marks: withMark(marks, order.id, markAfter(before, order, marks.get(order.id))),
  };
}

/** The order was deleted elsewhere, which cancels it. */
export function dropOrder({ orders, marks }: Known, id: string, at: string): Known {
  const shown = orders.get(id);
  const rest = new Map(orders);
  rest.delete(id);
  const mark = marks.get(id);
  const isToTell = mark?.type !== "sending" && shown !== undefined && stageOf(shown.status);
  const news: Mark | undefined = isToTell ? { type: "cancelled", shown, at }
    : mark?.type === "changed" ? undefined : mark;
  return { orders: rest, marks: withMark(marks, id, news) };
}

/** The news after another device has made `order` of `before`. */
export function markAfter(
  before: Order | undefined, order: Order, mark: Mark | undefined,
): Mark | undefined {
  if (mark?.type === "sending") return mark;
  const wasOpen = before !== undefined && stageOf(before.status) !== undefined;
  if (order.status === "Cancelled") {
    return wasOpen ? { type: "cancelled", shown: before, at: order.statusSince } : mark;
  }
  if (stageOf(order.status) === undefined) return undefined;
  const first = mark?.type === "changed" ? mark.before : before;
  if (first !== undefined && (!holdsTheSame(first, order) || first.note !== order.note)) {
    return { type: "changed", before: first };
  }
  return mark?.type === "failed" && before?.status === order.status ? mark : undefined;
}

/** Undefined: there is nothing to tell. */
export function withMark(
  marks: Known["marks"], id: string, mark: Mark | undefined,
): Known["marks"] {
  if (marks.get(id) === mark) return marks;
  const changed = new Map(marks);
  if (mark === undefined) changed.delete(id);
  else changed.set(id, mark);
  return changed;
}

/** `first`: what the ids of orders placed together have in common. `number`: 0 for one alone. */
export function seriesOf(id: string): { readonly first: string; readonly number: number } {
  const [, number] = numberOf(id);
  return { first: number === 0 ? id : id.slice(0, id.lastIndexOf("-")), number };
}

/** Orders that were placed together, closed ones too, by what their ids have in common. */
export function groupsOf({ orders }: Pick<Known, "orders">): ReadonlyMap<string, readonly Order[]> {
  const groups = new Map<string, Order[]>();
  for (const order of orders.values()) {
    const { first, number } = seriesOf(order.id);
    if (number === 0) continue;
    const parts = groups.get(first) ?? [];
    parts.push(order);
    groups.set(first, parts);
  }
  return groups;
}

/** As many as the order page builds at once. */
const mostTogether = 12;

/** Ids that may have been placed together with open orders, and are not known. */
export function unknownParts({ orders }: Pick<Known, "orders">): readonly string[] {
  const isOpen = ({ status }: Order): boolean => stageOf(status) !== undefined;
  const groups = [...groupsOf({ orders })].filter(([, parts]) => parts.some(isOpen));
  return groups.flatMap(([first]) =>
    Array.from({ length: mostTogether }, (_, index) => `${first}-${index + 1}`))
    .filter((id) => !orders.has(id));
}
