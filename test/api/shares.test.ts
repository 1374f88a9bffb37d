/**
 * The share of one client in the server's memory (contract part 3): bodies on their way, and
 * answers that it has not read. Others are served meanwhile.
 */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Client, type Forno, type Response, startForno } from "../helpers/forno.ts";
import { holdTime, until } from "../helpers/patience.ts";
import { bearer, openWire, requestText, type Wire } from "../helpers/raw-http.ts";
import { topping } from "../helpers/samples.ts";
import { assertProblem } from "./assertions.ts";
import { startLarge } from "./streams.ts";

const [here, there] = ["192.0.2.1", "192.0.2.2"];
const proxied = { TRUST_PROXY: "on", RATE_LIMIT: "off", ORDER_READS: "public" };
const from = (address: string): string => `X-Forwarded-For: ${address}\r\n`;

function ask(
  forno: Client, path: string, address: string, token?: string, body?: string,
): Promise<Response> {
  const headers = { "x-forwarded-for": address };
  const method = body === undefined ? "GET" : "POST";
  return forno.call(method, path, { headers, ...(token && { token }), ...(body && { body }) });
}

/** Asks for a list of 17 MB, of which the first bytes have come. */
async function beginList(t: TestContext, forno: Forno, fields: string): Promise<Wire> {
  const wire = openWire(t, forno.port);
  wire.send(requestText("GET /api/orders", fields));
  assert.equal(await wire.started(), 200);
  wire.pause();
  return wire;
}

test("a client holds 40 long answers; then it waits, and nobody else does", async (t) => {
  const forno = await startLarge(t, proxied);
  const unread: Wire[] = [];
  for (let count = 0; count < 40; count += 1) unread.push(await beginList(t, forno, from(here)));
  for (const path of ["/api/orders", "/api/toppings/funghi", "/"]) {
    const refused = await ask(forno, path, here);
    assertProblem(refused, "rate-limited");
    assert.equal(refused.headers.get("retry-after"), "5");
  }
  assertProblem(await ask(forno, "/api/orders", here, forno.customer), "rate-limited");
  assert.equal((await ask(forno, "/healthz", here)).status, 200);
  // A board behind the same address, also one that comes now, and another address.
  const board = forno.token({ role: "staff", sub: "new board" });
  for (const fields of [
    from(here) + bearer(forno.staff), from(here) + bearer(board), from(there),
  ]) {
    (await beginList(t, forno, fields)).destroy();
  }
  unread[0]?.destroy();
  await until(async () => (await ask(forno, "/api/toppings", here)).status === 200);
});

test("a client holds 16 MiB of bodies that are not whole yet", async (t) => {
  const forno = await startForno(t, { env: proxied });
  const length = 131_072;
  const body = `{"x":1${" ".repeat(length - 7)}}`;
  const request = requestText("POST /api/orders", from(here) + bearer(forno.customer), body);
  const held: Wire[] = [];
  for (let count = 0; count < 128; count += 1) {
    const wire = openWire(t, forno.port);
    wire.send(request.slice(0, -1));
    held.push(wire);
  }
  await until(async () => (await ask(forno, "/api/toppings", here)).status === 429);
  // Whole at once, but there is no room.
  const board = forno.token({ role: "staff", sub: "new board" });
  for (const token of [forno.customer, board]) {
    assertProblem(await ask(forno, "/api/orders", here, token, body), "rate-limited");
  }
  assert.equal((await ask(forno, "/api/orders", there, forno.customer, body)).status, 400);
  const [first] = held;
  first?.send(request.slice(-1));
  const [response] = await first?.responses(1) ?? [];
  assertProblem(response ?? assert.fail(), "invalid-body");
  // It has been parsed, and holds nothing, though its connection is open.
  assert.equal((await ask(forno, "/api/toppings", here)).status, 200);
  for (const wire of held) wire.destroy();
});

test("a body that may be longer than 16 KiB counts as ten requests", async (t) => {
  const pass = holdTime(t);
  const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
  await forno.write("POST", "/api/toppings", topping());
  const streamed = { "transfer-encoding": "chunked" };
  for (const [body, headers, others] of [
    [" ".repeat(16_384), {}, 9], [" ".repeat(16_385), {}, 0], ["{}", streamed, 0],
  ] as const) {
    pass(10_000);
    const sent = await forno.call("POST", "/api/toppings", { body, headers });
    assertProblem(sent, "not-authenticated");
    for (let count = 0; count < others; count += 1) {
      assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
    }
    assertProblem(await forno.call("GET", "/api/toppings/funghi"), "rate-limited");
  }
  // And for the account of a board at that address.
  const body = " ".repeat(16_385);
  assertProblem(await forno.asStaff("POST", "/api/toppings", body), "invalid-json");
  assertProblem(await forno.asStaff("GET", "/api/toppings/funghi"), "rate-limited");
  // Ten are more than may come at once: then it counts as all of these.
  const slow = await startForno(t, { env: { RATE_LIMIT: "0.5" } });
  for (const type of ["not-authenticated", "rate-limited"] as const) {
    assertProblem(await slow.call("POST", "/api/toppings", { body }), type);
  }
});
