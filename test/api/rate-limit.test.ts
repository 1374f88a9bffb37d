/**
 * RATE_LIMIT (contract parts 1 and 3): a burst of ten seconds' worth, then 429 until the bucket
 * refills; who counts as one client; what is never counted. No test waits for a refill: each asks
 * until it is refused, which a slow machine only delays.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { type CallInit, type Client, startForno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";

const site = "https://pizza.example";
const env = { RATE_LIMIT: "1", CORS_ORIGIN: site };
const preflightOf = (origin: string): CallInit =>
  ({ headers: { origin, "access-control-request-method": "PUT" } });

/** The statuses of forty requests, which cannot all be within the rate, in their order. */
async function statusesOf(
  forno: Client, line: string, init: (asked: number) => CallInit = () => ({}),
): Promise<number[]> {
  const [method = "", path = ""] = line.split(" ");
  const statuses = new Set<number>();
  for (let asked = 0; asked < 40; asked += 1) {
    statuses.add((await forno.call(method, path, init(asked))).status);
  }
  return [...statuses];
}

test("a burst of ten seconds' worth is served, then 429 with Retry-After", async (t) => {
  const forno = await startForno(t, { env });
  for (let asked = 0; asked < 10; asked += 1) {
    assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200, `request ${asked}`);
  }
  let refused = await forno.call("GET", "/api/toppings");
  for (let asked = 0; refused.status === 200 && asked < 200; asked += 1) {
    refused = await forno.call("GET", "/api/toppings");
  }
  assertProblem(refused, "rate-limited");
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
});

for (const [line, otherwise, init] of [
  ["POST /api/toppings", 401, { token: "no", body: "no" }],
  ["GET /api/nothing-here", 404],
  ["POST /", 405],
  ["OPTIONS /nothing-here", 404],
  [`GET ${"/%".repeat(100)}`, 404],
  ["GET /api/toppings?%&%", 400],
  ["GET /healthz?x", 200],
  ["GET /readyz/", 200],
  ["POST /healthz", 405],
  ["POST /readyz", 405],
  ["OPTIONS /api/toppings", 204, { headers: { origin: site } }],
  // A page that may read nothing anyway.
  ["OPTIONS /api/toppings", 204, preflightOf("https://evil.example")],
  ["OPTIONS /api/toppings", 204, preflightOf("")],
] as const) {
  test(`the rate comes before anything else of ${line.slice(0, 30)} (${otherwise})`, async (t) => {
    const forno = await startForno(t, { env });
    assert.deepEqual(await statusesOf(forno, line, () => init ?? {}), [otherwise, 429]);
    for (const path of ["/healthz", "/readyz"]) {
      for (const method of ["GET", "HEAD"]) {
        assert.equal((await forno.call(method, path)).status, 200, `${method} ${path}`);
      }
    }
  });
}

test("health checks and preflights, which could not read why, are never counted", async (t) => {
  const forno = await startForno(t, { env });
  for (const [line, status, init] of [
    ["GET /healthz", 200], ["GET /readyz", 200], ["OPTIONS /api/toppings", 204, preflightOf(site)],
  ] as const) {
    assert.deepEqual(await statusesOf(forno, line, () => init ?? {}), [status]);
  }
  for (let asked = 0; asked < 10; asked += 1) {
    assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200, `request ${asked}`);
  }
});

for (const TRUST_PROXY of ["off", "on"]) {
  test(`TRUST_PROXY=${TRUST_PROXY}: X-Forwarded-For names a client, or nobody`, async (t) => {
    const forno = await startForno(t, { env: { ...env, TRUST_PROXY } });
    const statuses = await statusesOf(forno, "GET /api/toppings", (asked) => (
      { headers: { "x-forwarded-for": `203.0.113.${asked}` } }));
    assert.deepEqual(statuses, TRUST_PROXY === "on" ? [200] : [200, 429]);
  });
}

/** Opens event streams until one is refused, and resolves to those that are open. */
async function streamsUntilRefused(
  forno: Client, headers: Record<string, string>,
): Promise<IncomingMessage[]> {
  const streams: IncomingMessage[] = [];
  while (streams.length < 300) {
    const [response] = await once(get(`${forno.origin}/api/events`, { headers }), "response");
    const stream = (response as IncomingMessage).on("error", () => {}).resume();
    if (stream.statusCode === 200) streams.push(stream);
    else {
      assert.equal(stream.statusCode, 429);
      assert.match(stream.headers["retry-after"] ?? "", /^[1-9]\d*$/);
      return streams;
    }
  }
  return assert.fail("300 streams are open");
}

test("a client holds 200 streams, and each sub of staff and readers 50 beside them", async (t) => {
  const forno = await startForno(t, { env: { TRUST_PROXY: "on", RATE_LIMIT: "1000" } });
  const as = (address: string, claims?: object): Record<string, string> => ({
    "x-forwarded-for": address,
    ...(claims !== undefined && { authorization: `Bearer ${forno.token({ ...claims })}` }),
  });
  const open: IncomingMessage[] = [];
  for (const [headers, most] of [
    [as("192.0.2.1", { role: "customer", sub: "guest" }), 200],
    [as("192.0.2.1"), 0],
    [as("192.0.2.1", { role: "reader" }), 0],
    [as("192.0.2.1", { role: "staff", sub: "board" }), 50],
    [as("192.0.2.2", { role: "staff", sub: "board" }), 0],
    [as("192.0.2.1", { role: "reader", sub: "display" }), 50],
  ] as const) {
    const streams = await streamsUntilRefused(forno, headers);
    assert.equal(streams.length, most, JSON.stringify(headers));
    open.push(...streams);
    assert.equal((await forno.call("HEAD", "/api/events", { headers })).status, 200);
  }
  const metrics = async (): Promise<string> => (await forno.asStaff("GET", "/metrics")).text;
  assert.match(await metrics(), /^forno_streams 300$/m);
  // A client who leaves frees its stream at once: nothing has changed, and no heartbeat is due.
  open.pop()?.destroy();
  while (/^forno_streams 300$/m.test(await metrics()));
  assert.match(await metrics(), /^forno_streams 299$/m);
  const display = as("192.0.2.1", { role: "reader", sub: "display" });
  const again = await streamsUntilRefused(forno, display);
  assert.equal(again.length, 1);
  for (const stream of [...open, ...again]) stream.destroy();
});

test("only stored orders take a guest's place, and no more places than there are", async (t) => {
  const forno = await startForno(t, { env: { GUEST_ORDERS: "on" } });
  const order = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  const place = async (body: object, query = ""): Promise<number> =>
    (await forno.call("POST", `/api/orders${query}`, { token: forno.customer, body })).status;
  for (let asked = 0; asked < 40; asked += 1) assert.equal(await place({}), 400);
  assert.equal(await place(order, "?dryRun=true"), 400);
  const statuses = await Promise.all(Array.from({ length: 90 }, () => place(order)));
  const stored = statuses.filter((status) => status === 201).length;
  // Ten a minute come in addition, however slow the machine.
  assert.ok(stored >= 30 && stored < 60, `${stored} were stored`);
  assert.equal(statuses.filter((status) => status === 429).length, 90 - stored);
});
