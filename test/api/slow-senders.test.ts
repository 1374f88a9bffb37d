/**
 * Clients that take too long (contract part 3): node's 408, and the connection is closed, also
 * when a byte drips in now and then. The limits are shortened here; that they hold at all is
 * asserted, never how fast.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno, type Forno } from "../helpers/forno.ts";
import { openWire, type RawResponse, type Wire } from "../helpers/raw-http.ts";

const timeouts = { headersMs: 150, requestMs: 150 };
const healthz = "GET /healthz HTTP/1.1\r\nHost: forno\r\n\r\n";

function postHead(forno: Forno, framing: string): string {
  return "POST /api/toppings HTTP/1.1\r\nHost: forno\r\n"
    + `Authorization: Bearer ${forno.staff}\r\n${framing}\r\n\r\n`;
}

/** The one answer, node's own, to a client that stops after `sent`. */
async function stopAfter(wire: Wire, sent: string): Promise<void> {
  wire.send(sent);
  assertTimeout(await wire.closed());
}

function assertTimeout(responses: readonly RawResponse[]): void {
  assert.deepEqual(responses.map(({ status, body }) => [status, body]), [[408, ""]]);
}

test("headers that stop half-way are 408", async (t) => {
  const forno = await startForno(t, { timeouts });
  const halves = ["G", "GET /healthz", "GET /healthz HTTP/1.1\r\nHost: forno\r\nX-Half"];
  await Promise.all(halves.map((half) => stopAfter(openWire(t, forno.port), half)));
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
});

test("a body that stops half-way is 408 and nothing is stored", async (t) => {
  const forno = await startForno(t, { timeouts });
  const before = (await forno.call("GET", "/api/toppings")).text;
  const halves = [
    postHead(forno, "Content-Length: 100"),
    `${postHead(forno, "Content-Length: 100")}{"name":`,
    postHead(forno, "Transfer-Encoding: chunked"),
    `${postHead(forno, "Transfer-Encoding: chunked")}5\r\n{"na`,
    `${postHead(forno, "Transfer-Encoding: chunked")}2\r\n{}\r\n`,
  ];
  await Promise.all(halves.map((half) => stopAfter(openWire(t, forno.port), half)));
  assert.equal((await forno.call("GET", "/api/toppings")).text, before);
});

/** Sends a byte whenever there is time, until the connection ends. */
async function drip(wire: Wire, byte: string): Promise<RawResponse[]> {
  const dripping = setInterval(() => wire.send(byte), 20);
  try {
    return await wire.closed();
  } finally {
    clearInterval(dripping);
  }
}

test("a byte now and then buys no time", async (t) => {
  const forno = await startForno(t, { timeouts });
  const [headers, body] = [openWire(t, forno.port), openWire(t, forno.port)];
  headers.send("GET /healthz HTTP/1.1\r\nHost: forno\r\nX-Drip: ");
  body.send(postHead(forno, "Content-Length: 60000"));
  for (const responses of await Promise.all([drip(headers, "a"), drip(body, " ")])) {
    assertTimeout(responses);
  }
});

test("a client that goes away half-way leaves the server and the store as they were", async (t) => {
  const forno = await startForno(t);
  const { json: before } = await forno.call("GET", "/api/toppings");
  const gone = Array.from({ length: 20 }, async (_, index) => {
    const wire = openWire(t, forno.port);
    wire.send(postHead(forno, "Content-Length: 100\r\nExpect: 100-continue"));
    await wire.responses(1);
    wire.send(`{"name":"${index}"`);
    wire.destroy();
    await wire.closed();
  });
  await Promise.all(gone);
  // A topping that one of the others left behind would be stored before the last of these.
  const later: unknown[] = [];
  for (const name of ["one", "two", "three"]) {
    const body = { name, isVegetarian: true, isVegan: true };
    later.push((await forno.asStaff("POST", "/api/toppings", body)).json);
  }
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, [...before, ...later]);
});

test("a connection that says nothing more is dropped", async (t) => {
  const forno = await startForno(t, { timeouts: { idleMs: 150 } });
  const silent = openWire(t, forno.port);
  silent.send(healthz);
  const [response, ...others] = await silent.closed();
  assert.deepEqual([response?.status, others.length], [200, 0]);
});
