/** Modules of the pages that need no browser (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, storage } from "./values.ts";

const { read } = await load("shared/api");
const { saved, saveText, savedText } = await load("shared/storage");
const { claimsOf, noteRefused, refusedSignIn, signIn, signOut } = await load("shared/session");
const { equalPizzas, wholeOrders } = await load("shared/orders");
const { differences, shopPizzaOf } = await load("shared/pizza-text");

test("where storage is full, the newest text counts, and none after a sign-out", () => {
  saveText("token", "old");
  storage.isFull = true;
  saveText("token", "new");
  assert.equal(savedText("token"), "new");
  saveText("token", null);
  assert.equal(savedText("token"), null);
  storage.isFull = false;
  saveText("token", "next");
  assert.equal(savedText("token"), "next");
});

for (const [text, example] of [
  ["{", { a: 1 }], ["null", { a: 1 }], ["[null]", { a: 1 }], ['{"a":"1"}', { a: 1 }], ["1e400", 1],
  ["[1,true]", [1]], [JSON.stringify("x".repeat(10_001)), ""],
  [JSON.stringify(Array(501).fill(1)), [1]],
] as const) {
  test(`${text.slice(0, 20)} is not taken for ${JSON.stringify(example)}`, () => {
    storage.setItem("/example", text);
    assert.equal(saved("example", example), undefined);
  });
}

test("a stored value that has the form of the example is taken as it is", () => {
  const value = { a: 1, b: [true, false], c: "" };
  storage.setItem("/example", JSON.stringify(value));
  assert.deepEqual(saved("example", { a: 0, b: [true], c: "" }), value);
});

for (const [path, right, ...wrongs] of [
  ["api", "{}", "7", "null"],
  ["api/shop", "", "{}", "[]", "7", "null"],
  ["api/toppings", `[{"id":"a"}]`, "{}", "[null]", "7", `[{"id":1}]`],
  ["api/orders?status=Ready", "[]", "{}", "[null]", "7", `[{"id":1}]`],
  ["api/orders/a", `{"id":"a"}`, "{}", "null", "7", `{"id":1}`],
] as const) {
  test(`an answer of another shape than ${path} has counts as none`, async (t) => {
    let body = "";
    t.mock.method(globalThis, "fetch", async () => new Response(body));
    for (body of wrongs) {
      await assert.rejects(read(path), { message: "no answer of the service" }, body);
    }
    if (right === "") return;
    body = right;
    assert.deepEqual((await read(path)).data, JSON.parse(right));
  });
}

test("a token that was refused is asked about anew once somebody signs in with it again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const payload = Buffer.from(JSON.stringify({ role: "staff", sub: "rosa", exp: 4e9 }));
  const token = `a.${payload.toString("base64url")}.c`;
  signIn(token);
  noteRefused(token, new Response(null, { status: 401 }), 1_000);
  assert.deepEqual(refusedSignIn(), { token, reason: "unknown", since: 1_000 });
  signOut();
  signIn(token);
  assert.equal(refusedSignIn(), undefined);
  signOut();
});

test("a late 401 of an old token says nothing about the new one", () => {
  const [old, renewed] = [1e9, 4e9].map((exp) => {
    const payload = Buffer.from(JSON.stringify({ role: "staff", sub: "rosa", exp }));
    return `a.${payload.toString("base64url")}.c`;
  });
  signIn(renewed);
  noteRefused(old, new Response(null, { status: 401 }), 1_000);
  assert.equal(refusedSignIn(), undefined);
  signOut();
});

test("a text that is no token has no claims", () => {
  const token = (claims: unknown): string =>
    `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
  const claims = { role: "staff", sub: "Zoë", exp: 1e9, device: "d" };
  assert.deepEqual(claimsOf(token(claims)), claims);
  for (const text of ["", "x.y.z", token(1), token({ ...claims, role: 1 }),
    token({ ...claims, exp: 1e13 }), token({ ...claims, sub: "x".repeat(4096) })]) {
    assert.equal(claimsOf(text), undefined, text.slice(0, 40));
  }
});

const at = (minute: number): string => `2026-11-28T19:${String(minute).padStart(2, "0")}:00.000Z`;
const orderOf = (id: string, fields: object = {}): { readonly id: string } =>
  Object.assign({ id, placedAt: at(0), toppings: [] }, fields);

/** The whole orders of some that are Pending, where they say no other status. */
const wholesOf = (orders: readonly object[]): readonly any[] =>
  wholeOrders(orders.map((order) => ({
    status: "Pending", pizzaSize: { id: "large" }, beverages: [], ...order,
  })));

for (const [name, fields, id = "K7QX3M"] of [
  ["Table 7", { table: "Table 7" }],
  ["VIP 2", { table: "VIP 2", group: "K7QX3M" }],
  ["طاولة ٧", { table: "طاولة ٧", group: "K7QX3M" }],
  ["K7QX3M", {}],
  ["K7QX3M", { group: "K7QX3M" }, "AAA111"],
  ["WEB001-1", {}, "WEB001-1"],
  ["…r-1017", {}, "order-1017"],
  ["…ABCDEF", { group: "01JDQ8Z2V3W4X5Y6Z7ABCDEF" }],
  ["…a1b2c3", {}, "5f0e4a34-6a27-4c0e-9d8e-0000a1b2c3"],
] as const) {
  test(`an order ${id} with ${JSON.stringify(fields)} is called ${name}`, () => {
    const [{ title }] = wholesOf([orderOf(id, fields)]);
    assert.equal(title, name);
  });
}

const group = "K7QX3M";
for (const [promise, orders, expected] of [
  ["orders of one group are together", [["a", { group }], ["b", { group }]], [["a", "b"]]],
  ["two tables of one group are two", [["a", { group, table: "7" }], ["b", { group, table: "8" }]],
    [["a"], ["b"]]],
  ["orders of one table without a group are apart", [["a", { table: "7" }], ["b", { table: "7" }]],
    [["a"], ["b"]]],
  ["orders whose ids are numbered are strangers", [["WEB001-1"], ["WEB001-2"]],
    [["WEB001-1"], ["WEB001-2"]]],
  ["a group of one is an order alone", [["a", { group }]], [["a"]]],
  ["a group is no order that has its id", [[group], ["b", { group }]], [[group], ["b"]]],
  ["orders of a group go by time, then as the server lists them",
    [["c", { group, placedAt: at(2) }], ["b", { group, placedAt: at(1) }], ["a", { group,
      placedAt: at(2) }]], [["b", "c", "a"]]],
  ["a cancelled order stays among its group",
    [["a", { group }], ["b", { group, status: "Cancelled" }], ["c", { group }]],
    [["a", "b", "c"]]],
] as const) {
  test(promise, () => {
    const all = orders.map(([id, fields]) => orderOf(id, fields));
    const found = wholesOf(all).map(({ pizzas }) =>
      pizzas.map(({ id }: { readonly id: string }) => id));
    assert.deepEqual(found, expected);
  });
}

const itemsOf = (ids: string): readonly object[] =>
  ids.split(" ").filter(Boolean).map((id) => ({ id, name: id.toUpperCase() }));
const namesIn = (items: readonly { name: string }[]): string =>
  items.map(({ name }) => name).join(" ");

for (const [recipe, toppings, without, added] of [
  ["a b", "a b", "", ""],
  ["a b", "b a", "", ""],
  ["a b", "a", "B", ""],
  ["a b", "", "A B", ""],
  ["a b", "a b c", "", "C"],
  ["a b", "a c", "B", "C"],
  ["a b b", "a b", "B", ""],
  ["a b", "a b b", "", "B"],
  ["a b", "c c", "A B", "C C"],
  // It has left the menu: one on the pizza has its name, one that is missing has none.
  ["a x", "a x", "", ""],
  ["a", "a x", "", "X"],
  ["a x", "a", "", ""],
] as const) {
  test(`a pizza of "${recipe}" ordered with "${toppings}" is without "${without}", plus "${added}"`,
    () => {
      const menu = itemsOf("a b c");
      const found = differences({ toppings: itemsOf(toppings) },
        { toppings: recipe.split(" ") }, menu);
      assert.deepEqual([namesIn(found.without), namesIn(found.added)], [without, added]);
    });
}

test("a pizza of the shop is found by its name alone", () => {
  const pizzas = [{ name: "Prosciutto", toppings: ["a"] }, { name: "Calzone", toppings: ["a"] }];
  for (const [pizza, index] of [
    ["Calzone", 1], ["Prosciutto", 0], ["calzone", -1], [undefined, -1],
  ] as const) {
    assert.equal(shopPizzaOf({ pizza, toppings: itemsOf("a") }, pizzas), pizzas[index]);
  }
});

const wish = {
  pizzaSize: { id: "g" }, toppings: itemsOf("a b b"), pizza: "Calzone", note: "hot", name: "Anna",
  table: "7", status: "Ready",
};
for (const [about, changes, isEqual] of [
  ["toppings in another order", { toppings: itemsOf("b a b") }, true],
  ["other drinks", { beverages: itemsOf("cola") }, true],
  ["another number of toppings", { toppings: itemsOf("a b") }, false],
  ["another size", { pizzaSize: { id: "h" } }, false],
  ["no name of the pizza", { pizza: undefined }, false],
  ["another note", { note: "cold" }, false],
  ["another person", { name: "Bea" }, false],
  ["another table", { table: "8" }, false],
  ["another status", { status: "Preparing" }, false],
] as const) {
  test(`two pizzas with ${about} are ${isEqual ? "equal" : "not equal"}`, () => {
    const other = { ...wish, ...changes };
    assert.deepEqual(equalPizzas([wish, other]), isEqual ? [[wish, other]] : [[wish], [other]]);
  });
}

test("a pizza that was made stays beside those that it is equal to", () => {
  const pizza = (id: string, size: string, status: string): object =>
    orderOf(id, { pizzaSize: { id: size }, status });
  const [a, b, c] = [
    pizza("a", "large", "Ready"), pizza("b", "small", "Ready"), pizza("c", "large", "Preparing"),
  ];
  assert.deepEqual(equalPizzas([a, b, c]), [[a], [c], [b]]);
});

type Pizzas = readonly (readonly [string, object?])[];

/** The whole order of pizzas of one group, each a status and further fields. */
const wholeOf = (...pizzas: Pizzas): any => {
  const orders = pizzas.map(([status, fields], index) => orderOf(`id${index}`, {
    group, status, pizzaSize: { id: "large" }, beverages: [], ...fields,
  }));
  const wholes = wholeOrders(orders);
  assert.equal(wholes.length, 1);
  return wholes[0];
};

for (const [stage, statuses] of [
  ["new", ["Ready", "Pending", "Preparing"]],
  ["making", ["Ready", "Preparing", "Out for Delivery"]],
  ["ready", ["Out for Delivery", "Ready", "Delivered"]],
  ["on the way", ["Delivered", "Out for Delivery", "Cancelled"]],
  ["closed", ["Delivered", "Cancelled"]],
  ["closed", ["Cancelled"]],
] as const) {
  test(`an order of ${statuses.join(", ")} is ${stage}`, () => {
    assert.equal(wholeOf(...statuses.map((status) => [status] as const)).stage, stage);
  });
}

test("an order is called by its table, else its name, else its number", () => {
  assert.equal(wholeOf(["Pending", { table: "Table 7", name: "Anna" }]).title, "Table 7");
  assert.equal(wholeOf(["Pending", { name: "Anna" }]).title, "Anna");
  assert.equal(wholeOf(["Pending"]).title, group);
});

test("an order has the name of its oldest open pizza that has one", () => {
  const whole = wholeOf(["Delivered", { name: "Bruno" }], ["Ready"], ["Pending", { name: "Anna" }]);
  assert.equal(whole.name, "Anna");
});

test("an order counts the pizzas that are not cancelled, and the made ones among them", () => {
  const { count, readyCount } = wholeOf(["Ready"], ["Delivered"], ["Preparing"], ["Cancelled"]);
  assert.deepEqual([count, readyCount], [3, 2]);
});

test("an order keeps the drinks of a cancelled pizza until all of it is cancelled", () => {
  const drinks = { beverages: [{ id: "cola", name: "Cola" }] };
  assert.deepEqual(wholeOf(["Cancelled", drinks], ["Ready"]).drinks, drinks.beverages);
  assert.deepEqual(wholeOf(["Cancelled", drinks], ["Cancelled"]).drinks, []);
});

test("an order is due when it was placed, or at the earliest time that it is wanted", () => {
  const whole = (...pizzas: Pizzas): readonly string[] => {
    const { placedAt, wantedAt, dueAt } = wholeOf(...pizzas);
    return [placedAt, wantedAt, dueAt];
  };
  assert.deepEqual(whole(["Delivered"], ["Ready", { placedAt: at(3) }]),
    [at(3), undefined, at(3)]);
  const [soon, later] = [{ wantedAt: at(30) }, { wantedAt: at(40) }];
  assert.deepEqual(whole(["Pending", later], ["Pending", soon]), [at(0), at(30), at(30)]);
});

test("closed pizzas of a number that was used on another day are no part of an open order", () => {
  const placed = (placedAt: string): object => ({ placedAt });
  const whole = wholeOf(
    ["Delivered", placed("2026-11-27T19:00:00.000Z")],
    ["Delivered", placed("2026-11-28T18:00:00.000Z")],
    ["Pending", placed("2026-11-28T19:00:00.000Z")],
  );
  assert.deepEqual(whole.pizzas.map(({ id }: { readonly id: string }) => id), ["id1", "id2"]);
});

const { tableNameOf } = await load("shared/table-names");

test("digits alone are the table that the cards of this device call so", () => {
  storage.setItem("/table-cards", JSON.stringify("Table 1\nPatio 12"));
  assert.deepEqual(["7", "12", " 1 ", "Bar", "2b"].map(tableNameOf),
    ["Table 7", "Patio 12", "Table 1", "Bar", "2b"]);
});

const { changeOrders } = await load("board/known-orders");
const { boundsOf, changeDay, addDays, dateOf } = await load("board/day");

test("an older state of an order, heard late, never replaces a newer one", () => {
  const order = (status: string, minute: number): object => orderOf("a", {
    status, pizzaSize: { id: "g", name: "Large" }, beverages: [], updatedAt: at(minute),
  });
  const hear = (known: unknown, data: object): { orders: Map<string, { status: string }> } =>
    changeOrders(known, [{ event: "orders.updated", data }], 0);
  const newer = hear({ orders: new Map(), marks: new Map() }, order("Ready", 2));
  assert.equal(hear(newer, order("Preparing", 1)).orders.get("a")?.status, "Ready");
  assert.equal(hear(newer, order("Delivered", 2)).orders.get("a")?.status, "Delivered");
});

test("an older state of an order, heard late, never replaces a newer one of a day", () => {
  const order = (status: string, minute: number): object =>
    orderOf("a", { status, updatedAt: at(minute) });
  const day = { date: dateOf(at(0)), orders: [order("Cancelled", 2)] };
  const hear = (data: object): { orders: unknown } =>
    changeDay(day, { event: "orders.updated", data }, Date.parse(at(0)));
  assert.deepEqual(hear(order("Pending", 1)).orders, day.orders);
  assert.deepEqual(hear(order("Pending", 3)).orders, [order("Pending", 3)]);
});

test("an order that is being sent keeps its place, whatever is heard of it", () => {
  const [shown, data] = ["Pending", "Preparing"].map((status) =>
    orderOf("a", { status, updatedAt: at(0) }));
  const mark = { type: "sending", shown };
  const known = { orders: new Map([["a", shown]]), marks: new Map([["a", mark]]) };
  assert.equal(changeOrders(known, [{ event: "orders.updated", data }], 0).marks.get("a"), mark);
});

const { inchesIn } = await load("board/item-fields");

for (const [typed, inches] of [
  ["25.5", 10.0394], [" 25,5", 10.0394], ["٢٥٫٥", 10.0394], ["۲۵", 9.8425], [".5", 0.1969],
  ["wide", 0], ["-3", 0], ["1e3", 0], ["", 0],
] as const) {
  test(`${JSON.stringify(typed)} centimeters are ${inches || "no"} inches`, () => {
    assert.equal(inchesIn(typed), inches);
  });
}

test("a day goes from five in the morning to five, by the clock of the place", () => {
  const local = (day: number, hour: number, minute: number): string =>
    new Date(2026, 10, day, hour, minute).toISOString();
  assert.equal(dateOf(local(28, 4, 59)), "2026-11-27");
  assert.equal(dateOf(local(28, 5, 0)), "2026-11-28");
  const { start, end } = boundsOf("2026-11-30");
  assert.deepEqual([start.getHours(), end.getDate(), end.getHours()], [5, 1, 5]);
  assert.equal(addDays("2026-12-01", -1), "2026-11-30");
});
