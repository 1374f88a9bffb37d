/** CORS (contract parts 1 and 3): which origins may read answers, and what a preflight is told. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { CallInit, Forno, Response } from "../helpers/forno.ts";

const shop = "https://shop.example";
const exposed = ["etag", "link", "location", "retry-after", "x-request-id", "x-total-count"];
const list = "/api/toppings";

function from(forno: Forno, origin: string, method = "GET", path = list): Promise<Response> {
  return forno.call(method, path, { headers: { origin } });
}

function preflight(forno: Forno, origin: string, path: string, method: string): Promise<Response> {
  const headers = {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization,content-type,if-match,last-event-id",
  };
  return forno.call("OPTIONS", path, { headers });
}

function namesIn(header: string | undefined): string[] {
  return (header ?? "").toLowerCase().split(",").map((name) => name.trim()).sort();
}

test("without CORS_ORIGIN no origin is let in", async (t) => {
  const forno = await startForno(t);
  for (const asked of [from(forno, shop), preflight(forno, shop, list, "POST")]) {
    const response = await asked;
    assert.equal(response.headers.get("access-control-allow-origin"), undefined);
  }
});

for (const CORS_ORIGIN of ["*", shop]) {
  test(`CORS_ORIGIN=${CORS_ORIGIN}: a page reads answers and their headers`, async (t) => {
    const forno = await startForno(t, { env: { CORS_ORIGIN } });
    const { staff, customer } = forno;
    const rows: readonly (readonly [number, method: string, path: string, CallInit?])[] = [
      [200, "GET", list],
      [404, "GET", `${list}/nothing`],
      [404, "GET", "/nowhere"],
      [204, "OPTIONS", list],
      [404, "OPTIONS", "/nowhere"],
      [405, "DELETE", list],
      [401, "POST", list],
      [403, "POST", list, { token: customer, body: {} }],
      [400, "POST", list, { token: staff, body: {} }],
      [413, "POST", list, { token: staff, body: " ".repeat(65_537) }],
      [400, "GET", `${list}?nonsense=1`],
    ];
    for (const [status, method, path, init] of rows) {
      const response = await forno.call(method, path, { ...init, headers: { origin: shop } });
      assert.equal(response.status, status);
      assert.equal(response.headers.get("access-control-allow-origin"), CORS_ORIGIN, response.text);
      assert.equal(response.headers.get("access-control-allow-credentials"), undefined);
      const names = namesIn(response.headers.get("access-control-expose-headers"));
      for (const name of exposed) assert.ok(names.includes(name), name);
    }
  });
}

test("a list of origins lets in exactly those, and says that answers vary", async (t) => {
  const env = { CORS_ORIGIN: `${shop}, http://localhost:5173` };
  const forno = await startForno(t, { env });
  for (const origin of [shop, "http://localhost:5173"]) {
    const response = await from(forno, origin);
    assert.equal(response.headers.get("access-control-allow-origin"), origin);
    assert.match(response.headers.get("vary") ?? "", /\borigin\b/i);
  }
  const strangers = [
    "https://evil.example", `${shop}.example`, "http://shop.example", "https://evilshop.example",
    `${shop}:8443`, "https://SHOP.example", `${shop}, https://evil.example`, `${shop}/`, "null",
    "*",
  ];
  for (const origin of strangers) {
    assertNotLetIn(await from(forno, origin), 200);
    assertNotLetIn(await preflight(forno, origin, list, "POST"), 204);
  }
  assertNotLetIn(await forno.call("GET", list), 200);
});

function assertNotLetIn({ status, headers }: Response, expected: number): void {
  assert.equal(status, expected);
  assert.equal(headers.get("access-control-allow-origin"), undefined);
  assert.match(headers.get("vary") ?? "", /\borigin\b/i);
}

test("a preflight is 204 and allows the path's methods and their headers", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: shop } });
  const asked = [["/api/orders", "POST"], ["/api/orders/1", "PUT"], ["/api/orders/1", "PATCH"],
    ["/api/toppings/funghi", "DELETE"], ["/api/events", "GET"]] as const;
  for (const [path, method] of asked) {
    const response = await preflight(forno, shop, path, method);
    assert.deepEqual([response.status, response.text], [204, ""]);
    assert.equal(response.headers.get("access-control-allow-origin"), shop);
    const methods = namesIn(response.headers.get("access-control-allow-methods"));
    assert.ok(methods.includes(method.toLowerCase()), `${method} ${path}`);
    const headers = namesIn(response.headers.get("access-control-allow-headers"));
    for (const name of ["authorization", "content-type", "if-match", "last-event-id"]) {
      assert.ok(headers.includes(name), name);
    }
  }
});
