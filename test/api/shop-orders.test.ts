/**
 * Orders while the shop is closed or an item is sold out (contract parts 2 and 3), and where that
 * stands in the order of checks.
 */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem } from "./assertions.ts";
import { type Body, order } from "./kinds.ts";

async function startWithShop(t: TestContext, shop: object): Promise<Forno> {
  const forno = await startForno(t);
  await forno.write("PATCH", "/api/shop", shop);
  return forno;
}

/** A customer's order. */
function place(forno: Forno, fields: Body = {}, headers = {}): Promise<Response> {
  const body = order({ id: undefined, ...fields });
  return forno.call("POST", "/api/orders", { token: forno.customer, body, headers });
}

for (const [notice, words] of [["Back at 18:00", "Back at 18:00"], ["", "no orders for now"]]) {
  test(`a closed shop with the notice "${notice}" takes orders of staff alone`, async (t) => {
    const soldOut = { toppings: ["funghi"] };
    const forno = await startWithShop(t, { isOpen: false, notice, soldOut });
    // It is also sold out, but the shop is the first thing to know.
    const { detail } = assertProblem(await place(forno), "shop-closed");
    assert.equal(detail, `the shop is closed: ${words}`);
    await forno.write("POST", "/api/orders", order());
    assertFaults(await place(forno, { pizzaSize: { id: "x" } }), ["#/pizzaSize/id"]);
    assertFaults(await place(forno, { status: "Ready" }), ["#/status"]);
    const label = { "content-type": "text/csv" };
    assertProblem(await place(forno, {}, label), "unsupported-media-type");
  });
}

test("a customer's order is told each place of a sold-out item, and its name", async (t) => {
  const soldOut = {
    toppings: ["funghi", "olive-nere"], pizzasizes: ["grande"], beverages: ["birra"],
  };
  const forno = await startWithShop(t, { soldOut });
  const toppings = ["funghi", "rucola", "funghi"].map((id) => ({ id }));
  const beverages = [{ id: "chinotto" }, { id: "birra" }];
  const problem = assertProblem(await place(forno, { toppings, beverages }), "sold-out");
  const places = ["#/pizzaSize/id", "#/toppings/0/id", "#/toppings/2/id", "#/beverages/1/id"];
  assert.deepEqual(problem.errors?.map(({ pointer }) => pointer), places);
  assert.equal(problem.detail, "sold out: Large, Mushrooms, Lager; order without");
  const left = { pizzaSize: { id: "normale" }, toppings: [{ id: "rucola" }] };
  assert.equal((await place(forno, left)).status, 201);
  const byPhone = order({ toppings, beverages });
  await forno.write("POST", "/api/orders", byPhone);
});

for (const shop of [{ isOpen: false }, { soldOut: { toppings: ["funghi"] } }]) {
  test(`a stored order is told on a retry, and moves on (${Object.keys(shop)})`, async (t) => {
    const forno = await startForno(t);
    assert.equal((await place(forno, { id: "mine" })).status, 201);
    await forno.write("PATCH", "/api/shop", shop);
    assert.equal(assertProblem(await place(forno, { id: "mine" }), "id-taken").identical, true);
    const other = await place(forno, { id: "mine", toppings: [] });
    assert.equal(assertProblem(other, "id-taken").identical, false);
    const moved = await forno.asStaff("PATCH", "/api/orders/mine", { status: "Ready" });
    assert.equal(moved.status, 200);
  });
}
