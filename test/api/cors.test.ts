/** CORS (contract parts 1 and 3): which origins may read answers, and what a preflight is told. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Answer, CallInit, Forno } from "../helpers/forno.ts";

const shop = "https://shop.example";
const exposed = ["etag", "link", "location", "retry-after", "x-request-id", "x-total-count"];
const list = "/api/toppings";

function from(forno: Forno, origin: string, method = "GET", path = list): Promise<Answer> {
  return forno.call(method, path, { headers: { origin } });
}

function preflight(forno: Forno, origin: string, path: string, method: string): Promise<Answer> {
  const headers = {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization,content-type,if-match",
  };
  return forno.call("OPTIONS", path, { headers });
}

function namesIn(header: string | undefined): string[] {
  return (header ?? "").toLowerCase().split(",").map((name) => name.trim()).sort();
}

test("without CORS_ORIGIN no origin is let in", async (t) => {
  const forno = await startForno(t);
  for (const asked of [from(forno, shop), preflight(forno, shop, list, "POST")]) {
    const answer = await asked;
    assert.equal(answer.headers.get("access-control-allow-origin"), undefined);
  }
});

test("CORS_ORIGIN=* lets every origin read answers and their headers, refusals too", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: "*" } });
  for (const [method, path, status] of [
    ["GET", "/api/toppings", 200],
    ["GET", "/api/toppings/nothing", 404],
    ["POST", "/api/toppings", 401],
    ["GET", "/nowhere", 404],
    ["OPTIONS", "/api/toppings", 204],
    ["OPTIONS", "/nowhere", 404],
  ] as const) {
    const answer = await from(forno, shop, method, path);
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.equal(answer.headers.get("access-control-allow-credentials"), undefined);
    const names = namesIn(answer.headers.get("access-control-expose-headers"));
    for (const name of exposed) assert.ok(names.includes(name), name);
  }
});

test("a list of origins lets in exactly those, and says that answers vary", async (t) => {
  const env = { CORS_ORIGIN: `${shop}, http://localhost:5173` };
  const forno = await startForno(t, { env });
  for (const origin of [shop, "http://localhost:5173"]) {
    const answer = await from(forno, origin);
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
    assert.match(answer.headers.get("vary") ?? "", /\borigin\b/i);
  }
  const strangers = [
    "https://evil.example", `${shop}.example`, "http://shop.example", "https://evilshop.example",
    `${shop}:8443`, "https://SHOP.example", `${shop}, https://evil.example`, `${shop}/`, "null", "*",
  ];
  for (const origin of strangers) {
    const answer = await from(forno, origin);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("access-control-allow-origin"), undefined);
    assert.match(answer.headers.get("vary") ?? "", /\borigin\b/i);
  }
});

test("a preflight is 204 and allows the path's methods and their headers", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: shop } });
  const writes = [["/api/orders", "POST"], ["/api/orders/1", "PUT"], ["/api/orders/1", "PATCH"],
    ["/api/toppings/funghi", "DELETE"]] as const;
  for (const [path, method] of writes) {
    const answer = await preflight(forno, shop, path, method);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.equal(answer.headers.get("access-control-allow-origin"), shop);
    const methods = namesIn(answer.headers.get("access-control-allow-methods"));
    assert.ok(methods.includes(method.toLowerCase()), `${method} ${path}`);
    const headers = namesIn(answer.headers.get("access-control-allow-headers"));
    for (const name of ["authorization", "content-type", "if-match"]) {
      assert.ok(headers.includes(name), name);
    }
  }
});

test("a preflight from a stranger is answered and allows nothing", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: shop } });
  const answer = await preflight(forno, "https://evil.example", list, "POST");
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get("access-control-allow-origin"), undefined);
});

test("where a list decides, an answer to no origin varies by it too", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: shop } });
  const answer = await forno.call("GET", list);
  assert.equal(answer.headers.get("access-control-allow-origin"), undefined);
  assert.match(answer.headers.get("vary") ?? "", /\borigin\b/i);
});

test("a page may read every kind of refusal", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: shop, BODY_LIMIT: "100" } });
  const { staff, customer } = forno;
  const headers = { origin: shop };
  const refusals: readonly [number, string, string, CallInit][] = [
    [405, "DELETE", list, {}],
    [403, "POST", list, { token: customer, body: {} }],
    [400, "POST", list, { token: staff, body: {} }],
    [413, "POST", list, { token: staff, body: " ".repeat(101) }],
    [400, "GET", `${list}?nonsense=1`, {}],
  ];
  for (const [status, method, path, init] of refusals) {
    const answer = await forno.call(method, path, { ...init, headers });
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get("access-control-allow-origin"), shop, answer.text);
    const names = namesIn(answer.headers.get("access-control-expose-headers"));
    assert.ok(names.includes("x-request-id"));
  }
});

test("a preflight allows what the event stream is asked with", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: shop } });
  const headers = {
    origin: shop,
    "access-control-request-method": "GET",
    "access-control-request-headers": "authorization,last-event-id",
  };
  const answer = await forno.call("OPTIONS", "/api/events", { headers });
  assert.equal(answer.status, 204);
  const names = namesIn(answer.headers.get("access-control-allow-headers"));
  for (const name of ["authorization", "last-event-id"]) assert.ok(names.includes(name), name);
});
