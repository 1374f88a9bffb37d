/** CORS (contract part 3): which origins are let in, and what a preflight allows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, type Response, startForno } from "../helpers/forno.ts";

const site = "https://shop.example";
const other = "http://localhost:5173";
const foreign = [
  "https://evil.example", "http://shop.example", "https://evilshop.example", `${site}.example`,
  site.slice(0, -1), `${site}:8443`, `${site}/`, "https://SHOP.example",
  `${site}, https://evil.example`, "null", "*",
];
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

test("the origins of CORS_ORIGIN are let in, and a list says that answers vary", async (t) => {
  for (const [CORS_ORIGIN, varies, origins] of [
    ["", false, [[site, undefined]]],
    ["*", false, [[site, "*"]]],
    [`${site}, ${other}`, true,
      [[site, site], [other, other], ...foreign.map((one) => [one, undefined] as const)]],
  ] as const) {
    const forno = await startForno(t, { env: { CORS_ORIGIN } });
    for (const [origin, allowed] of origins) {
      const read = await forno.call("GET", "/api/toppings", { headers: { origin } });
      const asking = await preflight(forno, origin);
      assert.deepEqual([read.status, asking.status, asking.text], [200, 204, ""]);
      for (const { headers } of [read, asking]) {
        assert.equal(headers.get("access-control-allow-origin"), allowed, origin);
        assert.equal(/\borigin\b/i.test(headers.get("vary") ?? ""), varies, origin);
      }
    }
  }
});

test("a preflight allows the path's methods and their header fields", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: site } });
  for (const [path, method] of [
    ["/api/orders", "POST"], ["/api/orders/1", "PATCH"], ["/api/toppings/funghi", "DELETE"],
    ["/api/events", "GET"],
  ] as const) {
    const { headers } = await preflight(forno, site, path, method);
    const [methods = [], fields = []] = ["methods", "headers"].map((what) =>
      headers.get(`access-control-allow-${what}`)?.toLowerCase().split(/, ?/));
    assert.ok(methods.includes(method.toLowerCase()), `${method} ${path}`);
    assert.deepEqual(asked.filter((name) => !fields.includes(name)), []);
  }
});
