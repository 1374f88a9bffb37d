/** GET /api/events (contract part 6): which events, to whom, and from where on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, startForno } from "../helpers/forno.ts";
import { itemPath, order, orderSample, samples, topping } from "../helpers/samples.ts";
import { assertDescribed, fetchDescription, operationAt } from "./description.ts";
import { type EventStream, openStream, type StreamEvent } from "./streams.ts";

/** Creates a topping, of which every stream hears: what comes before its event is all there was. */
async function mark(forno: Client, id: string): Promise<void> {
  await forno.write("POST", "/api/toppings", topping({ id }));
}

/** Everything up to the mark's event. */
async function untilMark(stream: EventStream, id: string): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (;;) {
    const event = await stream.next();
    if (event.data.id === id) return events;
    events.push(event);
  }
}

const idsIn = (events: readonly StreamEvent[]): string[] => events.map(({ data }) => data.id);

/** Asserts that the numbers of these events rise. */
function assertRising(events: readonly StreamEvent[]): void {
  const numbers = events.map(({ id }) => Number(id));
  assert.deepEqual(numbers, [...new Set(numbers)].sort((one, other) => one - other));
}

const forms = ["text/event-stream", "application/x-ndjson"] as const;

test("events tell of each write, and can be read at once", async (t) => {
  const forno = await startForno(t);
  const streams = await Promise.all(forms.map((accept) => openStream(t, forno, { accept })));
  const all: StreamEvent[] = [];
  const changed = async (path: string): Promise<object> => {
    const { status, json } = await forno.call("GET", path);
    return status === 404 ? { id: path.split("/").at(-1) } : json;
  };
  const rows = samples.flatMap((sample) => {
    const [kind, item] = [sample.path.slice("/api/".length), itemPath(sample)];
    return [
      [`${kind}.created`, item, "POST", sample.path, sample.body],
      [`${kind}.updated`, item, "PUT", item, sample.changed],
      [`${kind}.deleted`, item, "DELETE", item, undefined],
    ] as const;
  });
  const shop = "/api/shop";
  for (const [event, item, method, path, body] of [
    ...rows, ["shop.updated", shop, "PATCH", shop, { isOpen: false }] as const,
  ]) {
    const heard = streams.map(async (stream) => {
      const next = await stream.next();
      assert.deepEqual([next.event, next.data], [event, await changed(item)]);
      return next;
    });
    await forno.write(method, path, body);
    const [first = assert.fail(), second] = await Promise.all(heard);
    assert.deepEqual(first, second, "in either form");
    all.push(first);
  }
  assertRising(all);
});

const data = JSON.stringify(topping({ id: "a" }));
/** A stream after one event: the id at its beginning, then the event with its id. */
const wires: Readonly<Record<(typeof forms)[number], RegExp>> = {
  "text/event-stream": new RegExp(
    `^retry: \\d+\nid: (\\d+)\n\nid: (\\d+)\nevent: toppings.created\ndata: ${data}\n\n$`),
  "application/x-ndjson": new RegExp(
    `^\n{()"id":"(\\d+)","event":"toppings.created","data":${data}}\n$`),
};

for (const accept of forms) {
  test(`a stream looks on the wire as its form has it (${accept})`, async (t) => {
    const forno = await startForno(t, { env: { MENU_FILE: "" } });
    const stream = await openStream(t, forno, { accept });
    await mark(forno, "a");
    const { id } = await stream.next();
    await forno.close();
    const text = await stream.ended();
    const [, start = "", event] = wires[accept].exec(text) ?? assert.fail(text);
    assert.equal(event, id);
    if (accept === "application/x-ndjson") return;
    // Over a restart, too, it resumes from where it began.
    const again = await startForno(t, { dataDir: forno.dataDir });
    const resumed = await openStream(t, again, { lastEventId: start });
    await mark(again, "b");
    const events = await resumed.take(2);
    assert.deepEqual([events[0]?.id, ...idsIn(events)], [id, "a", "b"]);
    assertRising(events);
  });
}

test("Accept chooses the form of a stream", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  for (const [accept, contentType] of [
    ["application/x-ndjson", "application/x-ndjson"],
    ["APPLICATION/X-NDJSON; charset=utf-8, */*;q=0.1", "application/x-ndjson"],
    ["*/*", "text/event-stream"],
    ["application/x-ndjson;q=0.5, text/event-stream", "text/event-stream"],
    ["application/json", "text/event-stream"],
  ] as const) {
    const head = await forno.call("HEAD", "/api/events", { headers: { accept } });
    const found = ["content-type", "cache-control", "x-accel-buffering"].map((one) =>
      head.headers.get(one));
    assert.deepEqual(found, [contentType, "no-cache", "no"], accept);
    assertDescribed(head, operationAt(document, "GET", "/api/events"), document);
  }
});

test("updates that change nothing, and refused writes, are no events", async (t) => {
  const forno = await startForno(t);
  await forno.write("POST", "/api/orders", order());
  const stream = await openStream(t, forno);
  const path = itemPath(orderSample);
  const responses = [
    await forno.asStaff("PUT", path, order()),
    await forno.asStaff("PATCH", path, {}),
    await forno.asStaff("PATCH", "/api/shop", { isOpen: true }),
    await forno.asStaff("POST", "/api/orders", order()),
    await forno.asStaff("PUT", path, order({ status: "Eaten" })),
    await forno.asStaff("PATCH", path, { status: "Ready" }, { "if-match": '"stale"' }),
    await forno.call("DELETE", path, { token: forno.customer }),
  ];
  assert.deepEqual(responses.map(({ status }) => status), [200, 200, 200, 409, 400, 412, 403]);
  await mark(forno, "mark");
  assert.deepEqual(await untilMark(stream, "mark"), []);
});

test("each reader hears of the orders that it may read", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const another = forno.token({ role: "customer", sub: "carlo" });
  const audience = [
    [forno.staff, "house", "owner"], [forno.customer, "owner"], [another],
    [forno.reader, "house", "owner"], [undefined],
  ] as const;
  const lastEventId = String(forno.store.history.last);
  const live = await Promise.all(audience.map(([token]) => openStream(t, forno, { token })));
  for (const [id, token] of [["house", forno.staff], ["owner", forno.customer]] as const) {
    await forno.call("POST", "/api/orders", { token, body: order({ id }) });
    await forno.write("PATCH", `/api/orders/${id}`, { status: "Ready" });
    await forno.write("DELETE", `/api/orders/${id}`);
  }
  await forno.write("PATCH", "/api/shop", { notice: "Back at 18:00" });
  await mark(forno, "mark");
  for (const [index, [token, ...ids]] of audience.entries()) {
    const heard = ids.flatMap((id) =>
      ["created", "updated", "deleted"].map((action) => `orders.${action} ${id}`));
    for (const stream of [live[index], await openStream(t, forno, { token, lastEventId })]) {
      const events = await untilMark(stream ?? assert.fail(), "mark");
      const found = events.map(({ event, data }) => `${event} ${data.id}`);
      assert.deepEqual(found, [...heard, "shop.updated undefined"]);
      assert.doesNotMatch(JSON.stringify(events), /placedBy|names|"seq"/);
    }
  }
});

test("a stream of some orders does not tell how many writes there are", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const stream = await openStream(t, forno, { token: forno.customer });
  await mark(forno, "a");
  await mark(forno, "b");
  const [first, second] = await stream.take(2);
  const idOf = (id = ""): string => (/^[\w-]{22}$/.test(id) ? id : assert.fail(id));
  // Nothing of a number: most characters differ.
  const [one, other] = [idOf(first?.id), idOf(second?.id)];
  assert.ok([...one].filter((character, index) => character === other[index]).length < 8);
  assert.ok(!one.includes(forno.store.history.last.toString(16)));
  await forno.close();
  const again = await startForno(t, { dataDir: forno.dataDir, env: { ORDER_READS: "own" } });
  for (const token of [again.customer, again.staff]) {
    const resumed = await openStream(t, again, { token, lastEventId: one });
    assert.equal((await resumed.next()).data.id, "b");
  }
});

test("Last-Event-ID resumes with everything that was missed, in order, however much", async (t) => {
  const forno = await startForno(t);
  const stream = await openStream(t, forno);
  await mark(forno, "start");
  const { id: lastEventId } = await stream.next();
  const name = "x".repeat(200); // More than fits into a piece.
  const count = 400;
  // Not all at once: the system resets connections when too many wait to be accepted.
  for (let first = 0; first < count; first += 200) {
    await Promise.all(Array.from({ length: 200 }, (_, index) =>
      forno.write("POST", "/api/toppings", topping({ id: `t${first + index}`, name }))));
  }
  const missed = await stream.take(count);
  assert.equal(new Set(idsIn(missed)).size, count);
  const resumed = await openStream(t, forno, { lastEventId });
  await mark(forno, "end");
  assert.deepEqual(await resumed.take(count + 1), [...missed, await stream.next()]);
});

test("an unknown Last-Event-ID is answered with a reset first", async (t) => {
  const forno = await startForno(t);
  const unknown = ["1", "999999999999999", "K7QX3M", "-1", "1.5", "9".repeat(40), "A".repeat(22)];
  for (const [index, lastEventId] of unknown.entries()) {
    const stream = await openStream(t, forno, { lastEventId, accept: forms[index % 2] ?? "" });
    await mark(forno, `t${index}`);
    const events = await stream.take(2);
    assertRising(events);
    const [reset, created] = events;
    assert.deepEqual([reset?.event, reset?.data, created?.data.id], ["reset", {}, `t${index}`]);
    const again = await openStream(t, forno, { lastEventId: reset?.id });
    assert.deepEqual(await again.next(), created);
  }
});
