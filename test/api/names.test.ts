/** Names and notes in orders (contract part 2): an order reads by itself, for good. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { contentOf, type Forno, startForno } from "../helpers/forno.ts";
import { assertFaults, assertResource } from "./assertions.ts";
import { order } from "./kinds.ts";
import { openStream } from "./streams.ts";

const item = "/api/orders/tavolo-4";
const mushrooms = { id: "funghi", name: "Mushrooms" };
const rocket = { id: "rucola", name: "Rocket" };
const chinotto = { id: "chinotto", name: "Chinotto" };
const large = { id: "grande", name: "Large" };

async function startWithOrder(t: TestContext): Promise<Forno> {
  const forno = await startForno(t);
  assertResource(await forno.asStaff("POST", "/api/orders", order()), 201, order());
  return forno;
}

test("an order names its items in every answer, event and line of the file", async (t) => {
  const forno = await startForno(t);
  const stream = await openStream(t, forno);
  const created = await forno.asStaff("POST", "/api/orders", order());
  const { json } = created;
  assert.deepEqual(json.pizzaSize, large);
  assert.deepEqual(json.toppings, [mushrooms, rocket]);
  assert.deepEqual(json.beverages, [chinotto]);
  assert.equal((await forno.call("GET", item)).text, created.text);
  assert.deepEqual((await forno.call("GET", "/api/orders")).json, [json]);
  assert.deepEqual((await stream.next()).data, json);
  const [line] = contentOf((await forno.asStaff("GET", "/api/backup")).text).orders;
  assert.deepEqual(line, { ...json, placedBy: "rosa" });
});

test("a name is as it was when ordered, and a new reference takes the present one", async (t) => {
  const forno = await startWithOrder(t);
  for (const [path, name] of [["toppings/rucola", "Arugula"], ["beverages/birra", "Bock"]]) {
    await forno.asStaff("PATCH", `/api/${path}`, { name });
  }
  for (const path of ["toppings/funghi", "pizzasizes/grande", "beverages/chinotto"]) {
    await forno.asStaff("DELETE", `/api/${path}`);
  }
  const { json: before } = await forno.call("GET", item);
  assert.deepEqual([before.pizzaSize, before.toppings], [large, [mushrooms, rocket]]);
  const ids = { toppings: [{ id: "rucola" }, { id: "funghi" }, { id: "olive-nere" }] };
  const beverages = [{ id: "birra" }, { id: "chinotto" }];
  const { json } = await forno.asStaff("PATCH", item, { ...ids, beverages });
  assert.deepEqual(json.toppings, [rocket, mushrooms, { id: "olive-nere", name: "Black olives" }]);
  assert.deepEqual(json.beverages, [{ id: "birra", name: "Bock" }, chinotto]);
  assert.deepEqual(json.pizzaSize, large);
});

test("names in a body count for nothing", async (t) => {
  const forno = await startWithOrder(t);
  const before = await forno.call("GET", item);
  const toppings = [{ id: "funghi", name: "Truffle" }, { id: "rucola", name: 5 }];
  const renamed = order({ toppings });
  assert.equal((await forno.asStaff("PUT", item, renamed)).text, before.text);
});

test("a note is kept with the order, and an empty one is none", async (t) => {
  const forno = await startForno(t);
  const note = "Anna, no salt";
  const created = await forno.asStaff("POST", "/api/orders", order({ note }));
  assertResource(created, 201, order({ note }));
  const names = Object.keys(created.json);
  assert.deepEqual(names.slice(4, 7), ["status", "note", "placedAt"]);
  assertResource(await forno.asStaff("PATCH", item, { status: "Ready" }), 200,
    order({ note, status: "Ready" }));
  for (const [method, body] of [
    ["PATCH", { note: null }], ["PATCH", { note: "" }], ["PUT", order({ status: "Ready" })],
    ["PUT", order({ status: "Ready", note: "" })],
  ] as const) {
    await forno.asStaff("PATCH", item, { note });
    assertResource(await forno.asStaff(method, item, body), 200, order({ status: "Ready" }));
  }
  assertFaults(await forno.asStaff("PUT", item, order({ note: null })), ["#/note"]);
  const { json } = await forno.asStaff("POST", "/api/orders", order({ id: "b", note: "" }));
  assert.equal("note" in json, false);
});
