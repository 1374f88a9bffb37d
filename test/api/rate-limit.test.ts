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

test("a client holds 200 streams, events and followed backups; the next one is 429", async (t) => {
  const forno = await startForno(t, { env: { TRUST_PROXY: "on", RATE_LIMIT: "1000" } });
  const headersFrom = (address: string) => (
    { "x-forwarded-for": address, authorization: `Bearer ${forno.staff}` });
  const open = async (path: string, address: string): Promise<IncomingMessage> => {
    const [response] = await once(
      get(forno.origin + path, { headers: headersFrom(address) }), "response");
    return (response as IncomingMessage).on("error", () => {}).resume();
  };
  const paths = ["/api/events", "/api/backup?follow=true"];
  const streams = await Promise.all(
    Array.from({ length: 200 }, (_, index) => open(paths[index % 2] ?? "", "192.0.2.1")));
  assert.ok(streams.every(({ statusCode }) => statusCode === 200));
  const headers = headersFrom("192.0.2.1");
  for (const path of paths) {
    const refused = await open(path, "192.0.2.1");
    assert.equal(refused.statusCode, 429);
    assert.match(refused.headers["retry-after"] ?? "", /^[1-9]\d*$/);
  }
  assert.equal((await forno.call("HEAD", "/api/events", { headers })).status, 200);
  const other = await open("/api/events", "192.0.2.2");
  assert.equal(other.statusCode, 200);
  streams.pop()?.destroy();
  let again = await open("/api/events", "192.0.2.1");
  // The server has yet to see that one is closed.
  while (again.statusCode === 429) again = await open("/api/events", "192.0.2.1");
  assert.equal((await open("/api/events", "192.0.2.1")).statusCode, 429);
  for (const stream of [...streams, other, again]) stream.destroy();
});
