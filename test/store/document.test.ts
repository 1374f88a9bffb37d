/** The documents that a new store can be filled with: menus, and backups of Forno 1 and 2. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { allKinds } from "../../src/resources/kinds.ts";
import { readDocument } from "../../src/store/document.ts";
import type { Tables } from "../../src/store/tables.ts";
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

/** Reads a document in the layout of a person. */
function read(t: TestContext, document: unknown): Tables {
  const file = join(temporaryFolder(t), "document.json");
  writeFileSync(file, JSON.stringify(document, null, 1));
  return readDocument(file, allKinds);
}

/** The rows of a kind: values, members that only the store keeps, and places. */
function rowsOf(tables: Tables, kind: string): unknown[] {
  const found = tables.kinds.find(({ name }) => name === kind) ?? assert.fail(kind);
  return Array.from(tables.of(found).rows, ({ value, kept, seq }) => ({ value, kept, seq }));
}

/** The only order of a document. */
function orderOf(t: TestContext, document: unknown): { value: Item; kept: Item } {
  const [row] = rowsOf(read(t, document), "orders") as { value: Item; kept: Item }[];
  return row ?? assert.fail("nothing was read");
}

test("the menu's resources come as they stand, in the order of their fields", (t) => {
  const shuffled = { isVegan: true, name: "Basil", id: "basil", isVegetarian: true };
  const found = read(t, { ...menu, toppings: [shuffled] });
  for (const [kind, value] of [
    ["toppings", topping],
    ["pizzasizes", pizzaSize],
    ["beverages", beverage],
  ] as const) {
    const rows = rowsOf(found, kind);
    assert.deepEqual(rows, [{ value, kept: undefined, seq: 1 }]);
    assert.equal(JSON.stringify((rows[0] as { value: Item }).value), JSON.stringify(value));
  }
});

const soldOut = { toppings: ["basil"], pizzasizes: [], beverages: [] };
const shop = { name: "Da Rosa", isOpen: false, notice: "", soldOut };

test("a shop has its place, 0 if it was never changed, and what was sold out", (t) => {
  for (const [document, seq] of [
    [{ ...menu, shop }, 0],
    [{ shop: { ...shop, seq: 7, crc: "01234567" } }, 7],
  ] as const) {
    const value = { id: "shop", ...shop };
    assert.deepEqual(rowsOf(read(t, document), "shop"), [{ value, kept: undefined, seq }]);
  }
  const [first] = rowsOf(read(t, menu), "shop") as { seq: number }[];
  assert.equal(first?.seq, 0);
});

test("a list is in the order of the document, whatever places it names", (t) => {
  const toppings = [5, 3, undefined, 7.5, 9].map((seq, index) => ({ ...topping, id: `t${index}`, seq }));
  const rows = rowsOf(read(t, { toppings }), "toppings") as { value: Item; seq: number }[];
  const found = rows.map(({ value: { id }, seq }) => [id, seq]);
  assert.deepEqual(found, [["t0", 5], ["t1", 6], ["t2", 7], ["t3", 8], ["t4", 9]]);
});

test("an order keeps its times, who placed it and its names, of deleted items too", (t) => {
  const { names: _, placedBy: __, ...body } = kept;
  const { value, kept: beside } = orderOf(t, { orders: [kept] });
  const expected = { ...body, statusSince: updatedAt };
  assert.deepEqual([value, beside], [expected, { placedBy: "anna", names }]);
  assert.deepEqual(Object.keys(value), Object.keys(expected));
});

test("an order without more gets the time, the menu's names and the usual status", (t) => {
  const { status: _, ...bare } = order;
  const before = new Date().toISOString();
  // The menu may stand behind the orders.
  const found = orderOf(t, { orders: [bare], ...menu });
  const { placedAt: time, updatedAt, statusSince, ...body } = found.value;
  assert.ok(String(time) >= before);
  assert.deepEqual([updatedAt, statusSince], [time, time]);
  assert.deepEqual(body, { ...order, status: "Preparing" });
  assert.deepEqual(found.kept, {
    names: { pizzaSize: "Large", toppings: ["Basil", "Basil"], beverages: ["Cola"] },
  });
});

test("lists may be missing", (t) => {
  const tables = read(t, { forno: 1, seq: 12, takenAt: placedAt, toppings: [] });
  for (const kind of ["toppings", "orders"]) assert.deepEqual(rowsOf(tables, kind), []);
  assert.equal(rowsOf(tables, "shop").length, 1);
});

/** Wrong documents, with the place and the reason that the message must name. */
const wrong: readonly [name: string, document: object, message: RegExp][] = [
  ["a shop that is none", { shop: [shop] }, /"shop": .*expected an object .*, got an array/],
  ["a bad shop", { shop: { ...shop, isOpen: 1 } }, /"shop": #\/isOpen: expected a boolean.* 1$/],
  ["an unknown member", { topings: [] }, /: "topings": .*did you mean "toppings"\?/],
  ["a newer format", { forno: 3 }, /: "forno": expected a document of format 1, got the number 3/],
  ["no list", { toppings: {} }, /: "toppings": expected an array, got an object/],
  ["a resource that is none", { toppings: [7] }, /: toppings\[0\]: .*expected an object/],
  ["an unknown field", { toppings: [{ ...topping, price: 1 }] }, /toppings\[0\]: #\/price: /],
  ["no id", { toppings: [{ ...topping, id: undefined }] }, /toppings\[0\]: #\/id: required, /],
  ["an impossible id", { beverages: [{ ...beverage, id: "a b" }] }, /beverages\[0\]: #\/id: /],
  ["an id twice", { toppings: [topping, topping] }, /: toppings\[1\]: the id "basil"/],
  ["a value out of bounds", { pizzasizes: [{ ...pizzaSize, diameterInInches: 0 }] },
    /pizzasizes\[0\]: #\/diameterInInches: /],
  ["two faults", { toppings: [{ ...topping, name: "", isVegan: 1 }] }, /\(and 1 more\)/],
];

const wrongOrders: readonly [name: string, order: unknown, message: RegExp][] = [
  ["that is none", "o1", /orders\[0\]: .*expected an object/],
  ["without id", { ...kept, id: undefined }, /#\/id: /],
  ["of an unknown status", { ...kept, status: "Eaten" }, /#\/status: /],
  ["of an unknown item", { ...order, toppings: [{ id: "x" }] }, /#\/toppings\/0\/id: .*"x"/],
  ["with half a time", { ...kept, placedAt: "2026-01-31" }, /#\/placedAt: expected .* a time/],
  ["of no month", { ...kept, updatedAt: "2026-13-01T18:00:00.000Z" }, /#\/updatedAt: /],
  ["placed by no text", { ...kept, placedBy: 7 }, /#\/placedBy: /],
  ["with names that are none", { ...kept, names: ["Large"] }, /#\/names: /],
  ["with too few names", { ...kept, names: { ...names, toppings: ["Basil"] } },
    /#\/names\/toppings: expected an array of 2/],
  ["with an empty name", { ...kept, names: { ...names, beverages: [""] } },
    /#\/names\/beverages\/0: /],
  ["with names of more", { ...kept, names: { ...names, extras: [] } },
    /#\/names\/extras: there is no such field/],
];

test("a wrong document is refused with the place and the reason", (t) => {
  for (const [name, document, message] of wrong) {
    assert.throws(() => read(t, document), { code: "document", message }, name);
  }
  for (const [name, item, message] of wrongOrders) {
    const document = { ...menu, orders: [item] };
    assert.throws(() => read(t, document), { code: "document", message }, `an order ${name}`);
  }
});

test("a menu is read in any layout", (t) => {
  const file = join(temporaryFolder(t), "document.json");
  for (const text of [
    JSON.stringify(menu),
    JSON.stringify(menu, null, "\t").replaceAll("\n", "\r\n"),
    `\ufeff${JSON.stringify(menu)}\n\n`,
  ]) {
    writeFileSync(file, text);
    const tables = readDocument(file, allKinds);
    for (const [name, [value]] of Object.entries(menu)) {
      assert.deepEqual(rowsOf(tables, name), [{ value, kept: undefined, seq: 1 }]);
    }
  }
});

test("a file that is no document is refused with the reason, and the line where JSON ends", (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "document.json");
  for (const [content, message] of [
    ["", /expected JSON: /],
    ["toppings: []", /expected JSON: /],
    ['{"toppings":[\n{"id":"basil","na', /, line 2: expected JSON: /],
    [`${JSON.stringify(menu)}\n{}`, /expected JSON: /],
    ["[]", /expected an object with a list for each kind, got an array of 0/],
    ['{"toppings":[],"crc":"01234567"}', /its checksum is wrong; .* delete its last "crc"/],
    ['{"forno":1,"seq":1}\n{"seq":2', /: it is a store: copy it into an empty DATA_DIR as store/],
    [Buffer.from('{"toppings":[{"id":"é"}]}', "latin1"), /expected UTF-8, got other bytes/],
  ] as const) {
    writeFileSync(file, content);
    assert.throws(() => readDocument(file, allKinds), { code: "document", message });
  }
  for (const [path, message] of [
    [join(folder, "none.json"), /none\.json: ENOENT/],
    [folder, /EISDIR/],
  ] as const) {
    assert.throws(() => readDocument(path, allKinds), { code: "document", message });
  }
});
