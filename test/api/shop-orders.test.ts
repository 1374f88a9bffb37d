/**
 * Orders while the shop is closed or an item is sold out (contract parts 2 and 3), and where that
 * stands in the order of checks.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem } from "./assertions.ts";
import { order, topping } from "./kinds.ts";

const notice = "Back at 18:00";
const states = {
  open: { isOpen: true, soldOut: { toppings: [] } },
  closed: { isOpen: false, notice },
  "sold out": { isOpen: true, soldOut: { toppings: ["funghi"] } },
} as const;

for (const [state, patch] of Object.entries(states)) {
  test(`while the shop is ${state}, staff order, and customers if nothing is against it`, async (t) => {
    const forno = await startForno(t);
    await setShop(forno, patch);
    const body = order({ id: undefined });
    assert.equal((await forno.asStaff("POST", "/api/orders", body)).status, 201);
    const customers = await forno.call("POST", "/api/orders", { token: forno.customer, body });
    assert.equal(customers.status, state === "open" ? 201 : 409, customers.text);
  });
}

async function setShop(forno: Forno, patch: object): Promise<void> {
  const soldOut = { toppings: [], pizzasizes: [], beverages: [] };
  const shop = { name: "Forno", isOpen: true, notice: "", soldOut };
  await forno.asStaff("PUT", "/api/shop", shop);
  const response = await forno.asStaff("PATCH", "/api/shop", patch);
  assert.equal(response.status, 200, response.text);
}

function place(forno: Forno, fields: object, headers = {}): Promise<Response> {
  const body = order(fields as Record<string, unknown>);
  return forno.call("POST", "/api/orders", { token: forno.customer, body, headers });
}

test("a closed shop answers with its notice, and without one in words of its own", async (t) => {
  const forno = await startForno(t);
  await setShop(forno, { isOpen: false, notice });
  const problem = assertProblem(await place(forno, {}), "shop-closed");
  assert.equal(problem.detail, `the shop is closed: ${notice}`);
  await setShop(forno, { isOpen: false, notice: "" });
  const silent = assertProblem(await place(forno, {}), "shop-closed");
  assert.equal(silent.detail, "the shop is closed: no orders for now");
  assert.deepEqual((await forno.call("GET", "/api/orders")).json, []);
});

test("a sold-out problem points at each place of a sold-out item and names it", async (t) => {
  const forno = await startForno(t);
  const menu = { pizzasizes: ["grande"], beverages: ["birra"] };
  const soldOut = { toppings: ["funghi", "olive-nere"], ...menu };
  await setShop(forno, { soldOut });
  const toppings = ["funghi", "rucola", "funghi"].map((id) => ({ id }));
  const beverages = [{ id: "chinotto" }, { id: "birra" }];
  const problem = assertProblem(await place(forno, { toppings, beverages }), "sold-out");
  const places = ["#/pizzaSize/id", "#/toppings/0/id", "#/toppings/2/id", "#/beverages/1/id"];
  assert.deepEqual(problem.errors?.map(({ pointer }) => pointer), places);
  assert.match(problem.detail, /^sold out: Large, Mushrooms, \w+; /);
  const pizzaSize = { id: "normale" };
  const left = { pizzaSize, toppings: [{ id: "rucola" }], beverages: [{ id: "chinotto" }] };
  assert.equal((await place(forno, left)).status, 201);
  assert.equal((await forno.asStaff("POST", "/api/orders", order({ id: "by-phone" }))).status, 201);
});

test("an order that is stored stays id-taken on a retry, whatever the shop is then", async (t) => {
  const forno = await startForno(t);
  assert.equal((await place(forno, {})).status, 201);
  for (const state of ["closed", "sold out"] as const) {
    await setShop(forno, states[state]);
    const same = assertProblem(await place(forno, {}), "id-taken");
    assert.equal(same.identical, true);
    const other = assertProblem(await place(forno, { toppings: [] }), "id-taken");
    assert.equal(other.identical, false);
  }
});

test("references are checked before the shop, and the shop before nothing else", async (t) => {
  const forno = await startForno(t);
  await setShop(forno, { isOpen: false, notice, soldOut: { toppings: ["funghi"] } });
  assertFaults(await place(forno, { pizzaSize: { id: "x" } }), ["#/pizzaSize/id"]);
  assertFaults(await place(forno, { status: "Ready" }), ["#/status"]);
  assertProblem(await place(forno, {}, { "content-type": "text/csv" }), "unsupported-media-type");
  // Closed and sold out at once: the shop is the first thing to know.
  assertProblem(await place(forno, {}), "shop-closed");
});

test("an order holds on to what is sold out later: staff move it on and change it", async (t) => {
  const forno = await startForno(t);
  await place(forno, {});
  await setShop(forno, states["sold out"]);
  const path = "/api/orders/tavolo-4";
  assert.equal((await forno.asStaff("PATCH", path, { status: "Ready" })).status, 200);
});

test("a sold-out item that is deleted and created again is in stock", async (t) => {
  const forno = await startForno(t);
  await setShop(forno, states["sold out"]);
  await forno.asStaff("DELETE", "/api/toppings/funghi");
  const gone = await forno.call("GET", "/api/shop");
  assert.deepEqual(gone.json.soldOut.toppings, []);
  await forno.asStaff("POST", "/api/toppings", topping({ id: "funghi" }));
  assert.equal((await place(forno, {})).status, 201);
});
