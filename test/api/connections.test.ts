/**
 * Connections (contract part 3): `Keep-Alive: timeout=` says how long an idle one is kept. Offers
 * to upgrade (RFC 9110 section 7.8), as curl --http2, Java's HttpClient and browsers' WebSockets send
 * them, are ignored.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type Forno, startForno } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";

const host = "Host: forno\r\n";

test("every answer after which the connection is kept says for how long", async (t) => {
  const forno = await startForno(t);
  const token = `Authorization: Bearer ${forno.staff}\r\n`;
  const topping = '{"id":"rucola-2","name":"Rocket","isVegetarian":true,"isVegan":true}';
  const asks = [
    ["GET /api/toppings/funghi", "", 200],
    ["GET /api/toppings/funghi", "If-None-Match: *\r\n", 304],
    ["GET /nothing-here", "", 404],
    ["OPTIONS /api/toppings", "", 204],
    ["POST /api/toppings", `${token}Content-Length: ${topping.length}\r\n`, 201],
    ["POST /api/toppings", "Content-Length: 2\r\n", 401],
    ["DELETE /api/toppings/rucola-2", token, 204],
    ["GET /openapi.json", "", 200],
  ] as const;
  for (const [line, fields, status] of asks) {
    const wire = openWire(t, forno.port);
    const body = status === 201 ? topping : status === 401 ? "{}" : "";
    wire.send(`${line} HTTP/1.1\r\n${host}${fields}\r\n${body}`);
    const [response] = await wire.responses(1);
    assert.ok(response);
    const said = ["connection", "keep-alive"].map((name) => response.headers.get(name));
    assert.deepEqual([response.status, ...said], [status, "keep-alive", "timeout=120"], line);
    wire.destroy();
  }
});

test("an answer after which the connection closes says so, and nothing else", async (t) => {
  const forno = await startForno(t, { timeouts: { idleMs: 2_000 } });
  for (const [request, keepAlive] of [
    [`GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, undefined],
    ["GET /healthz HTTP/1.0\r\n\r\n", undefined],
    ["GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "timeout=2"],
    [`GET /healthz HTTP/1.1\r\n${host}\r\n`, "timeout=2"],
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

const offers: Readonly<Record<string, string>> = {
  h2c: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
  websocket: "Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n",
  "on two lines": "connection: Keep-Alive\r\nUPGRADE: h2c\r\nConnection: Upgrade\r\n",
};
const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const read = "GET /healthz HTTP/1.1\r\nHost: forno\r\n";

function create(forno: Forno, framing: string): string {
  return "POST /api/toppings HTTP/1.1\r\nHost: forno\r\n"
    + `Authorization: Bearer ${forno.staff}\r\n${framing}\r\n`;
}

for (const [what, offer] of Object.entries(offers)) {
  test(`${what}: the connection goes on, request after request`, async (t) => {
    const forno = await startForno(t);
    const wire = openWire(t, forno.port);
    for (let asked = 1; asked <= 4; asked += 1) {
      // Java's client says of a GET, too, how long its body is.
      wire.send(`${read}${offer}${asked > 2 ? "Content-Length: 0\r\n" : ""}\r\n`);
      const response = (await wire.responses(asked)).at(-1);
      assert.equal(response?.status, 200);
      assert.equal(response?.headers.get("connection"), "keep-alive");
      assert.equal(response?.headers.has("upgrade"), false);
    }
    wire.destroy();
  });

  test(`${what}: a body is read, whatever pieces it comes in`, async (t) => {
    const forno = await startForno(t);
    const chunks = `${topping.length.toString(16)}\r\n${topping}\r\n0\r\n\r\n`;
    for (const [framing, body] of [
      [`Content-Length: ${topping.length}\r\n`, topping],
      ["Transfer-Encoding: chunked\r\n", chunks],
    ] as const) {
      for (const cut of [0, 1, 20, body.length]) {
        const wire = openWire(t, forno.port);
        wire.send(create(forno, offer + framing) + body.slice(0, cut));
        await setImmediate();
        wire.send(body.slice(cut));
        const [response] = await wire.responses(1);
        assert.ok(response);
        assert.equal(response.status, 201, response.body);
        assert.equal(response.headers.get("connection"), "keep-alive");
        wire.destroy();
      }
    }
  });
}

