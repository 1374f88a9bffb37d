/** CORS (contract parts 1 and 3): which origins may read answers, and what a preflight is told. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, type Response, startForno } from "../helpers/forno.ts";

const shop = "https://shop.example";
const asked = ["authorization", "content-type", "if-match", "last-event-id"];

function preflight(
  forno: Client, origin: string, path = "/api/toppings", method = "POST",
): Promise<Response> {
  return forno.call("OPTIONS", path, { headers: {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": asked.join(),
  } });
}

/** The origin that a read and a preflight let in, and whether both say that answers vary. */
async function letIn(forno: Client, origin: string): Promise<unknown[]> {
  const read = await forno.call("GET", "/api/toppings", { headers: { origin } });
  const asking = await preflight(forno, origin);
  assert.deepEqual([read.status, asking.status, asking.text], [200, 204, ""]);
  const [one, other] = [read, asking].map(({ headers }) => [
    headers.get("access-control-allow-origin"), /\borigin\b/i.test(headers.get("vary") ?? ""),
  ]);
  assert.deepEqual(one, other);
  return one ?? [];
}

test("no origin is let in without CORS_ORIGIN, and every one with *", async (t) => {
  assert.deepEqual(await letIn(await startForno(t), shop), [undefined, false]);
  const open = await startForno(t, { env: { CORS_ORIGIN: "*" } });
  assert.deepEqual(await letIn(open, shop), ["*", false]);
});

test("a list of origins lets in exactly those, and says that answers vary", async (t) => {
  const env = { CORS_ORIGIN: `${shop}, http://localhost:5173` };
  const forno = await startForno(t, { env });
  for (const origin of [shop, "http://localhost:5173"]) {
    assert.deepEqual(await letIn(forno, origin), [origin, true]);
  }
  for (const origin of [
    "https://evil.example", "http://shop.example", "https://evilshop.example",
    `${shop}.example`, shop.slice(0, -1), `${shop}:8443`, `${shop}/`, "https://SHOP.example",
    `${shop}, https://evil.example`, "null", "*",
  ]) {
    assert.deepEqual(await letIn(forno, origin), [undefined, true], origin);
  }
});

test("a preflight allows the path's methods and their header fields", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: shop } });
  for (const [path, method] of [
    ["/api/orders", "POST"], ["/api/orders/1", "PATCH"], ["/api/toppings/funghi", "DELETE"],
    ["/api/events", "GET"],
  ] as const) {
    const { headers } = await preflight(forno, shop, path, method);
    const [methods = "", fields = ""] = ["methods", "headers"].map((what) =>
      headers.get(`access-control-allow-${what}`)?.toLowerCase());
    assert.ok(methods.split(/, ?/).includes(method.toLowerCase()), `${method} ${path}`);
    assert.deepEqual(asked.filter((name) => !fields.split(/, ?/).includes(name)), []);
  }
});
