/** Lists without sockets: what is made when, what is shared, and what is let go of. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Lists } from "../../dist/api/list.js";
import type { Answer as Reply } from "../../dist/http/answer.js";
import { parseQuery } from "../../dist/http/query.js";
import { listParameters } from "../../dist/api/list-query.js";
import { toppings } from "../../dist/resources/menu.js";
import { orders } from "../../dist/resources/order.js";
import { type Entry, makeEntry, Table } from "../../dist/store/table.js";

/** An order, or as much of one as lists look at. */
function order(seq: number, status = "Delivered", note = ""): Entry {
  const placedAt = new Date(seq * 1_000).toISOString();
  const body = JSON.stringify({ id: `o${seq}`, note, status, placedAt });
  return makeEntry(`o${seq}`, seq, body, '"names":{"pizzaSize":"","toppings":[],"beverages":[]}');
}

function ordersTable(count: number, note = "", statusOf = (_: number): string => "Ready"): Table {
  const table = new Table(orders);
  for (let seq = 1; seq <= count; seq += 1) {
    table.apply(seq, `o${seq}`, order(seq, statusOf(seq), note));
  }
  return table;
}

function fieldOf({ headers }: Reply, name: string): string {
  return headers[headers.indexOf(name) + 1] ?? "";
}

function tagOf(answer: Reply): string {
  return fieldOf(answer, "ETag");
}

interface Asked {
  readonly ifNoneMatch?: string;
}

function ask(
  lists: Lists, table: Table, text = "", { ifNoneMatch }: Asked = {},
): Reply | Promise<Reply> {
  const headers = ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch };
  const query = parseQuery(text, listParameters(text.startsWith("name=") ? toppings : orders));
  const request = {
    ...{ method: "GET", path: "/api/orders", query, param: "", headers, caller: undefined },
    ...{ requireJson: () => {}, json: () => Promise.resolve(undefined) },
  };
  return lists.reply(request, table, "everybody");
}

/** The pieces of a long list, as they are asked for. */
function piecesOf({ body }: Reply): Iterator<Uint8Array> {
  assert.ok(typeof body === "object" && Symbol.iterator in body && !(body instanceof Uint8Array));
  return (body as Iterable<Uint8Array>)[Symbol.iterator]();
}

function rest(pieces: Iterator<Uint8Array>): string {
  const all: Uint8Array[] = [];
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) all.push(next.value);
  return Buffer.concat(all).toString();
}

const long = "x".repeat(300);

test("a short list is whole, a long one comes in pieces, and both are the rows", async () => {
  for (const [count, isShort] of [[0, true], [1, true], [100, true], [2_000, false]] as const) {
    const table = ordersTable(count, long);
    for (const sort of ["oldest", "newest"]) {
      const reply = await ask(new Lists(orders), table, `sort=${sort}`);
      assert.equal(typeof reply.body === "string", isShort);
      const text = typeof reply.body === "string" ? reply.body : rest(piecesOf(reply));
      const bodies = [...table.rows].map(({ body }) => body);
      const lines = sort === "oldest" ? bodies : bodies.reverse();
      assert.equal(text, count === 0 ? "[]\n" : `[\n${lines.join(",\n")}\n]\n`);
    }
  }
});

test("readers of one version of a list are given the same bytes, but for the first", async () => {
  const lists = new Lists(orders);
  const table = ordersTable(2_000, long);
  const alone = rest(piecesOf(await ask(lists, table)));
  const one = piecesOf(await ask(lists, table));
  const other = piecesOf(await ask(lists, table, "_=1"));
  let text = "";
  for (let next = one.next(); next.done !== true; next = one.next()) {
    assert.equal(other.next().value, next.value);
    text += Buffer.from(next.value).toString();
  }
  assert.equal(other.next().done, true);
  assert.equal(text, alone);
});

test("a reader goes on in the version that it began with, whatever is written", async () => {
  const lists = new Lists(orders);
  const table = ordersTable(2_000, long);
  const expected = `[\n${[...table.rows].map(({ body }) => body).join(",\n")}\n]\n`;
  const slow = piecesOf(await ask(lists, table));
  const first = Buffer.from(slow.next().value).toString();
  table.apply(2_001, "o2000", undefined);
  table.apply(2_002, "o1999", order(1_999, "Cancelled"));
  const later = await ask(lists, table);
  assert.equal(fieldOf(later, "X-Total-Count"), "1999");
  assert.equal(first + rest(slow), expected);
});

test("a long list's tag and 304 come without its text; the tag is of one version and query", async () => {
  const lists = new Lists({
    ...orders,
    withNames: () => assert.fail("a text was made"),
  });
  const table = ordersTable(2_000);
  const etag = tagOf(await ask(lists, table, "embed=names"));
  assert.equal(tagOf(await ask(lists, table, "_=2&embed=names")), etag);
  const known = await ask(lists, table, "embed=names&_=3", { ifNoneMatch: etag });
  assert.deepEqual([known.status, tagOf(known), known.body], [304, etag, undefined]);
  assert.notEqual(tagOf(await ask(lists, table, "embed=names&sort=newest")), etag);
  assert.notEqual(tagOf(await ask(lists, table)), etag);
  table.apply(2_001, "o7", undefined);
  assert.notEqual(tagOf(await ask(lists, table, "embed=names")), etag);
  assert.notEqual(tagOf(await ask(new Lists(orders), ordersTable(2_000), "limit=1")), etag);
});

test("a short list's tag is of what it holds, whatever is written beside it", async () => {
  const lists = new Lists(orders);
  const table = ordersTable(200, "", (seq) => (seq % 2 === 0 ? "Ready" : "Pending"));
  const etag = tagOf(await ask(lists, table, "status=Ready"));
  table.apply(201, "o1", order(1, "Delivered"));
  const known = await ask(lists, table, "status=Ready", { ifNoneMatch: etag });
  assert.deepEqual([known.status, tagOf(known)], [304, etag]);
  table.apply(202, "o1", order(1, "Ready"));
  assert.notEqual(tagOf(await ask(lists, table, "status=Ready")), etag);
});

test("several statuses are one list in its order, from any cursor on, either way", async () => {
  const statuses = ["Pending", "Preparing", "Ready", "Delivered"];
  const table = ordersTable(500, "", (seq) => statuses[(seq * seq) % 7 % 4] ?? "");
  const lists = new Lists(orders);
  const idsOf = (reply: Reply): string[] =>
    (JSON.parse(String(reply.body)) as { id: string }[]).map(({ id }) => id);
  const filter = "status=Pending&status=Ready";
  const all = [...table.rows].filter(({ text }) => /"status":"(?:Pending|Ready)"/.test(text));
  const ids = all.map(({ id }) => id);
  assert.deepEqual(idsOf(await ask(lists, table, filter)), ids);
  assert.deepEqual(idsOf(await ask(lists, table, `${filter}&sort=newest`)), ids.toReversed());
  const cursor = 250;
  const later = all.filter(({ seq }) => seq > cursor).map(({ id }) => id);
  const page = await ask(lists, table, `${filter}&after=s${cursor.toString(36)}&limit=10`);
  assert.deepEqual(idsOf(page), later.slice(0, 10));
  const earlier = all.filter(({ seq }) => seq < cursor).map(({ id }) => id).reverse();
  const newest = `${filter}&after=s${cursor.toString(36)}&sort=newest&limit=10`;
  const back = await ask(lists, table, newest);
  assert.deepEqual(idsOf(back), earlier.slice(0, 10));
});

test("a list that is not kept is made in a turn to come, unless its table is small", async () => {
  const table = ordersTable(101);
  const lists = new Lists(orders);
  const made = ask(lists, table, "limit=2&embed=names");
  assert.ok(made instanceof Promise);
  // What is written in the meantime shows, and the tag is of what shows.
  table.apply(102, "o1", undefined);
  const reply = await made;
  assert.match(String(reply.body), /"o2".*\n.*"o3"/);
  assert.deepEqual(ask(lists, table, "limit=2&embed=names&_=1"), reply);
  assert.ok(!(ask(new Lists(orders), ordersTable(100)) instanceof Promise));
  const [one, other] = await Promise.all([ask(lists, table), ask(lists, table, "_=2")]);
  assert.equal(one, other, "who asks in the same turn shares what is made");
});

test("rows that must be read to be found are read in turns of the event loop", async () => {
  const table = new Table(toppings);
  for (let seq = 1; seq <= 10_000; seq += 1) {
    const id = `t${seq}`;
    const body = JSON.stringify({ id, name: `T${seq % 5_000}`, isVegetarian: true, isVegan: true });
    table.apply(seq, id, makeEntry(id, seq, body, ""));
  }
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turns += 1) await setImmediate();
  })();
  const reply = await ask(new Lists(toppings), table, "name=T7");
  isDone = true;
  await counting;
  assert.match(String(reply.body), /"t7".*\n.*"t5007"/);
  assert.ok(turns > 20, `${turns} turns`);
});

test("what is kept of a list is let go of with its version", async () => {
  const lists = new Lists(orders);
  const table = ordersTable(1_000, long);
  const reply = await ask(lists, table);
  const firstPiece = (): Uint8Array => piecesOf(reply).next().value;
  assert.notEqual(firstPiece(), firstPiece(), "nobody else has read the first one");
  assert.equal(firstPiece(), firstPiece());
  table.apply(1_001, "o1", undefined);
  await ask(lists, table);
  assert.notEqual(firstPiece(), firstPiece());
});

test("of long lists 32 MiB are kept, and the rest is made for each reader", async () => {
  const reply = await ask(new Lists(orders), ordersTable(2_000, "x".repeat(20_000)));
  const readings = [1, 2, 3].map(() => [...({ [Symbol.iterator]: () => piecesOf(reply) })]);
  const [, one = [], other = []] = readings;
  const shared = one.filter((piece, index) => piece === other[index]);
  assert.ok(shared.length > 0 && shared.length < one.length);
  const bytes = shared.reduce((sum, { length }) => sum + length, 0);
  assert.ok(Math.abs(bytes - 33_554_432) < 100_000, `${bytes} bytes`);
});
