/**
 * The OWASP API Security Top 10 of 2023: what no other test asserts. Authentication is in
 * auth.test.ts, functions in roles.test.ts, limits in bounds.test.ts and rate-limit.test.ts, and
 * guests in guest-orders.test.ts.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startForno, type Answer, type Forno } from "../helpers/forno.ts";
import { runToExit } from "../process/run.ts";

const order = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
const topping = { name: "Rocket", isVegetarian: true, isVegan: true };

const customer = (forno: Forno, sub: string): string =>
  forno.token({ role: "customer", sub, exp: Date.now() / 1000 + 600 });

async function assertProblem(
  pending: Promise<Answer>, status: number, type: string,
): Promise<void> {
  const { status: got, json, text } = await pending;
  assert.deepEqual([got, json?.type], [status, `/problems/${type}`], text);
}

test("API1 object level: another's order cannot be seen, named, or told from none", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const [anna, bruno] = [customer(forno, "anna"), customer(forno, "bruno")];
  const body = { id: "annas-order", ...order };
  const placed = await forno.call("POST", "/api/orders", { token: anna, body });
  assert.equal(placed.status, 201);
  assert.equal((await forno.call("GET", "/api/orders/annas-order", { token: anna })).status, 200);

  const hidden = await forno.call("GET", "/api/orders/annas-order", { token: bruno });
  const absent = await forno.call("GET", "/api/orders/nobody-order", { token: bruno });
  assert.deepEqual([hidden.status, absent.status], [404, 404]);
  assert.equal(hidden.text.replaceAll("annas-order", "nobody-order"), absent.text);
  assert.deepEqual((await forno.call("GET", "/api/orders", { token: bruno })).json, []);
  await assertProblem(forno.call("GET", "/api/orders"), 401, "not-authenticated");
});

test("API1 object level: filters, counts, HEAD and validators are no way around", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const [anna, token] = [customer(forno, "anna"), customer(forno, "bruno")];
  const body = { id: "annas-order", ...order };
  const { headers } = await forno.call("POST", "/api/orders", { token: anna, body });
  const path = "/api/orders/annas-order";
  for (const query of ["?id=annas-order", "?status=Preparing", "?limit=1", "?embed=names"]) {
    const answer = await forno.call("GET", `/api/orders${query}`, { token });
    assert.ok(answer.status === 200 ? answer.json.length === 0 : answer.status === 400, query);
    if (answer.status === 200) assert.equal(answer.headers.get("x-total-count"), "0");
  }
  assert.equal((await forno.call("HEAD", path, { token })).status, 404);
  const validator = { "if-none-match": headers.get("etag") ?? "*" };
  assert.equal((await forno.call("GET", path, { token, headers: validator })).status, 404);
  await assertProblem(forno.call("PUT", path, { token, body }), 403, "forbidden");
});

test("API3 property level: nobody sets what is not theirs to set", async (t) => {
  const forno = await startForno(t);
  const place = (extra: object, token = forno.customer): Promise<Answer> =>
    forno.call("POST", "/api/orders", { token, body: { ...order, ...extra } });
  for (const status of ["Ready", "Out for Delivery", "Delivered", "Cancelled"]) {
    await assertProblem(place({ status }), 400, "invalid-body");
  }
  for (const extra of [{ role: "staff" }, { sub: "rosa" }, { price: 0 }, { isAdmin: true }]) {
    await assertProblem(place(extra), 400, "invalid-body");
  }
  const old = "2001-01-01T00:00:00.000Z";
  const { status, json } = await place({ placedAt: old, updatedAt: old });
  assert.equal(status, 201);
  assert.notEqual(json.placedAt, old);
  assert.notEqual(json.updatedAt, old);
});

test("API3 property level: answers hold the resource's fields and no others", async (t) => {
  const forno = await startForno(t);
  const { json: placed } = await forno.call("POST", "/api/orders", {
    token: forno.customer,
    body: { ...order, toppings: [{ id: "funghi", name: "Free", price: 0 }] },
  });
  const fields = ["id", "pizzaSize", "toppings", "beverages", "status", "placedAt", "updatedAt"];
  assert.deepEqual(Object.keys(placed), fields);
  assert.deepEqual(placed.toppings, [{ id: "funghi" }]);
  const { json: read } = await forno.call("GET", `/api/orders/${placed.id}`);
  assert.deepEqual(read, placed);
});

test("API3 property level: __proto__ and constructor are fields nobody has", async (t) => {
  const forno = await startForno(t);
  const fields = '"name":"Rocket","isVegetarian":true,"isVegan":true';
  for (const member of ['"__proto__":{"id":"owned"}', '"constructor":{"prototype":{"id":1}}']) {
    const body = `{${fields},${member}}`;
    await assertProblem(
      forno.call("POST", "/api/toppings", { token: forno.staff, body }), 400, "invalid-body");
  }
  assert.equal(({} as { id?: unknown }).id, undefined); // Nothing reached Object.prototype.
});

test("API5 function level: no header changes the method, the path or the role", async (t) => {
  const forno = await startForno(t);
  const tricks = [{ "x-http-method-override": "DELETE" }, { "x-original-url": "/api/backup" },
    { "x-rewrite-url": "/metrics" }, { "x-forwarded-user": "rosa" }, { "x-role": "staff" }];
  for (const headers of tricks) {
    const answer = await forno.call("GET", "/api/toppings/funghi", { headers });
    assert.deepEqual([answer.status, answer.json.id], [200, "funghi"]);
    const init = { headers, token: forno.customer, body: topping };
    assert.equal((await forno.call("POST", "/api/toppings", init)).status, 403);
  }
});

test("API7 request forgery: no URL that is sent is ever fetched", async (t) => {
  let fetched = 0;
  const trap = createServer((_request, response) => {
    fetched += 1;
    response.end();
  });
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  t.after(() => trap.close());
  // A server that listens on a port has an AddressInfo.
  const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/trap`;
  const forno = await startForno(t);
  const token = forno.staff;
  const headers = { referer: url, origin: url, "x-forwarded-host": new URL(url).host, from: url };
  const body = { ...topping, name: url };
  const created = await forno.call("POST", "/api/toppings", { token, headers, body });
  assert.deepEqual([created.status, created.json.name], [201, url]);
  await forno.call("POST", "/api/beverages", {
    token, body: { name: url, isCarbonated: true, sizeOptions: [url] },
  });
  await forno.call("GET", `/api/toppings?name=${encodeURIComponent(url)}`, { headers });
  assert.equal(fetched, 0);
  assert.doesNotMatch(created.headers.get("location") ?? "", new RegExp(new URL(url).host));
});

test("API8 configuration: refusals show no path, no stack and no version", async (t) => {
  const forno = await startForno(t);
  const answers = await Promise.all([
    forno.call("GET", "/nothing-here"),
    forno.call("POST", "/api/toppings", { token: forno.staff, body: "{" }),
    forno.call("POST", "/api/toppings", { token: forno.staff, body: { name: {} } }),
    forno.call("GET", "/api/toppings?limit=x"),
    forno.call("PATCH", "/api/toppings", {}),
  ]);
  for (const { status, text, headers } of answers) {
    assert.ok(status >= 400 && status < 500);
    assert.doesNotMatch(text, /\bat .+:\d+:\d+|node:|node_modules|\.ts\b|SyntaxError|Error:/);
    assert.ok(!text.includes(forno.dataDir));
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("x-powered-by"), undefined);
    assert.equal(headers.get("access-control-allow-origin"), undefined);
  }
});

test("API9 inventory: the description lists the routes; no old version or file is", async (t) => {
  const forno = await startForno(t);
  const described: string[] = Object.keys((await forno.call("GET", "/openapi.json")).json.paths);
  const some = ["/api/toppings", "/api/orders/{id}", "/api/events", "/api/backup", "/metrics"];
  for (const path of some) {
    assert.ok(described.includes(path), path);
  }
  const strays = ["/api/v1/toppings", "/v1/toppings", "/admin", "/debug", "/.env", "/.git/config",
    "/package.json", "/dist/server.js", "/../package.json", "/%2e%2e/package.json", "/token-secret",
    "/toppings.json", "/api/tokens", "/api/users", "/swagger", "/api/toppings/../backup",
    "/api//backup", "//etc/passwd", "/metrics%00", "/server.ts", "/pages/../server.js"];
  for (const path of strays) {
    const { status } = await forno.call("GET", path);
    assert.ok([401, 404, 405].includes(status), `${path}: ${status}`);
  }
});

test("API10 others' data: a menu file is checked as any request is", async (t) => {
  const bad = [
    { toppings: [{ id: "a", name: "\u0000", isVegetarian: true, isVegan: true }] },
    { toppings: [{ id: "a", name: "A", isVegetarian: "yes", isVegan: true }] },
    { pizzasizes: [{ id: "..", name: "A", diameterInInches: 3 }] },
  ];
  for (const part of bad) {
    const menu = JSON.stringify({ toppings: [], pizzasizes: [], beverages: [], ...part });
    const { exit, lines } = await runToExit(t, "server.js", [], {}, { "menu.json": menu });
    assert.equal(exit.code, 1);
    assert.equal(lines.length, 1, lines.join("\n"));
  }
});

test("API10 others' data: what a proxy did not write is not believed", async (t) => {
  const forno = await startForno(t);
  const headers = { "x-forwarded-for": "203.0.113.1", "x-forwarded-proto": "https",
    "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
  const token = forno.staff;
  const created = await forno.call("POST", "/api/toppings", { token, headers, body: topping });
  assert.equal(created.status, 201);
  assert.doesNotMatch(created.headers.get("location") ?? "", /evil/);
  assert.doesNotMatch((await forno.call("GET", "/api", { headers })).text, /evil/);
  const paged = await forno.call("GET", "/api/toppings?limit=1", { headers });
  assert.doesNotMatch(paged.headers.get("link") ?? "", /evil/);
});
