/** The life cycle of an order: its statuses, which may follow which, and since when it has one. */

import { Problem } from "../problems/problem.ts";

/** In the order of the life cycle. */
export const orderStatuses = [
  "Pending",
  "Preparing",
  "Ready",
  "Out for Delivery",
  "Delivered",
  "Cancelled",
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** The status of a new order that names none. */
export const defaultStatus: OrderStatus = "Preparing";

/** A status and when the order got it. RFC 3339, UTC, milliseconds. */
export interface StatusTime {
  readonly status: OrderStatus;
  readonly since: string;
}

/** True if the order is finished, so that its contents cannot change. */
function isClosed(status: OrderStatus): boolean {
  return status === "Delivered" || status === "Cancelled";
}

/** True if the kitchen has yet to make the order. */
export function isWaiting(status: OrderStatus): boolean {
  return status === "Pending" || status === "Preparing";
}

/**
 * The statuses that may follow. Staff correct wrong taps, so every change is allowed except
 * directly between Delivered and Cancelled.
 */
function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return orderStatuses.filter((next) => next !== status && !(isClosed(status) && isClosed(next)));
}

/** Throws Problem 409. */
export function requireLifeCycle(
  status: OrderStatus,
  next: OrderStatus,
  hasSameContent: boolean,
): void {
  const allowed = nextStatuses(status);
  if (next !== status && !allowed.includes(next)) {
    throw new Problem(
      "status-not-allowed",
      `the order is ${status} and cannot become ${next}; open it again first: ` +
        `allowed are ${allowed.join(", ")}`,
      { allowed },
    );
  }
  if (isClosed(status) && !hasSameContent) {
    throw new Problem(
      "order-closed",
      `the order is ${status}: only its status can be changed; open it again first by changing ` +
        "its status alone",
    );
  }
}

/** Going back to the status before within this time is the undo of a wrong tap. */
const undoMs = 60_000;

/**
 * Since when an order has the `next` status, and the status before that. An undo leaves nothing to
 * undo. `before`: the status before the current one.
 */
export function statusTimes(
  current: StatusTime,
  before: StatusTime | undefined,
  next: OrderStatus,
  now: string,
): { readonly since: string; readonly before?: StatusTime | undefined } {
  const { status, since } = current;
  if (next === status) return { since, before };
  const isUndo = before?.status === next && Date.parse(now) - Date.parse(since) <= undoMs;
  return isUndo ? { since: before.since } : { since: now, before: current };
}
