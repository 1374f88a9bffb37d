/** ORDER_READS (contract part 1): who sees which orders, one by one and in lists. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import { assertProblem, ids } from "./assertions.ts";
import { order } from "./kinds.ts";

const readers = [
  "staff", "the owner", "another customer", "a reader", "nobody", "a bad token",
] as const;
type Reader = (typeof readers)[number];

function tokenOf(forno: Forno, reader: Reader): string | undefined {
  if (reader === "staff") return forno.staff;
  if (reader === "the owner") return forno.customer;
  if (reader === "nobody") return undefined;
  if (reader === "a bad token") return "not.a.token";
  if (reader === "a reader") return forno.reader;
  return customerToken(forno, "carlo");
}

function customerToken(forno: Forno, sub: string): string {
  return forno.token({ role: "customer", sub });
}

async function startWith(t: Parameters<typeof startForno>[0], reads: string): Promise<Forno> {
  const forno = await startForno(t, { env: { ORDER_READS: reads } });
  const place = (token: string, id: string): Promise<unknown> =>
    forno.call("POST", "/api/orders", { token, body: order({ id }) });
  await place(forno.staff, "of-the-house");
  await place(forno.customer, "of-the-owner");
  await place(customerToken(forno, "carlo"), "of-another");
  return forno;
}

const all = ["of-the-house", "of-the-owner", "of-another"];
/** The ids in each reader's list, or the status of the refusal. */
const matrix: Readonly<Record<string, readonly (readonly string[] | number)[]>> = {
  public: [all, all, all, all, all, 401],
  authenticated: [all, all, all, all, 401, 401],
  own: [all, ["of-the-owner"], ["of-another"], all, 401, 401],
};

for (const [reads, row] of Object.entries(matrix)) {
  test(`ORDER_READS=${reads} shows each reader exactly the orders it should`, async (t) => {
    const forno = await startWith(t, reads);
    for (const [index, reader] of readers.entries()) {
      const token = tokenOf(forno, reader);
      const init = token === undefined ? {} : { token };
      const visible = row[index] ?? assert.fail("a reader without a row");
      const list = await forno.call("GET", "/api/orders", init);
      const refusal = visible === 403 ? "forbidden" : "not-authenticated";
      if (typeof visible === "number") assertProblem(list, refusal);
      else assert.deepEqual(ids(list), visible, reader);
      if (typeof visible !== "number") {
        assert.equal(list.headers.get("x-total-count"), String(visible.length));
      }
      for (const id of all) {
        const one = await forno.call("GET", `/api/orders/${id}`, init);
        const head = await forno.call("HEAD", `/api/orders/${id}`, init);
        const shown = typeof visible === "number" ? visible : visible.includes(id) ? 200 : 404;
        assert.deepEqual([one.status, head.status], [shown, shown], `${reader}, ${id}`);
        if (shown === 404) assertProblem(one, "not-found");
      }
    }
  });

  test(`ORDER_READS=${reads} leaves the menu open to everybody`, async (t) => {
    const forno = await startForno(t, { env: { ORDER_READS: reads } });
    for (const path of ["/api/toppings", "/api/pizzasizes/grande", "/api/beverages", "/api"]) {
      assert.equal((await forno.call("GET", path)).status, 200, path);
    }
  });
}

test("a hidden order and one that is not there look the same", async (t) => {
  const forno = await startWith(t, "own");
  const token = forno.customer;
  const tag = (await forno.asStaff("GET", "/api/orders/of-another")).headers;
  const headers = { "if-none-match": tag.get("etag") ?? "" };
  const hidden = await forno.call("GET", "/api/orders/of-another", { token, headers });
  const absent = await forno.call("GET", "/api/orders/nowhere", { token, headers });
  assertProblem(hidden, "not-found");
  assert.equal(hidden.text.replaceAll("of-another", "X"), absent.text.replaceAll("nowhere", "X"));
});

test("a hidden order does not give away where and what it is when its id is taken", async (t) => {
  const forno = await startWith(t, "own");
  for (const id of ["of-another", "of-the-house"]) {
    const body = order({ id });
    const response = await forno.call("POST", "/api/orders", { token: forno.customer, body });
    assert.equal(assertProblem(response, "id-taken").identical, false);
    assert.equal(response.headers.get("location"), undefined);
    assert.equal(response.headers.get("etag"), undefined);
  }
  const body = order({ id: "of-the-owner" });
  const own = await forno.call("POST", "/api/orders", { token: forno.customer, body });
  assert.equal(assertProblem(own, "id-taken").identical, true);
  assert.match(own.headers.get("location") ?? "", /\/api\/orders\/of-the-owner$/);
});

test("an order stays its customer's own when staff move it on", async (t) => {
  const forno = await startWith(t, "own");
  await forno.asStaff("PATCH", "/api/orders/of-the-owner", { status: "Ready" });
  const read = await forno.call("GET", "/api/orders/of-the-owner", { token: forno.customer });
  assert.deepEqual([read.status, read.json.status], [200, "Ready"]);
  assert.deepEqual(Object.keys(read.json).sort(), [
    "beverages", "id", "pizzaSize", "placedAt", "status", "statusSince", "toppings",
    "updatedAt",
  ]);
});

test("paging and filters count only the orders that the reader may see", async (t) => {
  const forno = await startWith(t, "own");
  const token = forno.customer;
  await forno.call("POST", "/api/orders", { token, body: order({ id: "second" }) });
  const page = await forno.call("GET", "/api/orders?limit=1&status=Preparing", { token });
  assert.deepEqual(ids(page), ["of-the-owner"]);
  assert.equal(page.headers.get("x-total-count"), "2");
  const newest = await forno.call("GET", "/api/orders?sort=newest", { token });
  assert.deepEqual(ids(newest), ["second", "of-the-owner"]);
  assert.deepEqual(ids(await forno.call("GET", "/api/orders?id=of-another", { token })), []);
});

test("answers that depend on who asks say Vary: Authorization, refusals too", async (t) => {
  for (const reads of ["authenticated", "own"]) {
    const forno = await startWith(t, reads);
    for (const path of ["/api/orders", "/api/orders/of-the-owner", "/api/orders/none"]) {
      const response = await forno.call("GET", path, { token: forno.customer });
      assert.match(response.headers.get("vary") ?? "", /\bauthorization\b/i, `${reads} ${path}`);
    }
  }
});

test("ORDER_READS=own: no query makes one customer's list another's", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const as = (sub: string): string => customerToken(forno, sub);
  const body = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  const placed = await forno.call("POST", "/api/orders", { token: as("anna?_=b"), body });
  assert.equal(placed.status, 201);
  assert.equal((await forno.call("GET", "/api/orders", { token: as("anna?_=b") })).json.length, 1);
  const other = await forno.call("GET", "/api/orders?_=b?", { token: as("anna") });
  assert.deepEqual(other.json, []);
});

test("ORDER_READS=own: a list's ETag is of what the caller may read", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const body = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  await forno.asStaff("POST", "/api/orders", body);
  const all = await forno.asStaff("GET", "/api/orders");
  const headers = { "if-none-match": all.headers.get("etag") ?? "" };
  const own = await forno.call("GET", "/api/orders", { token: forno.customer, headers });
  assert.equal(own.status, 200);
  assert.deepEqual(own.json, []);
  await forno.asStaff("POST", "/api/orders", body);
  const known = { "if-none-match": own.headers.get("etag") ?? "" };
  const again = await forno.call("GET", "/api/orders", { token: forno.customer, headers: known });
  assert.equal(again.status, 304, "what others order tells nothing");
});
