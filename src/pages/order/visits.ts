/**
 * The visits of this device: the orders that were placed from here, and what was seen of them last.
 * A guest finds them again for a day. Pure values.
 */

import type { Order, Reference } from "../shared/types.ts";
import type { OrderBody } from "./basket.ts";

export interface Visit {
  readonly group: string;
  /** When it was placed, in milliseconds since 1970. */
  readonly placedAt: number;
  /** Who placed it: the `sub` of the token. "": nobody knows. */
  readonly by: string;
  /** Its pizzas as the guest knows them. */
  readonly seen: readonly SeenPizza[];
}

export interface SeenPizza {
  readonly id: string;
  readonly pizza: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly note: string;
  readonly isCancelled: boolean;
}

export const maxVisits = 20;

export function seenOf(order: Order | OrderBody): SeenPizza {
  const { id, pizza = "", pizzaSize, toppings, note = "", status } = order;
  return { id, pizza, pizzaSize, toppings, note, isCancelled: status === "Cancelled" };
}

/** With this visit, the latest first. */
export function withVisit(visits: readonly Visit[], visit: Visit): readonly Visit[] {
  return [visit, ...visits.filter(({ group }) => group !== visit.group)].slice(0, maxVisits);
}
