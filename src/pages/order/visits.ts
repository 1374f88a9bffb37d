/**
 * The visits of this device: orders that were placed together from here, and what was ordered. A
 * guest finds them again for a day, and is told what the shop has changed. Pure values.
 */

import { holdsTheSame } from "../shared/menu.ts";
import { saved } from "../shared/storage.ts";
import type { Order, Reference } from "../shared/types.ts";
import { isNumber } from "./numbers.ts";

/** An order as it was sent. Names are those of the menu at that time. */
export interface Ordered {
  readonly id: string;
  readonly group: string | undefined;
  /** "" for none. */
  readonly table: string;
  readonly note: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
}

export interface Visit {
  readonly group: string;
  /** The sign-in that placed them. */
  readonly by: string;
  /** When its first order was placed, in milliseconds since 1970. */
  readonly placedAt: number;
  readonly ordered: readonly Ordered[];
}

const reference: Reference = { id: "", name: "" };
export const orderedExample: Ordered = {
  id: "", group: "", table: "", note: "", pizzaSize: reference, toppings: [reference],
  beverages: [reference],
};

const longestVisitMs = 18 * 3_600_000;
const maxVisits = 50;

/** The visits of the day, the latest first. Anybody may have written them. */
export function savedVisits(): readonly Visit[] {
  const example = { group: "", by: "", placedAt: 0, ordered: [orderedExample] };
  const visits = saved("visits", [example]) ?? [];
  return visits.slice(0, maxVisits).filter(({ group, placedAt }) =>
    isNumber(group) && Math.abs(Date.now() - placedAt) < longestVisitMs);
}

/** The visits once an order is placed. */
export function withVisit(
  visits: readonly Visit[], order: Ordered, by = "",
): readonly Visit[] {
  const { id, group = "" } = order;
  const visit = visits.find((known) => known.group === group)
    ?? { group, by, placedAt: Date.now(), ordered: [] };
  if (visit.ordered.some((known) => known.id === id)) return visits;
  const grown = { ...visit, ordered: [...visit.ordered, order] };
  return [grown, ...visits.filter((other) => other !== visit)].slice(0, maxVisits);
}

export function orderedFrom(order: Order): Ordered {
  const { id, group, table = "", note = "", pizzaSize, toppings, beverages } = order;
  return { id, group, table, note, pizzaSize, toppings, beverages };
}

/** Whether the shop still has what was ordered. */
export function isUnchanged(order: Order, ordered: Ordered): boolean {
  return holdsTheSame(order, ordered) && (order.note ?? "") === ordered.note;
}
