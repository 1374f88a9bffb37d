/** Lists without sockets: what is made when, what is shared, and what is let go of. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Lists } from "../../dist/api/list.js";
import { listParameters, parseListQuery } from "../../dist/api/list-query.js";
import type { Response } from "../../dist/http/response.js";
import { parseQuery } from "../../dist/http/query.js";
import { type Order, type OrderKept, orders } from "../../dist/resources/order.js";
import { type Content, makeRow, Table } from "../../dist/store/rows.js";
import type { Store } from "../../dist/store/store.js";

type Status = Order["status"];

/** An order whose text is about as long as `note`. */
function order(seq: number, status: Status = "Delivered", note = ""): Content<Order, OrderKept> {
  const placedAt = new Date(seq * 1_000).toISOString();
  const value = {
    ...{ id: `o${seq}`, pizzaSize: { id: note }, toppings: [], beverages: [] },
    ...{ status, placedAt, updatedAt: placedAt, statusSince: placedAt },
  };
  return { value, kept: { names: { pizzaSize: note, toppings: [], beverages: [] } } };
}

/** A store with a table of orders, as far as lists look at it. */
class Orders {
  readonly table = new Table<Order, OrderKept>();
  readonly lists: Lists;

  constructor(count: number, note = "", statusOf = (_: number): Status => "Ready") {
    for (let seq = 1; seq <= count; seq += 1) this.put(seq, statusOf(seq), note);
    const store = { rows: () => this.table.rows(), version: () => this.table.version };
    this.lists = new Lists(orders, store as unknown as Store);
  }

  put(seq: number, status: Status, note = ""): void {
    this.table.apply(this.table.version + 1, `o${seq}`, makeRow(seq, order(seq, status, note)));
  }

  remove(seq: number): void {
    this.table.apply(this.table.version + 1, `o${seq}`, undefined);
  }

  async ask(text = "", headers: Record<string, string> = {}): Promise<Response> {
    const query = parseQuery(text, listParameters(orders));
    const request = {
      ...{ method: "GET", path: "/api/orders", query, param: "", headers, caller: undefined },
      ...{ requireJson: () => {}, json: () => Promise.resolve(undefined) },
    };
    return this.lists.response(request, "everybody");
  }

  /** The whole list, as it should be. */
  text(isNewestFirst = false): string {
    const lines = [...this.table.rows()].map(({ value }) => JSON.stringify(value));
    if (isNewestFirst) lines.reverse();
    return lines.length === 0 ? "[]\n" : `[\n${lines.join(",\n")}\n]\n`;
  }
}

function piecesOf({ body }: Response): Iterator<string | Uint8Array> {
  assert.ok(typeof body === "object" && Symbol.iterator in body && !(body instanceof Uint8Array));
  return body[Symbol.iterator]();
}

function textOf(response: Response): string {
  if (response.body instanceof Uint8Array) return response.body.toString();
  return rest(piecesOf(response));
}

function rest(pieces: Iterator<string | Uint8Array>): string {
  let text = "";
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) text += next.value;
  return text;
}

function headerOf({ headers }: Response, name: string): string | undefined {
  return headers[headers.indexOf(name) + 1];
}

const etagOf = (response: Response): string => headerOf(response, "ETag") ?? assert.fail("no tag");
const long = "x".repeat(300);

test("a short list is whole, a long one comes in pieces, and both are the rows", async () => {
  for (const [count, isShort] of [[0, true], [1, true], [100, true], [2_000, false]] as const) {
    const store = new Orders(count, long);
    for (const sort of ["oldest", "newest"]) {
      const response = await store.ask(`sort=${sort}`);
      assert.equal(response.body instanceof Uint8Array, isShort);
      assert.equal(textOf(response), store.text(sort === "newest"));
    }
  }
});

test("a reader goes on in the version that it began with, whatever is written", async () => {
  const store = new Orders(2_000, long);
  const expected = store.text();
  const slow = piecesOf(await store.ask());
  const first = slow.next().value;
  store.remove(2_000);
  store.put(1_999, "Cancelled");
  assert.equal(headerOf(await store.ask(), "X-Total-Count"), "1999");
  assert.equal(first + rest(slow), expected);
});

test("a long list's tag is of one version and one query", async () => {
  const store = new Orders(2_000, long);
  const etag = etagOf(await store.ask("embed=names"));
  assert.equal(etagOf(await store.ask("_=2&embed=names")), etag);
  const known = await store.ask("embed=names&_=3", { "if-none-match": etag });
  assert.deepEqual([known.status, known.body, etagOf(known)], [304, undefined, etag]);
  assert.notEqual(etagOf(await store.ask("embed=names&sort=newest")), etag);
  assert.notEqual(etagOf(await store.ask()), etag);
  store.remove(7);
  assert.notEqual(etagOf(await store.ask("embed=names")), etag);
});

test("a short list's tag is of what it holds, whatever is written beside it", async () => {
  const store = new Orders(200, "", (seq) => (seq % 2 === 0 ? "Ready" : "Pending"));
  const etag = etagOf(await store.ask("status=Ready"));
  store.put(1, "Delivered");
  const known = await store.ask("status=Ready", { "if-none-match": etag });
  assert.deepEqual([known.status, etagOf(known)], [304, etag]);
  store.put(1, "Ready");
  assert.notEqual(etagOf(await store.ask("status=Ready")), etag);
});

test("the values of a filter are a set, so a thousand cost a row no more than one", () => {
  const query = parseQuery("id=a&status=Ready&id=b&id=a", listParameters(orders));
  const filters = [["id", new Set(["a", "b"])], ["status", new Set(["Ready"])]] as const;
  assert.deepEqual(parseListQuery(query, orders).filters, new Map<string, Set<string>>(filters));
});

/** Which of 25,000 orders match; how many, and the ends of the list. */
const places: readonly [string, (seq: number) => boolean, number, string, string][] = [
  ["in the middle", (seq) => seq > 5_000 && seq < 20_000, 14_999, "o5001", "o19999"],
  ["at both ends", (seq) => seq <= 1_000 || seq > 24_000, 2_000, "o1", "o25000"],
  ["far apart", (seq) => seq % 10 === 0, 2_500, "o10", "o25000"],
];

for (const [where, isPending, count, oldest, newest] of places) {
  test(`a filter finds each match once, in order, when they are ${where}`, async () => {
    const store = new Orders(25_000, "", (seq) => (isPending(seq) ? "Pending" : "Ready"));
    for (const query of ["", "&sort=newest", "&limit=1000", "&limit=1000&sort=newest"]) {
      const response = await store.ask(`status=Pending${query}`);
      const ids: string[] = JSON.parse(textOf(response)).map(({ id }: Order) => id);
      const first = query.includes("newest") ? newest : oldest;
      assert.deepEqual([ids.length, ids[0]], [query.includes("limit") ? 1_000 : count, first]);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal(headerOf(response, "X-Total-Count"), `${count}`);
    }
  });
}
