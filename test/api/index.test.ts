/** Paths and methods (contract part 3): the index, health, HEAD, OPTIONS, 404, 405, slashes. */

import assert from "node:assert/strict";
import { promises } from "node:fs";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertProblem, ids } from "./assertions.ts";
import { topping } from "./kinds.ts";
import { sendRaw } from "../helpers/raw-http.ts";

const listMethods = ["GET", "HEAD", "OPTIONS", "POST"];
const itemMethods = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"];
const readMethods = ["GET", "HEAD", "OPTIONS"];

const allowed: readonly (readonly [path: string, methods: readonly string[]])[] = [
  ["/api", readMethods],
  ["/healthz", readMethods],
  ["/readyz", readMethods],
  ["/api/toppings", listMethods],
  ["/api/pizzasizes", listMethods],
  ["/api/beverages", listMethods],
  ["/api/orders", listMethods],
  ["/api/toppings/funghi", itemMethods],
  ["/api/pizzasizes/grande", itemMethods],
  ["/api/beverages/birra", itemMethods],
  ["/api/orders/tavolo-4", itemMethods],
];

test("GET /api names the service, its version and the way to all four kinds", async (t) => {
  const forno = await startForno(t);
  const index = await forno.call("GET", "/api");
  assert.equal(index.status, 200);
  assert.match(index.headers.get("content-type") ?? "", /^application\/json\b/);
  assert.match(index.json.name, /forno/i);
  assert.match(index.json.version, /^\d+\.\d+\.\d+/);
  for (const kind of ["toppings", "pizzasizes", "beverages", "orders"]) {
    assert.ok(index.text.includes(`/api/${kind}"`), kind);
  }
});

test("every link of the index leads somewhere", async (t) => {
  const forno = await startForno(t);
  const { links } = (await forno.call("GET", "/api")).json as { links: Record<string, string> };
  for (const link of Object.values(links)) {
    const path = link.replace("{type}", "not-found");
    assert.equal((await forno.call("OPTIONS", path)).status, 204, link);
  }
});

test("on a full disk GET /readyz is 503, and /healthz and reads go on", async (t) => {
  const forno = await startForno(t);
  const full = { blocks: 1_000, bfree: 0, bavail: 0, bsize: 4_096 };
  const statfs = t.mock.method(promises, "statfs", async () => full);
  const { status, json } = await forno.call("GET", "/readyz");
  assert.equal(status, 503);
  assert.equal(json.type, "/problems/storage-unavailable");
  assert.match(json.detail, /full/);
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
  assert.equal((await forno.call("GET", "/api/toppings")).status, 200);
  const failing = (code: string) => async (): Promise<never> => {
    throw Object.assign(new Error(code), { code, syscall: "statfs" });
  };
  statfs.mock.mockImplementation(failing("EIO"));
  assert.equal((await forno.call("GET", "/readyz")).status, 503);
  statfs.mock.mockImplementation(failing("ENOSYS"));
  assert.equal((await forno.call("GET", "/readyz")).status, 200);
  statfs.mock.restore();
  assert.equal((await forno.call("GET", "/readyz")).status, 200);
});

test("OPTIONS answers 204, and a method that a path does not have 405, with Allow", async (t) => {
  const forno = await startForno(t);
  for (const [path, methods] of allowed) {
    const options = await forno.call("OPTIONS", path);
    assert.deepEqual([options.status, options.text], [204, ""], path);
    assert.deepEqual(methodsIn(options.headers.get("allow")), methods, path);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]) {
      if (methods.includes(method)) continue;
      const response = await sendRaw(forno.port, method, path);
      assertProblem(response, "method-not-allowed");
      assert.deepEqual(methodsIn(response.headers.get("allow")), methods, `${method} ${path}`);
    }
  }
});

function methodsIn(allow: string | undefined): string[] {
  return (allow ?? "").split(",").map((method) => method.trim()).sort();
}

const unknownPaths = [
  "/api/pizzas", "/api/topping", "/api/Toppings", "/API/toppings", "/apitoppings", "/toppings",
  "/api/toppings/funghi/name", "/api/toppings//", "/api//toppings", "//api/toppings",
  "/api/toppings/funghi//", "/api/__proto__", "/api/constructor", "/healthz/x", "/%",
  "/api%2Ftoppings", "/api/%zz", "/api/v1/toppings", "/.env", "/../package.json",
  "/%2e%2e/package.json", "/token-secret", "/dist/server.js", "/api/devices//lock", "/api/devices/x",
];

test("a path that is not there is 404 whatever the method and the caller", async (t) => {
  const forno = await startForno(t);
  for (const path of unknownPaths) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
      assertProblem(await sendRaw(forno.port, method, path), "not-found");
    }
    assert.equal((await sendRaw(forno.port, "HEAD", path, { token: "bad" })).status, 404, path);
  }
});

test("one trailing slash is treated as absent", async (t) => {
  const forno = await startForno(t);
  for (const path of ["/api", "/api/toppings", "/api/toppings/funghi"]) {
    const plain = await forno.call("GET", path);
    const slashed = await forno.call("GET", `${path}/`);
    assert.equal(slashed.status, 200, path);
    assert.equal(slashed.text, plain.text);
    assert.equal(slashed.headers.get("etag"), plain.headers.get("etag"));
  }
  assert.equal((await forno.call("GET", "/healthz/")).status, 200);
  const body = topping();
  assert.equal((await forno.asStaff("POST", "/api/toppings/", body)).status, 201);
  assert.equal((await forno.asStaff("PUT", "/api/toppings/tartufo/", body)).status, 200);
  assert.equal((await forno.asStaff("DELETE", "/api/toppings/tartufo/")).status, 204);
  assert.deepEqual(ids(await forno.call("GET", "/api/toppings/?limit=1")), ["pomodoro"]);
});

const headersOfBoth = ["content-type", "content-length", "etag", "cache-control", "link",
  "x-total-count", "vary", "x-content-type-options"];

test("HEAD answers what GET does, same headers, without the body", async (t) => {
  const forno = await startForno(t);
  const paths = ["/api", "/api/toppings", "/api/toppings?limit=2", "/api/orders", "/openapi.json",
    "/api/toppings/funghi", "/api/toppings/nothing", "/api/toppings?limit=zero", "/nowhere"];
  for (const path of paths) {
    const got = await forno.call("GET", path);
    const head = await forno.call("HEAD", path);
    assert.deepEqual([head.status, head.text], [got.status, ""], path);
    for (const name of headersOfBoth) {
      assert.equal(head.headers.get(name), got.headers.get(name), `${name} of ${path}`);
    }
  }
});

test("an encoded path is the same path, with a slash after it and with an id", async (t) => {
  const forno = await startForno(t);
  for (const path of ["/api/topp%69ngs", "/api/topp%69ngs/", "/api/topp%69ngs/f%75nghi"]) {
    assert.equal((await forno.call("GET", path)).status, 200, path);
  }
});
