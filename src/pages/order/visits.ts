/**
 * The visits of this device: the number of orders that were placed together from here, and when. A
 * guest finds them again for a day. Pure values.
 */

import type { Order } from "../shared/types.ts";

export interface Visit {
  readonly group: string;
  /** When its first order was placed, in milliseconds since 1970. */
  readonly placedAt: number;
}

export const longestVisitMs = 18 * 3_600_000;
export const maxVisits = 50;

/** The visits once an order is placed, the latest first. */
export function withVisit(
  visits: readonly Visit[], { group = "", placedAt }: Order,
): readonly Visit[] {
  const visit = visits.find((earlier) => earlier.group === group)
    ?? { group, placedAt: Date.parse(placedAt) };
  return [visit, ...visits.filter((other) => other !== visit)].slice(0, maxVisits);
}
