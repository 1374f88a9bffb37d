/**
 * `Keep-Alive: timeout=` (contract part 3) says how long an idle connection is kept, wherever one
 * is.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
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
    const [answer] = await wire.answers(1);
    assert.ok(answer);
    const said = ["connection", "keep-alive"].map((name) => answer.headers.get(name));
    assert.deepEqual([answer.status, ...said], [status, "keep-alive", "timeout=120"], line);
    wire.destroy();
  }
});

test("an answer after which the connection closes says so, and nothing else", async (t) => {
  const forno = await startForno(t, { timeouts: { keepAliveMs: 2_000 } });
  for (const [request, keepAlive] of [
    [`GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, undefined],
    ["GET /healthz HTTP/1.0\r\n\r\n", undefined],
    ["GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "timeout=2"],
    [`GET /healthz HTTP/1.1\r\n${host}\r\n`, "timeout=2"],
  ] as const) {
    const wire = openWire(t, forno.port);
    wire.send(request);
    const [answer] = await wire.answers(1);
    assert.equal(answer?.headers.get("keep-alive"), keepAlive, request);
    const connection = keepAlive === undefined ? "close" : "keep-alive";
    assert.equal(answer?.headers.get("connection"), connection);
    wire.destroy();
  }
});
