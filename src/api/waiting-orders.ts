/**
 * Bounds the orders of customers that wait for the kitchen, because all of them are on its board.
 * An order that is wanted later counts from then on. Until then it counts for a limit of its own,
 * because each order that a customer places looks at all of them.
 */

import { Problem } from "../problems/problem.ts";
import { type Order, orders, waitingKey } from "../resources/order.ts";
import { isWaiting } from "../resources/order-status.ts";
import type { Store } from "../store/store.ts";

/** The most that are due, in all and of one client. */
const maxDue = 300;
const maxDueOfClient = 60;
/** The most with those that are wanted later. */
const maxWaiting = 3_000;

export class WaitingOrders {
  readonly #store: Store;
  /** The client of each order that was admitted since the start and still waits, by id. */
  readonly #clients = new Map<string, string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Notes orders that are about to be accepted. Throws Problem 429. */
  admit(values: readonly Order[], client: string): void {
    const { accepted } = this.#store;
    const now = new Date().toISOString();
    const isDue = ({ wantedAt = "" }: Order): boolean => wantedAt <= now;
    const added = values.filter(isDue).length;
    let all = added;
    let own = added;
    const waiting = this.#store.rowsWith(orders, waitingKey);
    if (waiting.length + values.length > maxWaiting) throw tooMany();
    for (const { value } of waiting) if (isDue(value)) all += 1;
    for (const [id, other] of this.#clients) {
      const row = accepted.get(orders, id);
      if (row === undefined || !isWaiting(row.value.status)) this.#clients.delete(id);
      else if (isDue(row.value)) {
        if (other === client) own += 1;
        // It is on its way to disk.
        if (this.#store.get(orders, id) === undefined) all += 1;
      }
    }
    if (added > 0 && (all > maxDue || own > maxDueOfClient)) throw tooMany();
    for (const { id } of values) this.#clients.set(id, client);
  }
}

function tooMany(): Problem {
  const detail = "the kitchen has more orders than it can start; come back in a minute";
  return new Problem("rate-limited", detail, { headers: { "Retry-After": "60" } });
}
