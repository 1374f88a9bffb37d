/** GET /api/events (contract part 6) over a socket: what is sent, to whom, and from where on. */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { cleanUp, type Client, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { assertCommonHeaders } from "./assertions.ts";
import { openStream, type Stream, type StreamEvent } from "./event-client.ts";
import { itemPath, order, orderSample, samples, topping } from "./kinds.ts";

/** Creates a topping, of which every stream hears: what comes before its event is all there was. */
async function mark(forno: Client, id: string): Promise<void> {
  const init = { token: forno.staff, body: topping({ id }) };
  assert.equal((await forno.call("POST", "/api/toppings", init)).status, 201);
}

/** Everything up to the mark's event. */
async function untilMark(stream: Stream, id: string): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (;;) {
    const event = await stream.next();
    if (event.data.id === id) return events;
    events.push(event);
  }
}

const forms = ["text/event-stream", "application/x-ndjson"] as const;

for (const sample of samples) {
  for (const accept of forms) {
    test(`${sample.path}: events tell of create, update and delete (${accept})`, async (t) => {
      const forno = await startForno(t);
      const stream = await openStream(t, forno, { accept });
      const path = itemPath(sample);
      const init = { token: forno.staff };
      const created = await forno.call("POST", sample.path, { ...init, body: sample.body });
      const updated = await forno.call("PUT", path, { ...init, body: sample.changed });
      await forno.call("DELETE", path, init);
      const events = await stream.take(3);
      const kind = sample.path.slice("/api/".length);
      assert.deepEqual(events.map(({ event, data }) => [event, data]), [
        [`${kind}.created`, created.json],
        [`${kind}.updated`, updated.json],
        [`${kind}.deleted`, { id: sample.body["id"] }],
      ]);
      const ids = events.map(({ id }) => Number(id));
      assert.deepEqual(ids, ids.toSorted((one, other) => one - other));
      assert.equal(new Set(ids).size, 3);
    });
  }
}

test("server-sent events look on the wire as the standard has them", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  const stream = await openStream(t, forno);
  await mark(forno, "a");
  const { id } = await stream.next();
  await forno.close();
  const data = JSON.stringify(topping({ id: "a" }));
  const text = await stream.ended();
  assert.match(text, /^retry: \d+\nid: \d+\n\n/);
  assert.ok(Number(/^id: (\d+)/m.exec(text)?.[1]) < Number(id));
  assert.ok(text.endsWith(`\n\nid: ${id}\nevent: toppings.created\ndata: ${data}\n\n`), text);
});

test("JSON lines have an id, an event and its data, and nothing besides", async (t) => {
  const forno = await startForno(t);
  const stream = await openStream(t, forno, { accept: "application/x-ndjson" });
  await mark(forno, "a");
  const { id } = await stream.next();
  await forno.close();
  const data = JSON.stringify(topping({ id: "a" }));
  assert.equal(await stream.ended(), `{"id":"${id}","event":"toppings.created","data":${data}}\n`);
});

const varying = [["public", "Accept"], ["authenticated", "Accept, Authorization"],
  ["own", "Accept, Authorization"]] as const;

for (const [ORDER_READS, vary] of varying) {
  test(`ORDER_READS=${ORDER_READS}: a stream's header says how to pass it on`, async (t) => {
    const forno = await startForno(t, { env: { ORDER_READS } });
    const stream = await openStream(t, forno);
    const head = await forno.call("HEAD", "/api/events");
    for (const { status, headers } of [stream, head]) {
      assert.equal(status, 200);
      assert.equal(headers.get("content-type"), "text/event-stream");
      assert.equal(headers.get("cache-control"), "no-cache");
      assert.equal(headers.get("x-accel-buffering"), "no");
      assert.equal(headers.get("vary"), vary);
    }
    assertCommonHeaders(head);
    assert.equal(head.text, "");
    const accept = "application/x-ndjson";
    const lines = await forno.call("HEAD", "/api/events", { headers: { accept } });
    assert.equal(lines.headers.get("content-type"), accept);
  });
}

test("updates that change nothing, and refused writes, are no events", async (t) => {
  const forno = await startForno(t);
  const init = { token: forno.staff, body: order() };
  await forno.call("POST", "/api/orders", init);
  const stream = await openStream(t, forno);
  const path = itemPath(orderSample);
  const stale = { "if-match": '"stale"' };
  const responses = [
    await forno.call("PUT", path, init),
    await forno.call("PATCH", path, { ...init, body: {} }),
    await forno.call("POST", "/api/orders", init),
    await forno.call("PUT", path, { ...init, body: order({ status: "Eaten" }) }),
    await forno.call("PATCH", path, { ...init, headers: stale, body: { status: "Ready" } }),
    await forno.call("PUT", path, { ...init, token: forno.customer }),
    await forno.call("DELETE", "/api/orders/nothing", init),
  ];
  assert.deepEqual(responses.map(({ status }) => status), [200, 200, 409, 400, 412, 403, 404]);
  await mark(forno, "mark");
  assert.deepEqual(await untilMark(stream, "mark"), []);
});

test("the resource of an event can be read at once", async (t) => {
  const forno = await startForno(t);
  const stream = await openStream(t, forno);
  const writing = Promise.all(["a", "b", "c", "d", "e"].map((id) => mark(forno, id)));
  for (const { data } of await stream.take(5)) {
    assert.deepEqual((await forno.call("GET", `/api/toppings/${data.id}`)).json, data);
  }
  await writing;
});

const readers = ["staff", "the owner", "another", "a monitor", "nobody"] as const;
const visible: Readonly<Record<string, readonly string[]>> = {
  public: ["house owner", "house owner", "house owner", "house owner", "house owner"],
  authenticated: ["house owner", "house owner", "house owner", "house owner", ""],
  own: ["house owner", "owner", "", "house owner", ""],
};

for (const [ORDER_READS, row] of Object.entries(visible)) {
  test(`ORDER_READS=${ORDER_READS}: each reader hears of what it may read`, async (t) => {
    const forno = await startForno(t, { env: { ORDER_READS } });
    const another = forno.token({ role: "customer", sub: "carlo" });
    const tokens = [forno.staff, forno.customer, another, forno.reader, undefined];
    const lastEventId = String(forno.store.history.last);
    const live = await Promise.all(tokens.map((token) => openStream(t, forno, { token })));
    const { staff } = forno;
    for (const [id, token] of [["house", staff], ["owner", forno.customer]] as const) {
      await forno.call("POST", "/api/orders", { token, body: order({ id }) });
    }
    for (const id of ["house", "owner"]) {
      await forno.call("PATCH", `/api/orders/${id}`, { token: staff, body: { status: "Ready" } });
      await forno.call("DELETE", `/api/orders/${id}`, { token: staff });
    }
    await forno.asStaff("PATCH", "/api/shop", { notice: "Back at 18:00" });
    await mark(forno, "mark");
    const resumed = await Promise.all(
      tokens.map((token) => openStream(t, forno, { token, lastEventId })),
    );
    for (const [index, reader] of readers.entries()) {
      const ids = row[index] === "" ? [] : (row[index] ?? "").split(" ");
      const expected = ["created", "updated", "deleted"].flatMap((action) =>
        ids.map((id) => `orders.${action} ${id}`)).sort();
      for (const stream of [live[index], resumed[index]]) {
        assert.ok(stream !== undefined);
        const events = await untilMark(stream, "mark");
        assert.ok(events.some(({ event }) => event === "shop.updated"), reader);
        const orders = events.filter(({ event }) => event.startsWith("orders."));
        const heard = orders.map(({ event, data }) => `${event} ${data.id}`).sort();
        assert.deepEqual(heard, expected, reader);
        assert.doesNotMatch(JSON.stringify(events), /placedBy|names|"seq"/);
      }
    }
  });
}

test("Last-Event-ID resumes with everything that was missed, in order", async (t) => {
  const forno = await startForno(t);
  const stream = await openStream(t, forno);
  await mark(forno, "a");
  const { id: lastEventId } = await stream.next();
  stream.close();
  for (const id of ["b", "c", "d"]) await mark(forno, id);
  const resumed = await openStream(t, forno, { lastEventId });
  await mark(forno, "e");
  const events = await resumed.take(4);
  assert.deepEqual(events.map(({ data }) => data.id), ["b", "c", "d", "e"]);
});

test("a client that missed more than a piece gets every change once, in order", async (t) => {
  const forno = await startForno(t);
  const first = await openStream(t, forno);
  await mark(forno, "start");
  const { id: lastEventId } = await first.next();
  const ids = Array.from({ length: 1_200 }, (_, index) => `t${index}`);
  const init = { token: forno.staff };
  const name = "x".repeat(200);
  await Promise.all(
    ids.map((id) => forno.call("POST", "/api/toppings", { ...init, body: topping({ id, name }) })),
  );
  const order = (await first.take(ids.length)).map(({ data }) => data.id);
  assert.deepEqual(order.toSorted(), ids.toSorted());
  const resumed = await openStream(t, forno, { lastEventId });
  assert.deepEqual((await resumed.take(ids.length)).map(({ data }) => data.id), order);
});

test("a new stream can resume from where it began, though it saw nothing", async (t) => {
  const forno = await startForno(t);
  const wire = connect(forno.port, "127.0.0.1");
  cleanUp(t, () => wire.destroy());
  wire.write("GET /api/events HTTP/1.1\r\nHost: forno\r\n\r\n");
  let text = "";
  for await (const piece of wire) {
    text += String(piece);
    if (/^id: \d+\n\n/m.test(text)) break;
  }
  await mark(forno, "a");
  const lastEventId = /^id: (\d+)/m.exec(text)?.[1];
  const { data } = await (await openStream(t, forno, { lastEventId })).next();
  assert.equal(data.id, "a");
});

const unknownIds = ["1", "999999999999999", "K7QX3M", "-1", "1.5", "9".repeat(40)];

for (const accept of forms) {
  test(`an unknown Last-Event-ID is answered with a reset first (${accept})`, async (t) => {
    const forno = await startForno(t);
    for (const [index, lastEventId] of unknownIds.entries()) {
      const stream = await openStream(t, forno, { lastEventId, accept });
      await mark(forno, `t${index}`);
      const [reset, created] = await stream.take(2);
      assert.ok(reset !== undefined && created !== undefined);
      assert.deepEqual([reset.event, reset.data], ["reset", {}]);
      assert.equal(created.data.id, `t${index}`);
      assert.ok(Number(reset.id) < Number(created.id));
      const again = await openStream(t, forno, { lastEventId: reset.id });
      assert.deepEqual(await again.next(), created);
    }
  });
}

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`a stream resumes over a ${signal} with all that was answered`, async (t) => {
    const dataDir = join(temporaryFolder(t), "store");
    const first = await spawnForno(t, { dataDir });
    const stream = await openStream(t, first);
    await mark(first, "a");
    const seen = await stream.next();
    stream.close();
    for (const id of ["b", "c"]) await mark(first, id);
    await first.end(signal === "SIGKILL" ? signal : undefined);

    const second = await startForno(t, { dataDir });
    const resumed = await openStream(t, second, { lastEventId: seen.id });
    await mark(second, "d");
    const events = await resumed.take(3);
    assert.deepEqual(events.map(({ data }) => data.id), ["b", "c", "d"]);
    const ids = [seen, ...events].map(({ id }) => Number(id));
    assert.deepEqual(ids, [...new Set(ids)].sort((one, other) => one - other));
  });
}

test("a client of HTTP/1.0 gets the stream without chunks", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  const wire = connect(forno.port, "127.0.0.1");
  wire.write("GET /api/events HTTP/1.0\r\n\r\n");
  let text = "";
  for await (const piece of wire) {
    text += String(piece);
    if (text.endsWith("\n\n")) void forno.close();
  }
  const [head = "", body] = text.split(/\r\n\r\n/);
  assert.doesNotMatch(head, /transfer-encoding/i);
  assert.match(body ?? "", /^retry: \d+\nid: \d+\n\n$/);
});

const accepts: readonly (readonly [accept: string | undefined, contentType: string])[] = [
  ["application/x-ndjson", "application/x-ndjson"],
  ["APPLICATION/X-NDJSON; charset=utf-8, */*;q=0.1", "application/x-ndjson"],
  [undefined, "text/event-stream"],
  ["*/*", "text/event-stream"],
  ["application/x-ndjson;q=0.5, text/event-stream", "text/event-stream"],
  ["application/json", "text/event-stream"],
];

test("Accept chooses the form of a stream", async (t) => {
  const forno = await startForno(t);
  for (const [accept, contentType] of accepts) {
    const init = accept === undefined ? {} : { headers: { accept } };
    const head = await forno.call("HEAD", "/api/events", init);
    assert.equal(head.headers.get("content-type"), contentType, `${accept}`);
  }
});
