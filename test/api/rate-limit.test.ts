/**
 * RATE_LIMIT (contract parts 1 and 3): a burst of ten seconds' worth, then 429 until the bucket
 * refills; which requests are never counted; the bucket itself, and who is one client.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { clientOf, createRateLimit, type RateLimit } from "../../src/http/rate-limit.ts";
import { type CallInit, type Client, startForno } from "../helpers/forno.ts";
import { holdTime, until } from "../helpers/patience.ts";
import { assertProblem } from "./assertions.ts";

const site = "https://pizza.example";
const env = { RATE_LIMIT: "1", CORS_ORIGIN: site };
const preflightOf = (origin: string): CallInit["headers"] =>
  ({ origin, "access-control-request-method": "PUT" });

/** The statuses of eleven requests, one more than the burst. */
async function statusesOf(
  forno: Client, line: string, headers: CallInit["headers"] = {},
): Promise<number[]> {
  const [method = "", path = ""] = line.split(" ");
  const statuses: number[] = [];
  for (let asked = 0; asked < 11; asked += 1) {
    statuses.push((await forno.call(method, path, { headers })).status);
  }
  return statuses;
}

test("a burst of ten seconds' worth is served, then 429 with Retry-After", async (t) => {
  const pass = holdTime(t);
  // Without TRUST_PROXY the header means nothing, and all of these are one client.
  const forno = await startForno(t, { env: { ...env, HOST: "0.0.0.0" } });
  const ask = (asked: number) => forno.call("GET", "/api/toppings/funghi",
    { headers: { "x-forwarded-for": `203.0.113.${asked}` } });
  for (let asked = 0; asked < 10; asked += 1) assert.equal((await ask(asked)).status, 200);
  const refused = await ask(10);
  assertProblem(refused, "rate-limited");
  assert.equal(refused.headers.get("retry-after"), "1");
  pass(1_000);
  assert.deepEqual([(await ask(11)).status, (await ask(12)).status], [200, 429]);
});

test("the rate comes before everything else", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: { ...env, TRUST_PROXY: "on" } });
  for (const [index, [line, otherwise, headers]] of ([
    ["POST /api/toppings", 401, { authorization: "Bearer no" }],
    ["GET /api/nothing-here", 404],
    ["POST /", 405],
    ["OPTIONS /nothing-here", 404],
    [`GET ${"/%".repeat(100)}`, 404],
    ["GET /api/toppings?%&%", 400],
    ["GET /healthz?x", 200],
    ["GET /readyz/", 200],
    ["POST /healthz", 405],
    ["POST /readyz", 405],
    ["OPTIONS /api/toppings", 204, { origin: site }],
    // A page that may read nothing anyway.
    ["OPTIONS /api/toppings", 204, preflightOf("https://evil.example")],
    ["OPTIONS /api/toppings", 204, preflightOf("")],
  ] as const).entries()) {
    // Each from a client of its own.
    const from = { "x-forwarded-for": `203.0.113.${index}` };
    const statuses = await statusesOf(forno, line, { ...headers, ...from });
    assert.deepEqual(statuses, [...Array(10).fill(otherwise), 429], line);
  }
});

test("health checks and preflights, which could not read why, are never counted", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env });
  for (const [line, status, headers] of [
    ["GET /healthz", 200], ["GET /readyz", 200], ["HEAD /readyz", 200],
    ["OPTIONS /api/toppings", 204, preflightOf(site)],
  ] as const) {
    assert.deepEqual(await statusesOf(forno, line, headers), Array(11).fill(status));
  }
  const statuses = await statusesOf(forno, "GET /api/toppings/funghi");
  assert.deepEqual(statuses, [...Array(10).fill(200), 429]);
});

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
  await until(async () => /^forno_streams 299$/m.test(await metrics()));
  const display = as("192.0.2.1", { role: "reader", sub: "display" });
  const again = await streamsUntilRefused(forno, display);
  assert.equal(again.length, 1);
  for (const stream of [...open, ...again]) stream.destroy();
});

/** How many requests in a row are allowed before the first refusal. */
function allowedInARow(limit: RateLimit, client = "192.0.2.1"): number {
  for (let count = 0; count < 1000; count += 1) if (limit.take(client) !== 0) return count;
  return assert.fail("never refused");
}

test("a client that waits as long as told is let in, and what is given back is free", () => {
  let now = 0;
  const limit = createRateLimit({ perSecond: 0.1, burst: 2, nowMs: () => now });
  assert.equal(allowedInARow(limit), 2);
  // Asking before loses nothing.
  const asked = [[0, 10], [2500, 8], [9000, 1], [9999, 1], [10_000, 0], [10_000, 10]] as const;
  for (const [at, wait] of asked) {
    now = at;
    assert.equal(limit.take("192.0.2.1"), wait, `at ${at}`);
  }
  limit.giveBack("192.0.2.1");
  assert.equal(allowedInARow(limit), 1);
  now = 19_999;
  assert.equal(allowedInARow(limit), 0);
  // Up to the burst and no further, also for who gives back more than it took.
  now = 1e9;
  for (let count = 0; count < 3; count += 1) limit.giveBack("192.0.2.1");
  limit.giveBack("never seen");
  assert.equal(allowedInARow(limit), 2);
});

const ipv4 = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

test("a rate is forgotten once thousands of others have come since its client asked", () => {
  const limit = createRateLimit({ perSecond: 1 / 6, burst: 10, nowMs: () => 0 });
  const client = "192.0.2.1";
  let others = 0;
  const come = (count: number): void => {
    for (const end = others + count; others < end; others += 1) limit.take(ipv4(others));
  };
  assert.equal(allowedInARow(limit, client), 10);
  for (let round = 0; round < 20; round += 1) {
    come(8_000);
    assert.equal(limit.take(client), 6, "a refusal is asking, too");
  }
  limit.giveBack(client);
  come(8_000);
  assert.equal(allowedInARow(limit, client), 1);
  come(17_000);
  assert.equal(allowedInARow(limit, client), 10);
});

test("a client is an IPv4 address, mapped or not, or an IPv6 /64", () => {
  const clients = [
    ["192.0.2.33", "::ffff:192.0.2.33", "::FFFF:c000:221", "0:0:0:0:0:ffff:192.0.2.33"],
    ["192.0.2.34", "::ffff:192.0.2.34"],
    ["2001:db8::1", "2001:db8:0:0:ffff::2", "2001:0DB8::", "2001:db8:0:0:0:0:192.0.2.33"],
    ["2001:db8:0:1::1", "2001:db8:0:1:2:3:4:5"],
    ["fe80::1%eth0", "fe80::2%eth0"],
    ["::1", "::", "::2"],
    ["1::", "1:0:0:0::7"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4::"],
    ["unknown"],
  ];
  const names = clients.map((spellings) => {
    const [name, ...others] = new Set(spellings.map((one) => clientOf(one, undefined)));
    assert.deepEqual(others, [], spellings.join());
    return name;
  });
  assert.equal(new Set(names).size, clients.length);
});

test("the address is the last hop of a trusted proxy's X-Forwarded-For", () => {
  const own = "192.0.2.1";
  for (const [forwardedFor, expected] of [
    ["10.0.0.1, 198.51.100.7", "198.51.100.7"],
    ["10.0.0.1,198.51.100.7 ", "198.51.100.7"],
    ["198.51.100.7:4711", "198.51.100.7"],
    ["2001:db8::7", "2001:db8:0:0::/64"],
    ["[2001:db8::7]", "2001:db8:0:0::/64"],
    ["10.0.0.1, [2001:db8::7]:4711", "2001:db8:0:0::/64"],
    [undefined, own],
    ["", own],
    ["198.51.100.7,", own],
    ["198.51.100.7, <script>", own],
    ["300.0.0.1", own],
    ["[198.51.100.7", own],
  ] as const) {
    assert.equal(clientOf(own, forwardedFor), expected);
  }
  assert.equal(clientOf(undefined, undefined), "unknown");
});
