/** Paths and methods (contract part 3): the index, health, HEAD, OPTIONS, 404, 405, slashes. */

import assert from "node:assert/strict";
import { promises } from "node:fs";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";

test("GET /api names the service and its version, and its links lead somewhere", async (t) => {
  const forno = await startForno(t);
  const { json } = await forno.call("GET", "/api");
  assert.equal(json.name, "Forno");
  assert.match(json.version, /^\d+\.\d+\.\d+/);
  for (const kind of ["toppings", "pizzasizes", "beverages", "orders", "shop"]) {
    assert.equal(json.links[kind], `/api/${kind}`);
  }
  for (const link of Object.values<string>(json.links)) {
    assert.equal((await forno.call("OPTIONS", link)).status, 204, link);
  }
});

test("GET /readyz is 503 on a full or failing disk, and reads go on", async (t) => {
  const full = { blocks: 1_000, bfree: 0, bavail: 0, bsize: 4_096 };
  for (const [code, status, detail] of [
    [undefined, 503, /got 0$/], ["EIO", 503, /does not tell its free space/],
    ["ENOSYS", 200, /^undefined$/], // Some file systems cannot say.
  ] as const) {
    const forno = await startForno(t);
    t.mock.method(promises, "statfs", async () => {
      if (code === undefined) return full;
      throw Object.assign(new Error(code), { code, syscall: "statfs" });
    });
    const ready = await forno.call("GET", "/readyz");
    assert.equal(ready.status, status);
    assert.match(`${ready.json.detail}`, detail);
    for (const path of ["/healthz", "/api/toppings"]) {
      assert.equal((await forno.call("GET", path)).status, 200);
    }
    t.mock.restoreAll();
  }
});

const lists = "GET, HEAD, OPTIONS, POST";
const items = "DELETE, GET, HEAD, OPTIONS, PATCH, PUT";
const reads = "GET, HEAD, OPTIONS";

test("a method that a path does not have is 405 with Allow, as OPTIONS answers", async (t) => {
  const forno = await startForno(t);
  for (const [method, path, allowed] of [
    ["POST", "/api", reads],
    ["PUT", "/healthz", reads],
    ["TRACE", "/api/toppings", lists],
    ["PROPFIND", "/api/toppings/", lists],
    ["PUT", "/api/toppings", lists],
    ["DELETE", "/api/toppings/", lists],
    ["POST", "/api/orders/tavolo-4", items],
    ["DELETE", "/api/shop", "GET, HEAD, OPTIONS, PATCH, PUT"],
  ] as const) {
    const response = await forno.call(method, path);
    const { detail } = assertProblem(response, "method-not-allowed");
    assert.equal(detail, `${method} is not allowed here; allowed are ${allowed}`);
    assert.equal(response.headers.get("allow"), allowed);
    const { status, headers } = await forno.call("OPTIONS", path);
    const patchType = allowed.includes("PATCH") ? "application/merge-patch+json" : undefined;
    assert.deepEqual([status, headers.get("allow"), headers.get("accept-patch")],
      [204, allowed, patchType]);
  }
});

const unknownPaths = [
  "/api/pizzas", "/api/Toppings", "/apitoppings", "/toppings", "/api/toppings/funghi/name",
  "/api/toppings//", "//api/toppings", "/api/__proto__", "/api/constructor", "/healthz/x", "/%",
  "/api%2Ftoppings", "/../package.json", "/%2e%2e/package.json", "/token-secret",
  "/api/devices//x", "/api/devices/x/code", "/api/invites",
];

test("a path that is not there is 404 whatever the method and the caller", async (t) => {
  const forno = await startForno(t);
  for (const path of unknownPaths) {
    for (const method of ["GET", "POST", "DELETE", "PROPFIND"]) {
      assertProblem(await forno.call(method, path), "not-found");
    }
    assert.equal((await forno.call("HEAD", path, { token: "bad" })).status, 404, path);
  }
});

test("a path is the same with one trailing slash, and percent-encoded", async (t) => {
  const forno = await startForno(t);
  for (const [path, ...same] of [
    ["/healthz", "/healthz/"],
    ["/api", "/api/", "/%61pi"],
    ["/api/toppings?limit=1", "/api/toppings/?limit=1", "/api/topp%69ngs/?limit=1"],
    ["/api/toppings/funghi", "/api/toppings/funghi/", "/api/topp%69ngs/f%75nghi"],
  ] as const) {
    const { text, headers } = await forno.call("GET", path);
    for (const spelled of same) {
      const other = await forno.call("GET", spelled);
      assert.deepEqual([other.text, other.headers.get("link")], [text, headers.get("link")]);
    }
  }
});

const ofOneAnswer = ["date", "x-request-id"];

test("HEAD answers what GET does, same header, without the body", async (t) => {
  const forno = await startForno(t);
  for (const path of [
    "/api", "/api/toppings?limit=2", "/api/orders", "/openapi.json", "/api/toppings/funghi",
    "/api/toppings/nothing", "/api/toppings?limit=zero", "/nowhere",
  ]) {
    const got = await forno.call("GET", path);
    const head = await forno.call("HEAD", path);
    assert.deepEqual([head.status, head.text], [got.status, ""], path);
    const [ofGet, ofHead] = [got, head].map(({ headers }) =>
      [...headers].filter(([name]) => !ofOneAnswer.includes(name)));
    assert.deepEqual(ofHead, ofGet, path);
  }
});
