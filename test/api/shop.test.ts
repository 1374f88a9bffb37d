/**
 * The shop (contract parts 2, 3 and 6): one small document at /api/shop; and orders while it is
 * closed or an item is sold out.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";
import { storeFile } from "../helpers/store-file.ts";
import { assertFaults, assertProblem, assertQueryFault, strongTag } from "./assertions.ts";
import { type Body, order } from "../helpers/samples.ts";

const atFirst = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
};
const pizzas = [{ name: "Margherita", toppings: ["pomodoro", "mozzarella"] }];
const menuOrder = { toppings: [], pizzasizes: [], beverages: [] };
/** The shop at first, with what a PUT may leave out. */
const whole = { ...atFirst, pizzas: [], menuOrder };
const text = `${JSON.stringify(whole)}\n`;
const path = "/api/shop";

function patch(forno: Forno, body: unknown, headers = {}): Promise<Response> {
  return forno.asStaff("PATCH", path, body, headers);
}

test("the shop is there from the start; PUT replaces it, PATCH merges into it", async (t) => {
  const forno = await startForno(t, { menu: {} });
  assert.equal((await forno.call("GET", path)).text, text);
  assertQueryFault(await forno.call("GET", `${path}?limit=1`), "limit");
  const soldOut = { ...atFirst.soldOut, toppings: ["rucola"] };
  const sent = { ...whole, name: "Da Rosa", soldOut, pizzas };
  const put = await forno.asStaff("PUT", path, sent);
  assert.deepEqual([put.status, put.text], [200, `${JSON.stringify(sent)}\n`]);
  const changes = { isOpen: false, notice: "Back at 18:00", soldOut: { beverages: ["birra"] } };
  const patched = await patch(forno, changes);
  const merged = { ...sent, ...changes, soldOut: { ...sent.soldOut, ...changes.soldOut } };
  assert.deepEqual([patched.status, patched.text], [200, `${JSON.stringify(merged)}\n`]);
  const read = await forno.call("GET", path);
  assert.deepEqual([read.text, strongTag(read)], [patched.text, strongTag(patched)]);
});

test("the shop's tag guards reads and writes, and is the same over a restart", async (t) => {
  const first = await startForno(t);
  const old = strongTag(await first.call("GET", path));
  assert.equal((await first.call("GET", path, { headers: { "if-none-match": old } })).status, 304);
  const tag = strongTag(await patch(first, { isOpen: false }, { "if-match": old }));
  for (const headers of [{ "if-match": old }, { "if-none-match": tag }]) {
    const response = await first.asStaff("PUT", path, atFirst, headers);
    assertProblem(response, "precondition-failed");
    assert.equal(strongTag(response), tag);
  }
  await first.close();
  const read = await (await startForno(t, { dataDir: first.dataDir })).call("GET", path);
  assert.deepEqual([read.json.isOpen, strongTag(read)], [false, tag]);
});

const logo = `data:image/webp;base64,${"A".repeat(7_975)}==`;
const ids = Array.from({ length: 200 }, (_, index) => `t${index}`);
const ordered = { toppings: ids, pizzasizes: ["piccola", "nowhere"], beverages: ["birra"] };

/** Fields that may be left out, as they are sent and stored, and what removes them. */
const optional: readonly (readonly [sent: Body, stored: Body, ...empty: readonly Body[]])[] = [
  [{ pizzas: [{ toppings: ["nowhere", "nowhere"], name: "Twice" }, ...pizzas] },
    { pizzas: [{ name: "Twice", toppings: ["nowhere", "nowhere"] }, ...pizzas] }, { pizzas: null }],
  [{ menuOrder: Object.fromEntries(Object.entries(ordered).reverse()) }, { menuOrder: ordered },
    { menuOrder: null }],
  [{ logo, color: "#0a5c8c" }, { color: "#0a5c8c", logo },
    { color: null, logo: "" }, { color: "", logo: null }],
];

test("a PUT keeps what it leaves out, and null in a PATCH empties it", async (t) => {
  const forno = await startForno(t, { menu: {} });
  for (const [sent, stored, ...removals] of optional) {
    const expected = `${JSON.stringify({ ...whole, ...stored })}\n`;
    for (const removal of removals) {
      assert.equal((await forno.asStaff("PUT", path, { ...atFirst, ...sent })).text, expected);
      assert.equal((await forno.asStaff("PUT", path, atFirst)).text, expected);
      assert.equal((await patch(forno, removal)).text, text);
    }
    assert.equal((await patch(forno, sent)).text, expected);
    assert.equal((await patch(forno, { isOpen: true })).text, expected);
    await patch(forno, removals[0]);
  }
  await patch(forno, { menuOrder: ordered });
  const { json } = await patch(forno, { menuOrder: { toppings: ["b", "a"] } });
  assert.deepEqual(json, { ...whole, menuOrder: { ...ordered, toppings: ["b", "a"] } });
});

test("a pizza that a write brings in has toppings and a name of its own", async (t) => {
  const [empty, other, again] = ["Bianca", "Rossa", "Bianca"].map((name) =>
    ({ name, toppings: [] }));
  const stored = [empty, other, again, ...pizzas];
  const forno = await startForno(t, { menu: { pizzas: stored } });
  const mended = { name: "Bianca", toppings: ["mozzarella"] };
  assert.deepEqual((await patch(forno, { isOpen: false })).json.pizzas, stored);
  for (const [sent, ...pointers] of [
    [[...stored, { name: "Calzone", toppings: [] }], "#/pizzas/4/toppings"],
    [[...stored, ...pizzas], "#/pizzas/4/name"],
    [[mended, other, again], "#/pizzas/0/name"],
    [[{ name: "A", toppings: ["x"] }, { name: "A", toppings: ["y"] }], "#/pizzas/1/name"],
    [[{ name: "Rossa", toppings: [] }, other], "#/pizzas/1/toppings", "#/pizzas/1/name"],
  ] as const) {
    assertFaults(await patch(forno, { pizzas: sent }), pointers);
  }
  for (const sent of [[again, ...pizzas, other], [mended, { ...mended, name: "bianca" }]]) {
    assert.deepEqual((await patch(forno, { pizzas: sent })).json.pizzas, sent);
  }
});

test("every fault of the shop is told with its place", async (t) => {
  const forno = await startForno(t, { menu: {} });
  const long = "n".repeat(501);
  for (const [body, ...pointers] of [
    [[], "#"],
    [{}, "#/name", "#/isOpen", "#/notice", "#/soldOut"],
    [{ ...atFirst, name: " " }, "#/name"],
    [{ ...atFirst, isOpen: "yes" }, "#/isOpen"],
    [{ ...atFirst, notice: null }, "#/notice"],
    [{ ...atFirst, notice: " " }, "#/notice"],
    [{ ...atFirst, notice: long, isOpen: 1 }, "#/notice", "#/isOpen"],
    [{ ...atFirst, id: "shop" }, "#/id"],
    [{ ...atFirst, soldOut: [] }, "#/soldOut"],
    [{ ...atFirst, soldOut: { toppings: [], pizzasizes: [] } }, "#/soldOut/beverages"],
    [{ ...atFirst, soldOut: { ...atFirst.soldOut, topping: [] } }, "#/soldOut/topping"],
    [{ ...atFirst, soldOut: { ...atFirst.soldOut, toppings: {} } }, "#/soldOut/toppings"],
    [soldOut(["rucola", 1, "a/b"]), "#/soldOut/toppings/1", "#/soldOut/toppings/2"],
    [soldOut(["rucola", "rucola"]), "#/soldOut/toppings/1"],
    [{ ...atFirst, menuOrder: null }, "#/menuOrder"],
    [{ ...atFirst, menuOrder: [] }, "#/menuOrder"],
    [{ ...atFirst, menuOrder: { toppings: ["a", "b", "a"], topping: [] } },
      "#/menuOrder/toppings/2", "#/menuOrder/pizzasizes", "#/menuOrder/beverages",
      "#/menuOrder/topping"],
    [{ ...atFirst, menuOrder: { ...menuOrder, toppings: ["a b"], beverages: "x" } },
      "#/menuOrder/toppings/0", "#/menuOrder/beverages"],
    [{ ...atFirst, menuOrder: { ...menuOrder, beverages: [...ids, "one more"] } },
      "#/menuOrder/beverages"],
    [{ ...atFirst, pizzas: null }, "#/pizzas"],
    [{ ...atFirst, pizzas: [pizzas[0], "x", { name: "", topping: [] }] },
      "#/pizzas/1", "#/pizzas/2/name", "#/pizzas/2/toppings", "#/pizzas/2/topping"],
    [{ ...atFirst, pizzas: [{ name: "x", toppings: ["a b"] }] }, "#/pizzas/0/toppings/0"],
    [{ ...atFirst, pizzas: [pizzaOf(51)] }, "#/pizzas/0/toppings"],
    [{ ...atFirst, pizzas: Array(101).fill(pizzaOf(1)) }, "#/pizzas"],
    ...["red", "#0A5C8C", "#fff", 7].map((color) => [{ ...atFirst, color }, "#/color"] as const),
    ...[
      "logo.png", "data:image/svg+xml;base64,AAAA", "data:image/png,AAAA",
      "data:image/png;base64,A A", `data:image/png;base64,${"A".repeat(7_979)}`,
    ].map((logo) => [{ ...atFirst, logo }, "#/logo"] as const),
  ] as const) {
    assertFaults(await forno.asStaff("PUT", path, body), pointers);
  }
  for (const [sent, ...pointers] of [
    ['"closed"', "#"],
    [{ isOpen: null, soldOut: null }, "#/isOpen", "#/soldOut"],
    [{ soldOut: { toppings: [""] } }, "#/soldOut/toppings/0"],
    [{ id: null, soldOut: { topping: null } }, "#/id", "#/soldOut/topping"],
  ] as const) {
    assertFaults(await patch(forno, sent), pointers);
  }
  assert.equal((await forno.call("GET", path)).text, text);
  const hundred = Array.from({ length: 100 }, (_, index) => ({ ...pizzaOf(50), name: `${index}` }));
  const most = { notice: "🍕".repeat(500), name: "🍕".repeat(200), pizzas: hundred };
  assert.equal((await patch(forno, most)).status, 200);
});

function pizzaOf(toppings: number): object {
  return { name: "x", toppings: Array(toppings).fill("funghi") };
}

function soldOut(toppings: readonly unknown[]): object {
  return { ...atFirst, soldOut: { ...atFirst.soldOut, toppings } };
}

test("an id that no item has means nothing, and a deletion leaves the list alone", async (t) => {
  const forno = await startForno(t);
  const soldOut = { toppings: ["funghi", "nowhere"], pizzasizes: ["enorme"], beverages: [] };
  assert.equal((await patch(forno, { soldOut })).status, 200);
  await forno.write("DELETE", "/api/toppings/funghi");
  assert.deepEqual((await forno.call("GET", path)).json.soldOut, soldOut);
});

test("a store whose line of the shop was deleted has a new shop", async (t) => {
  const forno = await startForno(t, { store: storeFile([]) });
  assert.equal((await forno.call("GET", path)).text, text);
  assert.equal((await patch(forno, { isOpen: false })).status, 200);
});

/** A customer's order. */
function place(forno: Forno, fields: Body = {}, headers = {}): Promise<Response> {
  const body = order({ id: undefined, ...fields });
  return forno.call("POST", "/api/orders", { token: forno.customer, body, headers });
}

test("a closed shop takes orders of staff alone, and tells customers its notice", async (t) => {
  const forno = await startForno(t);
  // It is also sold out, but the shop is the first thing to know.
  await patch(forno, { isOpen: false, soldOut: { toppings: ["funghi"] } });
  for (const [notice, words] of [["", "no orders for now"], ["Back at 18:00", "Back at 18:00"]]) {
    await patch(forno, { notice });
    const { detail } = assertProblem(await place(forno), "shop-closed");
    assert.equal(detail, `the shop is closed: ${words}`);
  }
  await forno.write("POST", "/api/orders", order());
  assertFaults(await place(forno, { pizzaSize: { id: "x" } }), ["#/pizzaSize/id"]);
  assertFaults(await place(forno, { status: "Ready" }), ["#/status"]);
  const label = { "content-type": "text/csv" };
  assertProblem(await place(forno, {}, label), "unsupported-media-type");
});

test("a customer's order is told each place of a sold-out item, and its name", async (t) => {
  const forno = await startForno(t);
  await patch(forno, {
    soldOut: { toppings: ["funghi", "olive-nere"], pizzasizes: ["grande"], beverages: ["birra"] },
  });
  const toppings = ["funghi", "rucola", "funghi"].map((id) => ({ id }));
  const beverages = [{ id: "chinotto" }, { id: "birra" }];
  const problem = assertProblem(await place(forno, { toppings, beverages }), "sold-out");
  const places = ["#/pizzaSize/id", "#/toppings/0/id", "#/toppings/2/id", "#/beverages/1/id"];
  assert.deepEqual(problem.errors?.map(({ pointer }) => pointer), places);
  assert.equal(problem.detail, "sold out: Large, Mushrooms, Lager; order something else");
  const left = { pizzaSize: { id: "normale" }, toppings: [{ id: "rucola" }] };
  assert.equal((await place(forno, left)).status, 201);
  const byPhone = order({ toppings, beverages });
  await forno.write("POST", "/api/orders", byPhone);
});

test("a stored order is told on a retry, and moves on, whatever the shop says", async (t) => {
  const forno = await startForno(t);
  assert.equal((await place(forno, { id: "mine" })).status, 201);
  for (const shop of [{ soldOut: { toppings: ["funghi"] } }, { isOpen: false }]) {
    await patch(forno, shop);
    for (const [fields, isSame] of [[{}, true], [{ toppings: [] }, false]] as const) {
      const retry = await place(forno, { id: "mine", ...fields });
      assert.equal(assertProblem(retry, "id-taken").identical, isSame);
    }
    const status = "isOpen" in shop ? "Ready" : "Pending";
    await forno.write("PATCH", "/api/orders/mine", { status });
  }
});
