/**
 * Orders and the menu items they refer to (contract part 2): introduced, named, kept, deleted; and
 * the optional texts of an order or an item.
 */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Forno, startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource } from "./assertions.ts";
import { type Body, itemPath, order, samples } from "../helpers/samples.ts";

const item = "/api/orders/tavolo-4";

async function startWithOrder(t: TestContext): Promise<Forno> {
  const forno = await startForno(t);
  assertResource(await forno.asStaff("POST", "/api/orders", order()), 201, order());
  return forno;
}

/** Fields of an order, the pointers of their faults, and the detail of the first one. */
const refused: readonly (readonly [Body, pointers: readonly string[], detail?: string])[] = [
  [{ pizzaSize: { id: "enorme" } }, ["#/pizzaSize/id"],
    'expected the id of an existing pizza size, got the string "enorme"'],
  [{ toppings: [{ id: "funghi" }, { id: "ananas" }] }, ["#/toppings/1/id"]],
  [{ beverages: [{ id: "latte" }] }, ["#/beverages/0/id"]],
  [{ toppings: [{ id: "birra" }] }, ["#/toppings/0/id"]], // The id of another kind.
  [{ pizzaSize: { id: "Grande" } }, ["#/pizzaSize/id"]],
  [{ toppings: [{ id: "constructor" }] }, ["#/toppings/0/id"]],
  [{ pizzaSize: { id: "x" }, toppings: [{ id: "y" }, { id: "funghi" }], beverages: [{ id: "z" }] },
    ["#/pizzaSize/id", "#/toppings/0/id", "#/beverages/0/id"]],
  // The shape comes first.
  [{ pizzaSize: { id: "x" }, toppings: [{ id: "y" }, { id: 1 }], status: "Eaten" },
    ["#/toppings/1/id", "#/status"]],
  [{ toppings: [{ id: "funghi", quantity: 2 }] }, ["#/toppings/0/quantity"],
    "there is no such field; to have it twice, list it twice"],
  [{ beverages: [{ id: "birra", size: "0.5 l" }] }, ["#/beverages/0/size"],
    "there is no such field"],
  [{ beverages: [{ id: "birra", sizeOption: [] }] }, ["#/beverages/0/sizeOption"],
    'there is no such field; did you mean "sizeOptions"?'],
  [{ pizzaSize: { id: "grande", quantity: 2 } }, ["#/pizzaSize/quantity"],
    "there is no such field"],
  [{ pizzaSize: { id: "grande", constructor: 1 } }, ["#/pizzaSize/constructor"]],
  [{ pizzaSize: JSON.parse('{"__proto__":{"id":"x"},"id":"grande"}') }, ["#/pizzaSize/__proto__"]],
];

test("a new reference must exist, and have no member that the item does not have", async (t) => {
  const forno = await startWithOrder(t);
  for (const [fields, pointers, detail] of refused) {
    for (const [method, path, body] of [
      ["POST", "/api/orders", order({ id: "fresh", ...fields })],
      ["PUT", item, order(fields)],
      ["PATCH", item, fields],
    ] as const) {
      const { errors } = assertFaults(await forno.asStaff(method, path, body), pointers);
      if (detail !== undefined) assert.equal(errors?.[0]?.detail, detail);
    }
  }
  assertProblem(await forno.call("GET", "/api/orders/fresh"), "not-found");
  assertResource(await forno.call("GET", item), 200, order());
});

test("only the ids of fetched items count, and the order names each item", async (t) => {
  const forno = await startForno(t);
  const fetched = async (path: string): Promise<Body> => (await forno.call("GET", path)).json;
  const body = order({
    pizzaSize: { ...(await fetched("/api/pizzasizes/grande")), name: "Huge" },
    toppings: [
      { ...(await fetched("/api/toppings/funghi")), name: 7, isVegan: {} }, { id: "rucola" },
    ],
    beverages: [await fetched("/api/beverages/chinotto")],
  });
  const created = await forno.asStaff("POST", "/api/orders", body);
  assertResource(created, 201, order());
  const { pizzaSize, toppings, beverages } = created.json;
  assert.deepEqual([pizzaSize, ...toppings, ...beverages].map(({ name }) => name),
    ["Large", "Mushrooms", "Rocket", "Chinotto"]);
  assert.equal((await forno.asStaff("PUT", item, body)).text, created.text);
});

const deletions = ["/api/pizzasizes/grande", "/api/toppings/funghi", "/api/beverages/chinotto"];
const all = ["#/pizzaSize/id", "#/toppings/0/id", "#/beverages/0/id"];

test("an order keeps its items, and their names, when they are renamed or deleted", async (t) => {
  const forno = await startWithOrder(t);
  const before = await forno.call("GET", item);
  await forno.write("PATCH", "/api/toppings/rucola", { name: "Arugula" });
  await forno.write("PATCH", "/api/beverages/birra", { name: "Bock" });
  for (const path of deletions) await forno.write("DELETE", path);
  const after = await forno.call("GET", item);
  assert.deepEqual([after.text, after.headers.get("etag")],
    [before.text, before.headers.get("etag")]);
  const ready = order({ status: "Ready" });
  assertResource(await forno.asStaff("PUT", item, ready), 200, ready);
  assertFaults(await forno.asStaff("PUT", item, order({ status: "Eaten" })), ["#/status"]);
  // A new reference takes the present name, and a deleted item cannot be introduced.
  assertFaults(await forno.asStaff("POST", "/api/orders", order({ id: "another" })), all);
  const { json } = await forno.asStaff("PATCH", item, {
    toppings: [{ id: "rucola" }, { id: "funghi" }, { id: "olive-nere" }],
    beverages: [{ id: "birra" }, { id: "chinotto" }],
  });
  assert.deepEqual([json.pizzaSize, ...json.toppings, ...json.beverages].map(({ name }) => name),
    ["Large", "Rocket", "Mushrooms", "Black olives", "Bock", "Chinotto"]);
  // Not even again.
  const without = { pizzaSize: { id: "piccola" }, toppings: [], beverages: [] };
  assertResource(await forno.asStaff("PATCH", item, without), 200, { ...ready, ...without });
  assertFaults(await forno.asStaff("PUT", item, order()), all);
});

for (const sample of samples) {
  const { path, body, optional } = sample;
  const item = itemPath(sample);
  const names = Object.keys(optional);

  test(`${path}: a PUT without ${names} keeps it, "" and null in a PATCH remove it`, async (t) => {
    const forno = await startForno(t);
    const before = Object.keys(body);
    const created = await forno.asStaff("POST", path, { ...optional, ...body });
    assertResource(created, 201, { ...body, ...optional });
    assert.deepEqual(Object.keys(created.json).slice(before.length, before.length + names.length),
      names, "they stand behind the others");
    const kept = await forno.asStaff("PUT", item, body);
    assert.equal(kept.text, created.text, "nothing has changed");
    for (const name of names) {
      const { [name]: _, ...others } = { ...body, ...optional };
      for (const [method, change] of [
        ["PATCH", { [name]: null }], ["PATCH", { [name]: "" }], ["PUT", { ...body, [name]: "" }],
      ] as const) {
        await forno.write("PATCH", item, optional);
        assertResource(await forno.asStaff(method, item, change), 200, others);
        assertResource(await forno.asStaff("PATCH", item, { [name]: null }), 200, others);
      }
      assertFaults(await forno.asStaff("PUT", item, { ...body, [name]: null }), [`#/${name}`]);
    }
    const empty = Object.fromEntries(names.map((name) => [name, ""]));
    const { json } = await forno.asStaff("POST", path, { ...body, id: "b", ...empty });
    for (const name of names) assert.equal(name in json, false);
  });
}
