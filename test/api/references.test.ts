/** Orders and the menu items they refer to (contract part 2): introduced, kept, deleted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource } from "./assertions.ts";
import { order } from "./kinds.ts";
import type { Body } from "./kinds.ts";

const item = "/api/orders/tavolo-4";

async function placed(forno: Forno, body: Body = order()): Promise<Body> {
  assertResource(await forno.asStaff("POST", "/api/orders", body), 201, body);
  return body;
}

const introduced: readonly (readonly [why: string, fields: Body, pointers: readonly string[]])[] = [
  ["an unknown size", { pizzaSize: { id: "enorme" } }, ["#/pizzaSize/id"]],
  ["an unknown topping", { toppings: [{ id: "funghi" }, { id: "ananas" }] }, ["#/toppings/1/id"]],
  ["an unknown beverage", { beverages: [{ id: "latte" }] }, ["#/beverages/0/id"]],
  ["the id of another kind", { toppings: [{ id: "birra" }] }, ["#/toppings/0/id"]],
  ["the id in another case", { pizzaSize: { id: "Grande" } }, ["#/pizzaSize/id"]],
  ["an inherited name", { toppings: [{ id: "constructor" }] }, ["#/toppings/0/id"]],
  ["__proto__", { beverages: [{ id: "__proto__" }] }, ["#/beverages/0/id"]],
  [
    "all of it unknown",
    {
      pizzaSize: { id: "x" },
      toppings: [{ id: "x" }, { id: "rucola" }, { id: "y" }],
      beverages: [{ id: "funghi" }],
    },
    ["#/beverages/0/id", "#/pizzaSize/id", "#/toppings/0/id", "#/toppings/2/id"],
  ],
];

test("a reference that a create or an update introduces must exist", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  await placed(forno);
  for (const [, fields, pointers] of introduced) {
    const fresh = { token, body: order({ id: "fresh", ...fields }) };
    assertFaults(await forno.call("POST", "/api/orders", fresh), pointers);
    assertFaults(await forno.asStaff("PUT", item, order(fields)), pointers);
    assertFaults(await forno.asStaff("PATCH", item, fields), pointers);
  }
  assertProblem(await forno.call("GET", "/api/orders/fresh"), "not-found");
  assertResource(await forno.call("GET", item), 200, order());
});

test("faults of the shape and of references are told in one answer", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  const body = { pizzaSize: { id: "x" }, toppings: [{ id: "funghi" }, { id: 1 }], status: "Eaten" };
  const pointers = ["#/pizzaSize/id", "#/toppings/1/id", "#/beverages", "#/status"];
  const response = await forno.asStaff("POST", "/api/orders", body);
  assertFaults(response, pointers);
  const [first, second] = response.json.errors;
  assert.equal(first.detail, 'expected the id of an existing pizza size, got the string "x"');
  const rule = "a string of 1 to 128 characters from A-Z a-z 0-9 , - . _ ~ : @ +";
  assert.equal(second.detail, `expected ${rule}, got the number 1`);
  assertFaults(await forno.asStaff("PUT", item, body), pointers);
  // An item that the order held before stays valid, though it is no longer on the menu.
  await forno.asStaff("DELETE", "/api/pizzasizes/grande");
  const held = { ...body, pizzaSize: { id: "grande" } };
  assertFaults(await forno.asStaff("PUT", item, held), pointers.slice(1));
});

test("an id that no item can have is at fault like one that none has", async (t) => {
  const forno = await startForno(t);
  for (const id of ["", "a b", "..", "🍕", "x".repeat(129)]) {
    const body = order({ pizzaSize: { id }, toppings: [{ id }], beverages: [{ id }] });
    const response = await forno.asStaff("POST", "/api/orders", body);
    assertFaults(response, ["#/beverages/0/id", "#/pizzaSize/id", "#/toppings/0/id"]);
  }
});

test("a client may send back the items that it fetched, whole", async (t) => {
  const forno = await startForno(t);
  const fetched = async (path: string): Promise<Body> => (await forno.call("GET", path)).json;
  const body = order({
    pizzaSize: await fetched("/api/pizzasizes/grande"),
    toppings: [{ ...(await fetched("/api/toppings/funghi")), name: 7 }, { id: "rucola" }],
    beverages: [await fetched("/api/beverages/chinotto")],
  });
  assertResource(await forno.asStaff("POST", "/api/orders", body), 201, order());
  assertResource(await forno.asStaff("PUT", item, body), 200, order());
  assertResource(await forno.call("GET", item), 200, order());
});

const unknownInside: readonly (readonly [fields: Body, pointer: string, detail: string])[] = [
  [
    { toppings: [{ id: "funghi", quantity: 2 }] }, "#/toppings/0/quantity",
    "there is no such field; to have it twice, list it twice",
  ],
  [
    { beverages: [{ id: "birra", size: "0.5 l" }] }, "#/beverages/0/size",
    "there is no such field",
  ],
  [
    { beverages: [{ id: "birra", sizeOption: [] }] }, "#/beverages/0/sizeOption",
    'there is no such field; did you mean "sizeOptions"?',
  ],
  [
    { toppings: [{ id: "funghi", diameterInInches: 1 }] }, "#/toppings/0/diameterInInches",
    "there is no such field",
  ],
  [{ pizzaSize: { id: "grande", quantity: 2 } }, "#/pizzaSize/quantity", "there is no such field"],
  [{ pizzaSize: { id: "grande", constructor: 1 } }, "#/pizzaSize/constructor",
    "there is no such field"],
];

test("anything else inside a reference is refused, also where the order exists", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  for (const [fields, pointer, detail] of unknownInside) {
    for (const method of ["POST", "PUT", "PATCH"]) {
      const body = method === "PATCH" ? fields : order(fields);
      const path = method === "POST" ? "/api/orders" : item;
      const problem = assertFaults(await forno.asStaff(method, path, body), [pointer]);
      assert.equal(problem.errors?.[0]?.detail, detail);
    }
  }
  const proto = JSON.stringify(order({ id: "proto" }))
    .replace('{"id":"grande"', '{"__proto__":{"id":"x"},"id":"grande"');
  assertFaults(await forno.asStaff("POST", "/api/orders", proto), ["#/pizzaSize/__proto__"]);
});

const deletions = ["/api/pizzasizes/grande", "/api/toppings/funghi", "/api/beverages/chinotto"];

test("a menu item in use may be deleted, and orders keep its id", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  const before = await forno.call("GET", item);
  for (const path of deletions) {
    assert.equal((await forno.asStaff("DELETE", path)).status, 204);
    assertProblem(await forno.call("GET", path), "not-found");
  }
  const after = await forno.call("GET", item);
  assert.equal(after.text, before.text);
  assert.equal(after.headers.get("etag"), before.headers.get("etag"));
});

test("an order may be updated while it keeps its deleted items", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  for (const path of deletions) await forno.asStaff("DELETE", path);
  const ready = order({ status: "Ready" });
  assertResource(await forno.asStaff("PUT", item, ready), 200, ready);
  const moved = order({ status: "Ready", toppings: [{ id: "olive-nere" }, { id: "funghi" }] });
  const { toppings } = moved;
  assertResource(await forno.asStaff("PATCH", item, { toppings }), 200, moved);
});

test("a deleted item cannot be introduced, not even again", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  await placed(forno);
  for (const path of deletions) await forno.asStaff("DELETE", path);
  const all = ["#/beverages/0/id", "#/pizzaSize/id", "#/toppings/0/id"];
  const another = { token, body: order({ id: "another" }) };
  assertFaults(await forno.call("POST", "/api/orders", another), all);
  const without = { pizzaSize: { id: "piccola" }, toppings: [], beverages: [] };
  assert.equal((await forno.asStaff("PATCH", item, without)).status, 200);
  assertFaults(await forno.asStaff("PUT", item, order()), all);
  assertResource(await forno.call("GET", item), 200, order(without));
});
