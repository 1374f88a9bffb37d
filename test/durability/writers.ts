/** Clients that write orders, and the states in which each may find them afterwards. */

import assert from "node:assert/strict";
import { seededRandom, type Random } from "../helpers/crash-states.ts";
import type { Client, Response } from "../helpers/forno.ts";

/** The status of an order, or that there is none. */
type State = string | undefined;

const statuses = ["Pending", "Preparing", "Ready"];

/** Creates, replaces and deletes orders of its own, one after the other. */
export class Writer {
  readonly #name: string;
  readonly #random: Random;
  /** The states each order may be in: as answered, and as asked for without an answer. */
  readonly #states = new Map<string, State[]>();
  #count = 0;
  answered = 0;
  refused = 0;

  constructor(name: string) {
    this.#name = name;
    this.#random = seededRandom(name.charCodeAt(0));
  }

  /** Writes until the server is gone or answers no more writes. */
  async run(client: Client, onResponse: () => void): Promise<void> {
    for (;;) {
      const id = `${this.#name}-${Math.floor(this.#random() * 30)}`;
      const before = this.#states.get(id)?.[0];
      const after = this.#next(before);
      this.#states.set(id, [before, after]);
      const response = await this.#ask(client, id, before, after).catch(() => undefined);
      if (response === undefined) return;
      if (response.status === 503) this.refused += 1;
      else assert.ok(response.status < 300, `${response.status} ${response.text}`);
      this.#states.set(id, [response.status === 503 ? before : after]);
      this.answered += 1;
      onResponse();
      if (response.status === 503) return;
    }
  }

  /** Throws unless every order is as it was answered or, without an answer, whole or absent. */
  check(found: ReadonlyMap<string, string>): void {
    for (const [id, states] of this.#states) {
      const state = found.get(id);
      assert.ok(states.includes(state), `${id} is ${state}, not ${states.join(" or ")}`);
      // From now on the order is as the crash left it.
      this.#states.set(id, [found.get(id)]);
    }
    for (const id of found.keys()) {
      if (id.startsWith(this.#name)) assert.ok(this.#states.has(id), `nobody wrote ${id}`);
    }
  }

  #next(before: State): State {
    if (before !== undefined && this.#random() < 0.2) return undefined;
    // Another one than before, so that each write changes something.
    return statuses[((before === undefined ? 0 : statuses.indexOf(before)) + 1) % statuses.length];
  }

  #ask(client: Client, id: string, before: State, after: State): Promise<Response> {
    const path = `/api/orders/${id}`;
    if (after === undefined) return client.asStaff("DELETE", path);
    const toppings = Array.from({ length: this.#count++ % 20 }, () => ({ id: "funghi" }));
    const body = { id, status: after, pizzaSize: { id: "grande" }, toppings, beverages: [] };
    if (before === undefined) return client.asStaff("POST", "/api/orders", body);
    return client.asStaff("PUT", path, body);
  }
}

/** All writers write until the server is gone or answers no more writes. */
export async function storm(
  client: Client,
  writers: readonly Writer[],
  onResponse: () => void,
): Promise<void> {
  await Promise.all(writers.map((writer) => writer.run(client, onResponse)));
}

/** Resolves to the statuses of all orders, by id. Rejects unless every writer finds its own. */
export async function checkAll(
  client: Client,
  writers: readonly Writer[],
): Promise<ReadonlyMap<string, string>> {
  const { status, json } = await client.call("GET", "/api/orders");
  assert.equal(status, 200);
  const orders = json as { id: string; status: string }[];
  const found = new Map(orders.map((order) => [order.id, order.status]));
  for (const writer of writers) writer.check(found);
  return found;
}
