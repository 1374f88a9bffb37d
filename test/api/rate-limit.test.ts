/**
 * RATE_LIMIT (contract parts 1 and 3): a burst of ten seconds' worth, then 429
 * until the bucket refills; who counts as one client; what is never counted. No test waits for a
 * refill: each asks until it is refused, which a slow machine only delays.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { type CallInit, type Client, type Response, startForno } from "../helpers/forno.ts";

const from = (address: string): CallInit => ({ headers: { "x-forwarded-for": address } });

/** Asks until refused. At one a second, 200 requests cannot all be within the rate. */
async function exhaust(forno: Client, init: CallInit = {}): Promise<Response> {
  for (let asked = 0; asked < 200; asked += 1) {
    const response = await forno.call("GET", "/api/toppings", init);
    if (response.status !== 200) return response;
  }
  return assert.fail("Expected a refusal within 200 requests, got none");
}

test("a burst of ten seconds' worth is served, then 429 with Retry-After", async (t) => {
  const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
  for (let asked = 0; asked < 10; asked += 1) {
    assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200, `request ${asked}`);
  }
  const refused = await exhaust(forno);
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(refused.json.type, "/problems/rate-limited");
  assert.equal(refused.json.status, 429);
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.notEqual(refused.headers.get("x-request-id"), undefined);
});

test("the refusal comes before the token and the body are looked at", async (t) => {
  const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
  await exhaust(forno);
  // A request may find a second's refill: of thirty in a row, one at least does not.
  const statuses = new Set<number>();
  for (let asked = 0; asked < 30; asked += 1) {
    statuses.add((await forno.call("POST", "/api/toppings", { body: "no", token: "no" })).status);
  }
  assert.ok(statuses.has(429));
  assert.ok([...statuses].every((status) => status === 429 || status === 401));
});

test("unknown paths and methods count, and are refused, like all others", async (t) => {
  for (const [method, path, otherwise] of [
    ["GET", "/api/nothing-here", 404], ["POST", "/", 405], ["OPTIONS", "/nothing-here", 404],
  ] as const) {
    const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
    const statuses = new Set<number>();
    for (let asked = 0; asked < 40; asked += 1) {
      statuses.add((await forno.call(method, path)).status);
    }
    assert.deepEqual([...statuses], [otherwise, 429], path);
    assert.equal((await exhaust(forno)).status, 429);
  }
});

test("what a path or a query costs to understand is paid after the rate", async (t) => {
  const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
  await exhaust(forno);
  for (const path of ["/%".repeat(100), "/api/toppings?%&%", "/healthz?x", "/readyz/"]) {
    const statuses = new Set<number>();
    for (let asked = 0; asked < 30; asked += 1) {
      statuses.add((await forno.call("GET", path)).status);
    }
    assert.ok(statuses.has(429), path);
  }
});

test("health and readiness are for asking: another method counts, and is refused", async (t) => {
  for (const path of ["/healthz", "/readyz"]) {
    const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
    const statuses = new Set<number>();
    for (let asked = 0; asked < 40; asked += 1) {
      statuses.add((await forno.call("POST", path)).status);
    }
    assert.deepEqual([...statuses], [405, 429], path);
    assert.equal((await forno.call("GET", path)).status, 200);
    assert.equal((await forno.call("HEAD", path)).status, 200);
  }
});

test("a preflight is not refused: the page could not read why", async (t) => {
  const env = { RATE_LIMIT: "1", CORS_ORIGIN: "*" };
  const forno = await startForno(t, { env });
  await exhaust(forno);
  const origin = "https://pizza.example";
  const preflight = { origin, "access-control-request-method": "PUT" };
  for (let asked = 0; asked < 20; asked += 1) {
    const response = await forno.call("OPTIONS", "/api/toppings", { headers: preflight });
    assert.equal(response.status, 204);
  }
  for (let asked = 0; asked < 40; asked += 1) {
    const response = await forno.call("OPTIONS", "/api/toppings", { headers: { origin } });
    if (response.status !== 429) continue;
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    return;
  }
  assert.fail("Expected 429 within 40, got none");
});

test("a preflight from a page that may read nothing anyway is limited", async (t) => {
  const env = { RATE_LIMIT: "1", CORS_ORIGIN: "https://pizza.example" };
  const forno = await startForno(t, { env });
  await exhaust(forno);
  for (const origin of ["https://evil.example", ""]) {
    const headers = { origin, "access-control-request-method": "PUT" };
    const asked = Array.from({ length: 20 }, () =>
      forno.call("OPTIONS", "/api/toppings", { headers }));
    assert.ok((await Promise.all(asked)).some(({ status }) => status === 429), origin);
  }
});

test("health and readiness are never refused and never counted", async (t) => {
  const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
  for (let asked = 0; asked < 20; asked += 1) {
    assert.equal((await forno.call("GET", "/healthz")).status, 200);
    assert.equal((await forno.call("GET", "/readyz")).status, 200);
  }
  for (let asked = 0; asked < 10; asked += 1) {
    assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200, `request ${asked}`);
  }
  await exhaust(forno);
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
  assert.equal((await forno.call("GET", "/readyz")).status, 200);
});

test("without TRUST_PROXY a client cannot pass for another by X-Forwarded-For", async (t) => {
  const forno = await startForno(t, { env: { RATE_LIMIT: "1" } });
  await exhaust(forno);
  const statuses = new Set<number>();
  for (let asked = 0; asked < 30; asked += 1) {
    statuses.add((await forno.call("GET", "/api/toppings", from(`203.0.113.${asked}`))).status);
  }
  assert.ok(statuses.has(429));
});

test("a client holds 200 streams, events and followed backups; the next one is 429", async (t) => {
  const forno = await startForno(t, { env: { TRUST_PROXY: "on", RATE_LIMIT: "1000" } });
  const open = async (path: string, address: string): Promise<IncomingMessage> => {
    const headers = { "x-forwarded-for": address, authorization: `Bearer ${forno.staff}` };
    const [response] = await once(get(forno.origin + path, { headers }), "response");
    return (response as IncomingMessage).on("error", () => {}).resume();
  };
  const paths = ["/api/events", "/api/backup?follow=true"];
  const streams = await Promise.all(
    Array.from({ length: 200 }, (_, index) => open(paths[index % 2] ?? "", "192.0.2.1")),
  );
  assert.ok(streams.every(({ statusCode }) => statusCode === 200));
  for (const path of paths) {
    const refused = await forno.call("GET", path, { ...from("192.0.2.1"), token: forno.staff });
    assert.equal(refused.json.type, "/problems/rate-limited");
    assert.match(refused.json.detail, /at most 200 of one client/);
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  }
  assert.equal((await forno.call("HEAD", "/api/events", from("192.0.2.1"))).status, 200);
  streams.push(await open("/api/events", "192.0.2.2"));
  streams.pop()?.destroy();
  streams.pop()?.destroy();
  let again = await open("/api/events", "192.0.2.1");
  // The server has yet to see that one is closed.
  while (again.statusCode === 429) again = await open("/api/events", "192.0.2.1");
  for (const stream of [...streams, again]) stream.destroy();
});
