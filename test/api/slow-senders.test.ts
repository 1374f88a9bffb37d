/**
 * Clients that take too long (contract part 3): Node's 408, and the connection is closed, also
 * when a byte drips in now and then. The limits are shortened here; that they hold at all is
 * asserted, never how fast.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, startForno } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";
import { topping } from "./kinds.ts";

const timeouts = { headersMs: 150, requestMs: 150 };

function postHead({ staff }: Client, framing: string): string {
  return "POST /api/toppings HTTP/1.1\r\nHost: forno\r\n"
    + `Authorization: Bearer ${staff}\r\n${framing}\r\n\r\n`;
}

test("a request that stops half-way, or drips, is 408 and nothing is stored", async (t) => {
  const forno = await startForno(t, { timeouts });
  const before = await forno.call("GET", "/api/toppings");
  const half = "GET /healthz HTTP/1.1\r\nHost: forno\r\nX-Half: ";
  const declared = postHead(forno, "Content-Length: 60000");
  const chunked = postHead(forno, "Transfer-Encoding: chunked");
  const requests: readonly (readonly [sent: string, drip?: string])[] = [
    ["G"], [half], [half, "a"], [declared], [`${declared}{"name":`], [declared, " "],
    [chunked], [`${chunked}5\r\n{"na`], [`${chunked}2\r\n{}\r\n`],
  ];
  await Promise.all(requests.map(async ([sent, drip = ""]) => {
    const wire = openWire(t, forno.port);
    wire.send(sent);
    const dripping = setInterval(() => wire.send(drip), 20);
    const responses = await wire.closed();
    clearInterval(dripping);
    assert.deepEqual(responses.map(({ status, text }) => [status, text]), [[408, ""]], sent);
  }));
  assert.equal((await forno.call("GET", "/api/toppings")).text, before.text);
});

test("a client that goes away half-way leaves the server and the store as they were", async (t) => {
  const forno = await startForno(t);
  const { json: before } = await forno.call("GET", "/api/toppings");
  await Promise.all(Array.from({ length: 20 }, async () => {
    const wire = openWire(t, forno.port);
    wire.send(postHead(forno, "Content-Length: 100\r\nExpect: 100-continue"));
    await wire.responses(1);
    wire.send('{"name":"');
    wire.destroy();
    await wire.closed();
  }));
  // A topping that one of the others left behind would be stored before this one.
  await forno.asStaff("POST", "/api/toppings", topping());
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, [...before, topping()]);
});

test("a connection that says nothing more is dropped", async (t) => {
  const forno = await startForno(t, { timeouts: { idleMs: 150 } });
  const silent = openWire(t, forno.port);
  silent.send("GET /healthz HTTP/1.1\r\nHost: forno\r\n\r\n");
  assert.deepEqual((await silent.closed()).map(({ status }) => status), [200]);
});
