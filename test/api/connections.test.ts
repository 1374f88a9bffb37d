/**
 * Connections (contract part 3): which are kept, offers to upgrade (RFC 9110 section 7.8), and
 * several requests before the first answer (RFC 9112 section 9.3.2): all are carried out, and
 * answered in their order.
 */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";
import { topping } from "./kinds.ts";

/** A request of staff. */
function text({ staff }: Client, line: string, body?: unknown, fields = ""): string {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const length = body === undefined ? "" : `Content-Length: ${Buffer.byteLength(payload)}\r\n`;
  return `${line} HTTP/1.1\r\nHost: forno\r\nAuthorization: Bearer ${staff}\r\n${fields}${length}`
    + `\r\n${payload}`;
}

const close = "Connection: close\r\n";
const statuses = (responses: readonly Response[]): number[] =>
  responses.map(({ status }) => status);

/** The answers to requests sent at once, the last of which closes the connection. */
async function pipelined(
  t: TestContext, forno: Client, ...asks: readonly (readonly [line: string, body?: unknown])[]
): Promise<Response[]> {
  const wire = openWire(t, forno.port);
  const texts = asks.map(([line, body], index) =>
    text(forno, line, body, index === asks.length - 1 ? close : ""));
  wire.send(texts.join(""));
  return wire.closed();
}

test("an answer after which the connection closes says so, and nothing else", async (t) => {
  const forno = await startForno(t, { timeouts: { idleMs: 2_000 } });
  for (const [request, keepAlive] of [
    [`GET /healthz HTTP/1.1\r\nHost: a\r\n${close}\r\n`, undefined],
    ["GET /healthz HTTP/1.0\r\n\r\n", undefined],
    ["GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "timeout=2"],
    ["GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "timeout=2"],
  ] as const) {
    const wire = openWire(t, forno.port);
    wire.send(request);
    const [response] = await wire.responses(1);
    assert.equal(response?.headers.get("keep-alive"), keepAlive, request);
    const connection = keepAlive === undefined ? "close" : "keep-alive";
    assert.equal(response?.headers.get("connection"), connection);
    wire.destroy();
  }
});

/** As curl --http2, Java's HttpClient and browsers send them. */
const offers = [
  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
  "Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n",
];

test("offers to upgrade are ignored: the connection goes on, and a body is read", async (t) => {
  const forno = await startForno(t);
  for (const offer of offers) {
    const wire = openWire(t, forno.port);
    const post = text(forno, "POST /api/toppings", topping({ id: undefined }), offer);
    // Java's client says of a GET, too, how long its body is.
    for (const [index, [request, cut]] of ([
      [text(forno, "GET /healthz", undefined, offer), 0],
      [text(forno, "GET /healthz", undefined, `${offer}Content-Length: 0\r\n`), 0],
      [post, post.length - 20],
      [post, post.indexOf("{")],
    ] as const).entries()) {
      wire.send(request.slice(0, cut));
      await setImmediate();
      wire.send(request.slice(cut));
      const response = (await wire.responses(index + 1)).at(-1);
      assert.equal(response?.status, index < 2 ? 200 : 201);
      assert.equal(response?.headers.get("connection"), "keep-alive");
      assert.equal(response?.headers.has("upgrade"), false);
    }
    wire.destroy();
  }
});

test("reads and writes in one piece are carried out, and answered in their order", async (t) => {
  const forno = await startForno(t);
  const ordered = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
  const responses = await pipelined(t, forno,
    ["GET /healthz"],
    ["POST /api/toppings", topping()],
    ["PATCH /api/toppings/tartufo", { name: "Tuber" }],
    ["GET /api/toppings/tartufo"],
    ["OPTIONS /api/toppings"],
    ["DELETE /api/toppings/funghi"],
    ["POST /api/orders", ordered],
    ["GET /nothing-here"],
  );
  assert.deepEqual(statuses(responses), [200, 201, 200, 200, 204, 204, 400, 404]);
  assert.deepEqual(responses[3]?.json, topping({ name: "Tuber" }));
});

test("nothing is done behind a request that closes the connection", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  wire.send(text(forno, "GET /healthz", undefined, close)
    + text(forno, "DELETE /api/toppings/funghi"));
  assert.equal((await wire.closed()).length, 1);
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

test("a long answer is whole, and the next answer follows it", async (t) => {
  const forno = await startForno(t);
  const sizeOptions = Array.from({ length: 50 }, (_, index) => "\u{1f4a7}".repeat(190) + index);
  const body = { name: "Acqua", isCarbonated: false, sizeOptions };
  for (let count = 0; count < 20; count += 1) await forno.asStaff("POST", "/api/beverages", body);
  const [backup, ...others] = await pipelined(t, forno, ["GET /api/backup"], ["GET /healthz"]);
  assert.ok((backup?.text.length ?? 0) > 20 * 50 * 190);
  assert.deepEqual(statuses(others), [200]);
});

test("requests that arrive byte by byte are understood", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const requests = [text(forno, "POST /api/toppings", topping()), text(forno, "GET /api/toppings")];
  for (const [index, request] of requests.entries()) {
    for (const character of request) wire.send(character);
    await wire.responses(index + 1);
  }
  assert.deepEqual(statuses(await wire.responses(2)), [201, 200]);
  wire.destroy();
});

test("requests that wait for their turn at a stop are answered too", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const get = text(forno, "GET /api/toppings/tartufo");
  wire.send(text(forno, "POST /api/toppings", topping()) + get + get);
  const stopped = forno.close();
  const responses = await wire.closed();
  assert.deepEqual(statuses(responses), [201, 200, 200]);
  const closing = responses.map(({ headers }) => headers.get("connection") === "close");
  assert.deepEqual(closing, [false, false, true]);
  await stopped;
});
