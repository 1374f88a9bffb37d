/** What a backup or a menu may hold, and what becomes of it. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { DocumentReader } from "../../dist/resources/document-reader.js";
import { kindsFor } from "../../dist/resources/kinds.js";
import type { NewResource } from "../../dist/store/content.js";
import { temporaryFolder } from "../helpers/forno.ts";

type Item = Readonly<Record<string, unknown>>;

const topping: Item = { id: "basil", name: "Basil", isVegetarian: true, isVegan: true };
const pizzaSize: Item = { id: "large", name: "Large", diameterInInches: 14 };
const beverage: Item = { id: "cola", name: "Cola", isCarbonated: true, sizeOptions: ["0.5 l"] };
const order: Item = {
  id: "o1",
  pizzaSize: { id: "large" },
  toppings: [{ id: "basil" }, { id: "basil" }],
  beverages: [{ id: "cola" }],
  status: "Ready",
};
const names = { pizzaSize: "Big", toppings: ["Basilico", "Basilico"], beverages: ["Coke"] };
const placedAt = "2026-01-31T18:00:00.000Z";
const updatedAt = "2026-01-31T18:20:00.000Z";
const kept: Item = { ...order, placedAt, updatedAt, placedBy: "anna", names };
const menu = { toppings: [topping], pizzasizes: [pizzaSize], beverages: [beverage] };

function read(t: TestContext, document: unknown): NewResource[] {
  const file = join(temporaryFolder(t), "document.json");
  writeFileSync(file, JSON.stringify(document, null, 1));
  return [...new DocumentReader(file, kindsFor("public"))].map((one) =>
    one.body === undefined ? assert.fail("nothing is removed") : one,
  );
}

/** The last resource of a document, as JSON values. */
function lastOf(t: TestContext, document: unknown): { body: Item; kept: Item } {
  const last = read(t, document).at(-1) ?? assert.fail("nothing was read");
  return { body: JSON.parse(last.body), kept: JSON.parse(`{${last.kept}}`) };
}

test("the menu's resources come as they stand, in the order of their fields", (t) => {
  const shuffled = { isVegan: true, name: "Basil", id: "basil", isVegetarian: true };
  assert.deepEqual(read(t, { ...menu, toppings: [shuffled] }), [
    { kind: "toppings", id: "basil", body: JSON.stringify(topping), kept: "" },
    { kind: "pizzasizes", id: "large", body: JSON.stringify(pizzaSize), kept: "" },
    { kind: "beverages", id: "cola", body: JSON.stringify(beverage), kept: "" },
  ]);
});

test("the shop comes last, wherever it stands, when all that may be sold out is known", (t) => {
  const soldOut = { toppings: ["basil"], pizzasizes: [], beverages: [] };
  const shop = { name: "Da Rosa", isOpen: false, notice: "", soldOut };
  const last = read(t, { shop, ...menu }).at(-1);
  const body = JSON.stringify({ id: "shop", ...shop });
  assert.deepEqual(last, { kind: "shop", id: "shop", body, kept: "" });
  for (const [value, pattern] of [
    [[], /line \d+: "shop": #: expected an object with name, isOpen, .*, got an array of 0$/],
    [[shop], /shop\[0\]: expected an object, got an array$/],
    [{ ...shop, isOpen: 1 }, /"shop": #\/isOpen: expected true or false, got the number 1$/],
    [
      { ...shop, soldOut: { ...soldOut, toppings: ["basil", "cola"] } },
      /"shop": #\/soldOut\/toppings\/1: expected the id of a topping on the menu, got the string "cola"$/,
    ],
  ] as const) {
    assert.throws(() => read(t, { ...menu, shop: value }), pattern);
  }
});

test("an order keeps its times, who placed it and the names it was ordered under", (t) => {
  const { names: _, placedBy: __, ...body } = kept;
  const read = lastOf(t, { ...menu, orders: [kept] });
  assert.deepEqual(read, { body, kept: { placedBy: "anna", names } });
  assert.deepEqual(Object.keys(read.body), Object.keys(body));
});

test("an order with names may hold items that are no longer on the menu", (t) => {
  assert.deepEqual(lastOf(t, { orders: [kept] }).kept["names"], names);
});

test("an order without more gets the time, the menu's names and the usual status", (t) => {
  const { status: _, ...bare } = order;
  const before = new Date().toISOString();
  const read = lastOf(t, { ...menu, orders: [bare] });
  const { placedAt: time, updatedAt: same, ...body } = read.body;
  assert.ok(String(time) >= before && time === same);
  assert.deepEqual(body, { ...order, status: "Preparing" });
  assert.deepEqual(read.kept, {
    names: { pizzaSize: "Large", toppings: ["Basil", "Basil"], beverages: ["Cola"] },
  });
});

test("the menu may stand after the orders that need its names", (t) => {
  const [first] = read(t, { orders: [order], ...menu });
  assert.match(first?.kept ?? "", /"toppings":\["Basil","Basil"\]/);
});

test("lists may be missing, and a backup may say what it is", (t) => {
  assert.deepEqual(read(t, {}), []);
  assert.deepEqual(read(t, { forno: 1, takenAt: placedAt, toppings: [] }), []);
});

/** What is wrong with a document, the line where, and how the message says it. */
const wrong: readonly [name: string, document: object, message: RegExp][] = [
  ["an unknown member", { topings: [] }, /line 2: "topings": .*did you mean "toppings"\?/],
  ["a newer backup", { forno: 2 }, /line 2: "forno": expected a backup of format 1, got the number 2/],
  ["no list", { toppings: {} }, /line 2: "toppings": expected an array, got an object/],
  ["a resource that is none", { toppings: [7] }, /line 3: toppings\[0\]: .*expected an object/],
  ["an unknown field", { toppings: [{ ...topping, price: 1 }] }, /toppings\[0\]: #\/price: /],
  ["no id", { toppings: [{ ...topping, id: undefined }] }, /toppings\[0\]: #\/id: .*got nothing/],
  ["a null id", { toppings: [{ ...topping, id: null }] }, /toppings\[0\]: #\/id: /],
  ["an impossible id", { beverages: [{ ...beverage, id: "a b" }] }, /beverages\[0\]: #\/id: /],
  ["an id twice", { toppings: [topping, topping] }, /line 9: toppings\[1\]: the id "basil"/],
  ["a value out of bounds", { pizzasizes: [{ ...pizzaSize, diameterInInches: 0 }] },
    /pizzasizes\[0\]: #\/diameterInInches: /],
  ["two faults", { toppings: [{ ...topping, name: "", isVegan: 1 }] }, /\(and 1 more\)/],
];

const wrongOrders: readonly [name: string, order: unknown, message: RegExp][] = [
  ["that is none", "o1", /orders\[0\]: .*expected an object/],
  ["without id", { ...kept, id: undefined }, /#\/id: /],
  ["of an unknown status", { ...kept, status: "Eaten" }, /#\/status: /],
  ["with an unknown field", { ...kept, price: 1 }, /#\/price: /],
  ["of an unknown item", { ...order, toppings: [{ id: "rocket" }] }, /#\/toppings\/0\/id: .*rocket/],
  ["of an unknown size", { ...order, pizzaSize: { id: "huge" } }, /#\/pizzaSize\/id: /],
  ["with half a time", { ...kept, placedAt: "2026-01-31" }, /#\/placedAt: expected a time/],
  ["of no day", { ...kept, updatedAt: "2026-02-30T18:00:00.000Z" }, /#\/updatedAt: /],
  ["of no month", { ...kept, updatedAt: "2026-13-01T18:00:00.000Z" }, /#\/updatedAt: /],
  ["with a time that is null", { ...kept, placedAt: null }, /#\/placedAt: /],
  ["placed by no text", { ...kept, placedBy: 7 }, /#\/placedBy: /],
  ["placed by nobody", { ...kept, placedBy: "" }, /#\/placedBy: /],
  ["with names that are none", { ...kept, names: ["Large"] }, /#\/names: /],
  ["with too few names", { ...kept, names: { ...names, toppings: ["Basil"] } },
    /#\/names\/toppings: expected an array of 2/],
  ["with an empty name", { ...kept, names: { ...names, beverages: [""] } },
    /#\/names\/beverages\/0: /],
  ["with a name that is none", { ...kept, names: { ...names, pizzaSize: 7 } },
    /#\/names\/pizzaSize: /],
  ["with names of more", { ...kept, names: { ...names, extras: [] } },
    /#\/names\/extras: there is no such field/],
];

for (const [name, document, message] of wrong) {
  test(`a document with ${name} is refused with its place and the reason`, (t) => {
    assert.throws(() => read(t, document), { name: "DocumentError", message });
  });
}

for (const [name, item, message] of wrongOrders) {
  test(`an order ${name} is refused with its place and the reason`, (t) => {
    assert.throws(() => read(t, { ...menu, orders: [item] }), { name: "DocumentError", message });
  });
}

test("text behind a document that no store wrote is refused", (t) => {
  const file = join(temporaryFolder(t), "document.json");
  writeFileSync(file, `${JSON.stringify(menu)}\n{}`);
  const message = /line 2: .*expected the end of the document/;
  assert.throws(() => [...new DocumentReader(file, kindsFor("public"))], { message });
});

test("a file that is missing is refused at once, before anything is read of it", (t) => {
  const file = join(temporaryFolder(t), "none.json");
  assert.throws(() => new DocumentReader(file, kindsFor("public")), {
    name: "DocumentError",
    message: /none\.json/,
  });
});
