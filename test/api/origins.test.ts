/**
 * Requests that come from elsewhere: pages of other sites (CORS, contract part 3), and, to a server
 * for its own machine, requests for another host or through a proxy that it was not told about
 * (part 1).
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { rawExchange, responsesTo } from "../helpers/raw-http.ts";
import { startLogged } from "../helpers/recorded-log.ts";
import { assertProblem } from "./assertions.ts";

const site = "https://shop.example";
const otherSite = "http://localhost:5173";
const foreignSites = [
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
    [`${site}, ${otherSite}`, true, [
      [site, site], [otherSite, otherSite],
      ...foreignSites.map((one) => [one, undefined] as const),
    ]],
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

const get = (target: string, fields: string, version = "1.1"): string =>
  `GET ${target} HTTP/${version}\r\n${fields}Connection: close\r\n\r\n`;

const shop = "/api/shop";

const own: readonly string[] = [
  ...[
    "localhost", "LOCALHOST:3000", "localhost.", "localhost.:80", "forno.localhost",
    "a.b.localhost.:3000", "127.0.0.1", "127.0.0.1:3000", "127.255.0.9", "127.0.0.1.", "[::1]",
    "[::1]:3000", "localhost:",
  ].map((host) => get(shop, `Host: ${host}\r\n`)),
  get(`http://localhost${shop}`, "Host: pizza.example\r\n"),
  get(`HTTP://[::1]:80${shop}`, "Host: \r\n"),
];

const foreign: readonly string[] = [
  ...[
    "", ":3000", "pizza.example", "localhost.pizza.example", "notlocalhost",
    "127.0.0.1.pizza.example", "10.0.0.1", "128.0.0.1", "0.0.0.0", "[::2]", "[::ffff:10.0.0.1]",
    "::1", "127.0.0.1234", "localhost..", "a..localhost", "x@a.localhost",
  ].map((host) => get(shop, `Host: ${host}\r\n`)),
  get(`http://pizza.example${shop}`, "Host: localhost\r\n"),
  get(`http://localhost@pizza.example${shop}`, "Host: localhost\r\n"),
  get(`http://${shop}`, "Host: localhost\r\n"),
  get(shop, "Host: localhost\r\nX-Forwarded-For: 127.0.0.1\r\n"),
  get(shop, "Host: localhost\r\nX-Forwarded-For: \r\n"),
  get(shop, "Host: localhost\r\nForwarded: for=127.0.0.1\r\n"),
  get(shop, "Host: localhost\r\nvia: 1.1 proxy\r\n"),
  get(shop, "Host: localhost\r\nX-Real-IP: 127.0.0.1\r\n"),
  get(shop, "Host: localhost\r\n", "1.0"),
  get(shop, "", "1.0"),
  get("/nowhere", "Host: pizza.example\r\n"),
  `DELETE ${shop} HTTP/1.1\r\nHost: pizza.example\r\nConnection: close\r\n\r\n`,
  `OPTIONS ${shop} HTTP/1.1\r\nHost: pizza.example\r\nOrigin: https://pizza.example\r\n`
    + "Access-Control-Request-Method: PUT\r\nConnection: close\r\n\r\n",
];

test("a name or address of this machine is served, and no other", async (t) => {
  const forno = await startForno(t, { env: { CORS_ORIGIN: "https://pizza.example" } });
  for (const request of own) {
    assert.match(await rawExchange(forno.port, request), /^HTTP\/1\.1 200 /, request);
  }
  for (const request of foreign) {
    const [response] = await responsesTo(forno.port, request);
    const { detail } = assertProblem(response ?? assert.fail(request), "not-exposed");
    assert.match(detail, /set TRUST_PROXY=on/, request);
    // Health checks are answered all the same.
    const health = request.replace(/^\w+ (http:\/\/[^/]*)?\S*/, "GET $1/healthz");
    assert.match(await rawExchange(forno.port, health), /^HTTP\/1\.1 200 /, health);
  }
});

test("where HOST or TRUST_PROXY says that others come in, each of them is served", async (t) => {
  for (const env of [{ HOST: "0.0.0.0" }, { TRUST_PROXY: "on" }]) {
    const forno = await startForno(t, { env: { ...env, RATE_LIMIT: "off" } });
    for (const request of [...own, ...foreign].filter((one) => one.includes(`${shop} HTTP`))) {
      const expected = /^(GET|OPTIONS)/.test(request) ? /^HTTP\/1\.1 20[04] / : /^HTTP\/1\.1 405 /;
      assert.match(await rawExchange(forno.port, request), expected, request);
    }
  }
});

test("the first such request of a start is an error in the log, with what to set", async (t) => {
  for (const [env, count] of [
    [{ HOST: "0.0.0.0" }, 0], [{ TRUST_PROXY: "on" }, 0], [{}, 1],
  ] as const) {
    for (const headers of [{ "x-forwarded-for": "203.0.113.9" }, { host: "pizza.example" }]) {
      const forno = await startLogged(t, "error", env);
      for (const _ of [1, 2, 3]) await forno.call("GET", shop, { headers });
      const lines = forno.logLines().map(({ level, msg }) =>
        [level, /TRUST_PROXY=on/.test(`${msg}`)]);
      assert.deepEqual(lines, Array(count).fill(["error", true]), JSON.stringify(env));
    }
  }
});
