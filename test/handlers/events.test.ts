/** Streams of events without sockets: who is sent what, when, and what a slow reader costs. */

import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Caller } from "../../dist/auth/access.js";
import { Events, type EventsOptions } from "../../dist/api/events.js";
import { toppings } from "../../dist/resources/menu.js";
import type { Stream as Live } from "../../dist/http/answer.js";
import { parseQuery } from "../../dist/http/query.js";
import { createLog } from "../../dist/log/log.js";
import { Metrics } from "../../dist/http/metrics.js";
import { type Change, Changes } from "../../dist/store/changes.js";
import { diskFileSystem } from "../../dist/store/file-system.js";
import { openStore } from "../../dist/store/opening.js";
import { makeEntry } from "../../dist/store/table.js";
import { cleanUp, temporaryFolder } from "../helpers/forno.ts";
import { LiveClient } from "../helpers/live-client.ts";

class Client extends LiveClient {
  /** The ids of all events. */
  get ids(): number[] {
    return [...this.text.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id));
  }
}

interface Setting {
  readonly changes: Changes;
  readonly events: Events;
  readonly metrics: Metrics;
  open(options?: {
    caller?: Caller;
    lastEventId?: string;
    accept?: string;
    client?: Client;
  }): Client;
}

function setUp(options: Partial<EventsOptions> = {}): Setting {
  const { changes = new Changes(0), metrics = new Metrics() } = options;
  const events = new Events({ orderReads: "public", ...options, changes, metrics });
  return {
    changes,
    events,
    metrics,
    open({ caller, lastEventId, accept, client = new Client() } = {}) {
      const headers = { accept, "last-event-id": lastEventId };
      liveOf(events, caller, headers)(client.answer);
      return client;
    },
  };
}

function liveOf(events: Events, caller: Caller, headers: IncomingHttpHeaders): Live {
  const [route] = events.routes;
  const query = parseQuery("", []);
  const request = { method: "GET", path: "/api/events", query, param: "", headers, caller };
  const noBody = { requireJson: () => {}, json: () => Promise.resolve(undefined) };
  const reply = route?.handle({ ...request, ...noBody });
  assert.ok(reply !== undefined && "body" in reply && typeof reply.body === "function");
  return reply.body;
}

/** A change of a topping, or of an order that `placer` has placed. */
function change(seq: number, of: { placer?: string; text?: string } = {}): Change {
  const { placer, text = "" } = of;
  const kind = placer === undefined ? "toppings" : "orders";
  const id = `i${seq}`;
  const kept = placer === undefined ? "" : `"placedBy":${JSON.stringify(placer)}`;
  const entry = makeEntry(id, seq, JSON.stringify({ id, text }), kept);
  return { seq, kind, action: "created", id, entry, before: undefined };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

const count = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("every stream gets every change once, in order, however they arrive", async () => {
  const { changes, open } = setUp();
  const clients: Client[] = [];
  for (const seq of count(1, 200)) {
    // Streams join between changes, in the middle of rounds too.
    if (seq % 7 === 0) clients.push(open());
    changes.add(change(seq));
    if (seq % 3 === 0) await setImmediate();
  }
  await until(() => clients.every(({ ids }) => ids.at(-1) === 200));
  for (const [index, { ids }] of clients.entries()) {
    assert.deepEqual(ids, count(7 * (index + 1), 200));
  }
});

test("a change is made into bytes once for each form, not once for each stream", async () => {
  const { changes, open } = setUp();
  const clients = count(1, 100).map(() => open());
  const lines = count(1, 2).map(() => open({ accept: "application/x-ndjson" }));
  changes.add(change(1));
  await until(() => [...clients, ...lines].every(({ text }) => text.includes('"id":"i1"')));
  assert.equal(new Set(clients.map(({ pieces }) => pieces.at(-1))).size, 1);
  assert.equal(lines[0]?.pieces.at(-1), lines[1]?.pieces.at(-1));
});

test("a stream that resumes gets what it missed, then what comes, each once", async () => {
  const { changes, open } = setUp();
  for (const seq of count(1, 50)) changes.add(change(seq));
  const client = open({ lastEventId: "20" });
  assert.deepEqual(client.ids, count(21, 50));
  changes.add(change(51));
  await until(() => client.ids.length === 31);
  assert.deepEqual(client.ids, count(21, 51));
});

test("a stream that resumes is sent no more than its client takes", async () => {
  const { changes, open } = setUp();
  const text = "x".repeat(1_000);
  for (const seq of count(1, 1_000)) changes.add(change(seq, { text }));
  const client = new Client();
  client.isReading = false;
  open({ lastEventId: "0", client });
  let largest = 0;
  while (client.ids.at(-1) !== changes.last) {
    largest = Math.max(largest, client.writableLength);
    // More keeps coming, as long as the first of it is still being sent.
    if (changes.last < 1_100) changes.add(change(changes.last + 1, { text }));
    client.drain();
    await setImmediate();
  }
  assert.ok(largest < 100_000, `${largest} bytes waited`);
  assert.deepEqual(client.ids, count(1, changes.last));
});

test("a stream that resumes too slowly for what is kept is told to start over", async () => {
  const { changes, open } = setUp();
  changes.add(change(1));
  const client = new Client();
  client.isReading = false;
  open({ lastEventId: "0", client });
  for (const seq of count(2, 20_001)) changes.add(change(seq));
  client.drain();
  await until(() => client.ids.length === 2);
  assert.deepEqual(client.ids, [1, 20_001]);
  assert.match(client.text, /event: reset\ndata: {}\n\n$/);
});

test("a live stream whose client does not read costs one piece, and then goes on", async () => {
  const { changes, open } = setUp();
  const [slow, quick] = [open(), open()];
  slow.isReading = false;
  const text = "x".repeat(10_000);
  for (const seq of count(1, 300)) {
    changes.add(change(seq, { text }));
    await until(() => quick.ids.length === seq);
  }
  assert.ok(slow.writableLength < 100_000, `${slow.writableLength} bytes waited`);
  slow.isReading = true;
  slow.drain();
  await until(() => slow.ids.length === 300);
  assert.deepEqual(slow.ids, count(1, 300));
});

test("a client that takes nothing while hundreds of changes come is dropped", async () => {
  const { changes, open, metrics } = setUp();
  const [slow, quick] = [open(), open()];
  slow.isReading = false;
  let seq = 0;
  while (slow.state === "open") {
    changes.add(change(++seq));
    await until(() => quick.ids.length === seq);
  }
  assert.equal(slow.state, "dropped");
  assert.ok(seq > 500 && seq < 520, `${seq} changes`);
  assert.equal(metrics.eventStreams, 1);
  const again = open({ lastEventId: String(slow.ids.at(-1)) });
  await until(() => again.ids.at(-1) === seq);
  assert.deepEqual([...slow.ids, ...again.ids], count(1, seq));
});

test("a stream that catches up leaves others a turn between its pieces", async () => {
  const { changes, open } = setUp();
  const text = "x".repeat(1_000);
  for (const seq of count(1, 2_000)) changes.add(change(seq, { text }));
  const client = open({ lastEventId: "0" });
  let turns = 0;
  for (; client.ids.at(-1) !== 2_000; turns += 1) await setImmediate();
  assert.deepEqual(client.ids, count(1, 2_000));
  assert.ok(client.pieces.length > 20 && turns >= client.pieces.length - 2, `${turns} turns`);
});

test("of thousands of streams a fixed number are sent to in each turn", async () => {
  const { changes, open } = setUp();
  const clients = count(1, 2_000).map(() => open());
  changes.add(change(1));
  let most = 0;
  for (let told = 0; told < clients.length; ) {
    await setImmediate();
    const now = clients.filter(({ ids }) => ids.length === 1).length;
    most = Math.max(most, now - told);
    told = now;
  }
  assert.ok(most <= 200, `${most} in one turn`);
});

const wrongIds: readonly [name: string, id: string][] = [
  ["from before what is known", "9"],
  ["from the future", "21"],
  ["that is none of ours", "K7QX3M"],
  ["that is no number", "1e1"],
  ["that came twice", "12, 12"],
  ["below zero", "-1"],
  ["longer than any", "9".repeat(40)],
];

for (const [name, lastEventId] of wrongIds) {
  test(`a Last-Event-ID ${name} is answered with a reset, then what comes`, async () => {
    const { changes, open } = setUp({ changes: new Changes(10) });
    for (const seq of count(11, 20)) changes.add(change(seq));
    const client = open({ lastEventId });
    assert.equal(client.text, "retry: 2000\n\nid: 20\nevent: reset\ndata: {}\n\n");
    changes.add(change(21));
    await until(() => client.ids.length === 2);
    assert.deepEqual(client.ids, [20, 21]);
  });
}

test("a new stream learns the id to resume after, an empty Last-Event-ID is none", () => {
  const { open } = setUp({ changes: new Changes(10) });
  assert.equal(open().text, "retry: 2000\nid: 10\n\n");
  assert.equal(open({ lastEventId: "" }).text, "retry: 2000\nid: 10\n\n");
  assert.equal(open({ accept: "application/x-ndjson" }).text, "");
});

test("a heartbeat goes to every stream that has nothing else on its way", async (t) => {
  const { events, open } = setUp({ heartbeatMs: 1 });
  t.after(() => events.closeAll());
  const [sse, lines, stuck] = [open(), open({ accept: "application/x-ndjson" }), open()];
  stuck.writableLength = 1;
  await until(() => sse.text.endsWith(":\n\n:\n\n") && lines.text.endsWith("\n\n"));
  assert.equal(stuck.text, "retry: 2000\nid: 0\n\n");
});

test("a stream ends when its token has expired, with the leeway that tokens have", async (t) => {
  let now = 1_000_000;
  const { events, open, metrics } = setUp({ heartbeatMs: 1, now: () => now });
  t.after(() => events.closeAll());
  const [staff, nobody] = [open({ caller: { role: "staff", exp: 1_000 } }), open()];
  now = 1_059_999;
  const { length } = staff.text;
  await until(() => staff.text.length > length);
  assert.equal(staff.state, "open");
  now = 1_060_000;
  await until(() => staff.state === "ended");
  assert.equal(nobody.state, "open");
  assert.equal(metrics.eventStreams, 1);
});

test("a stream whose token has expired gets no change, live or catching up", async () => {
  let now = 1_000_000;
  const { changes, open } = setUp({ now: () => now });
  const caller: Caller = { role: "staff", exp: 1_000 };
  const slow = new Client();
  slow.isReading = false;
  changes.add(change(1));
  const live = open({ caller });
  open({ caller, lastEventId: "0", client: slow });
  changes.add(change(2));
  await until(() => live.ids.length === 1);
  now = 1_060_000;
  slow.drain();
  changes.add(change(3));
  await until(() => live.state === "ended" && slow.state === "ended");
  assert.deepEqual([live.ids, slow.ids], [[2], [1]]);
});

test("streams are counted while they are open", () => {
  const { open, metrics } = setUp();
  const clients = [open(), open(), open()];
  assert.equal(metrics.eventStreams, 3);
  clients[0]?.end();
  assert.equal(metrics.eventStreams, 2);
});

test("closing sends what is pending, ends every stream, and later ones at once", () => {
  const { changes, events, open, metrics } = setUp();
  const clients = [open(), open({ lastEventId: "0" })];
  changes.add(change(1));
  events.closeAll();
  for (const { ids, state } of clients) assert.deepEqual([ids, state], [[1], "ended"]);
  assert.deepEqual([open().text, open().state], ["", "ended"]);
  assert.equal(metrics.eventStreams, 0);
  events.closeAll();
});

const anna: Caller = { role: "customer", sub: "anna", exp: 2_000_000_000 };
const bert: Caller = { role: "customer", sub: "bert", exp: 2_000_000_000 };
const staff: Caller = { role: "staff", exp: 2_000_000_000 };
const audiences = [
  { orderReads: "public", sees: { nobody: [1, 2, 3, 4], anna: [1, 2, 3, 4], bert: [1, 2, 3, 4] } },
  { orderReads: "authenticated", sees: { nobody: [3], anna: [1, 2, 3, 4], bert: [1, 2, 3, 4] } },
  { orderReads: "own", sees: { nobody: [3], anna: [1, 3, 4], bert: [3] } },
] as const;

for (const { orderReads, sees } of audiences) {
  test(`ORDER_READS=${orderReads} shows each stream what it may, live and resumed`, async () => {
    const { changes, open } = setUp({ orderReads });
    const callers = { nobody: undefined, anna, bert, staff };
    const live = Object.values(callers).map((caller) => open({ caller }));
    const own = change(1, { placer: "anna" });
    changes.add(own);
    changes.add(change(2, { placer: "carla" }));
    changes.add(change(3));
    changes.add({ ...own, seq: 4, action: "deleted", entry: undefined, before: own.entry });
    const expected = Object.values({ ...sees, staff: [1, 2, 3, 4] });
    await until(() => live.every(({ ids }, index) => ids.length >= (expected[index]?.length ?? 0)));
    assert.deepEqual(live.map(({ ids }) => ids), expected);
    const resumed = Object.values(callers).map((caller) => open({ caller, lastEventId: "0" }));
    assert.deepEqual(resumed.map(({ ids }) => ids), expected);
  });
}

test("nothing is shown before it is on disk", async (t: TestContext) => {
  let release: (() => void) | undefined;
  let gate: Promise<void> | undefined;
  const store = await openStore({
    folder: join(temporaryFolder(t), "store"),
    kinds: [toppings],
    log: createLog({ level: "silent", terminal: false }),
    fileSystem: {
      ...diskFileSystem,
      async open(path, mode) {
        const file = await diskFileSystem.open(path, mode);
        return { ...file, sync: () => (gate ?? Promise.resolve()).then(() => file.sync()) };
      },
    },
  });
  cleanUp(t, () => store.close());
  const client = setUp({ changes: store.changes }).open();
  const opening = client.text;
  gate = new Promise((resolve) => (release = resolve));
  const written = store.write("toppings", "a", () => ({ body: '{"id":"a"}', kept: "" }));
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  assert.equal(client.text, opening);
  release?.();
  await written;
  await until(() => client.ids.length === 1);
});
