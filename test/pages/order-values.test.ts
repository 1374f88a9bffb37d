/** Values that the order page works out without a browser (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, storage } from "./values.ts";

const { emptyMenu } = await load("shared/menu");
const { freshBasket, isFrozen, merged, withPizza, withSize, withSplit, withToppings } =
  await load("order/basket");
const {
  ended, firstRefused, heard, placed, placedUnseen, pressed, requested, startedOver, withMenu,
} = await load("order/events");
const { oneLine, roomIn, wholeOrEmpty } = await load("order/typed-text");

const group = "K7QX3M";
const at = (minute: number): string => `2026-11-28T19:0${minute}:00.000Z`;
const row = {
  key: "A", count: 1, pizza: "Funghi", size: "grande", toppings: ["funghi", "basil"],
  note: " no salt", isApart: false,
};
const sent = {
  id: "ORDER-1", group, pizza: "Funghi", note: "no salt", pizzaSize: { id: "grande" },
  toppings: [{ id: "basil" }, { id: "funghi" }], beverages: [{ id: "water" }], placedAt: at(0),
  updatedAt: at(0),
};
for (const [promise, rows, arrived, left, drinks] of [
  ["an order takes along the pizzas that it holds", [row], {}, 0, 0],
  ["a pizza more of a row stays", [{ ...row, count: 3 }], {}, 2, 0],
  ["a pizza whose note was changed since it was sent stays", [{ ...row, note: "nuts!" }], {}, 1, 0],
  ["one with other toppings stays", [{ ...row, toppings: ["funghi"] }], {}, 1, 0],
  ["one of another size stays", [{ ...row, size: "piccola" }], {}, 1, 0],
  ["one with another name stays", [{ ...row, pizza: "" }], {}, 1, 0],
  ["an order that the shop has changed takes its pizza along, too", [row],
    { note: "at the window", updatedAt: at(1) }, 0, 0],
  ["drinks that came later stay", [row], { beverages: [] }, 0, 1],
] as const) {
  test(promise, () => {
    const basket = {
      ...freshBasket(""), idPrefix: "ORDER", group, rows, beverages: ["water"],
      sent: { orders: [sent], by: "", arrival: "maybe" },
    };
    const before = { basket, ownOrders: [], addressTable: "" };
    const { basket: after } = placed(before, [{ ...sent, ...arrived }]);
    const count = after.rows.reduce((sum: number, one: { count: number }) => sum + one.count, 0);
    assert.deepEqual([count, after.beverages.length, after.sent.orders], [left, drinks, []]);
    assert.notEqual(after.idPrefix, basket.idPrefix, "it has ids of its own");
    assert.notEqual(after.group, basket.group);
  });
}

/** Two pizzas, chosen by carla. The shop gives all of it, or none, or a part. */
const choosing = {
  basket: { ...freshBasket(""), rows: [{ ...row, count: 2 }] }, menu: emptyMenu, ownOrders: [],
  orders: new Map(), claims: { role: "customer", sub: "carla" }, addressTable: "", gone: [],
  sending: "no", isDenied: false, message: "",
};
const waiting = pressed(choosing);
const sending = requested(waiting, "carla");
const stopped = ended(sending, "stopped", "");
const reloaded = { ...stopped, sending: "no" };
const bodies: readonly { readonly id: string }[] = sending.basket.sent.orders;
const inShop = (count: number): unknown => new Map(bodies.slice(0, count).map((body) =>
  [body.id, { ...body, placedAt: at(0), updatedAt: at(0) }]));
const hear = (state: object, count: number, isWhole: boolean, more: object = {}): any =>
  heard({ ...state, orders: inShop(count), ...more }, isWhole);

for (const [promise, after, expected] of [
  ["an order that is pressed is sent", waiting, "sending"],
  ["an order that is stopped before a request went out is chosen again",
    ended(waiting, "stopped", ""), "choosing"],
  ["an order that is stopped after its request went out is in doubt", stopped, "in doubt"],
  ["an order that is stopped after its first request was refused is chosen again",
    ended(firstRefused(sending), "stopped", ""), "choosing"],
  ["a load that finds nothing says nothing of an order that is sent",
    hear(sending, 0, true), "sending"],
  ["a load that finds nothing ends the doubt", hear(reloaded, 0, true), "choosing"],
  ["an event about another order does not end the doubt", hear(reloaded, 0, false), "in doubt"],
  ["a load under another sign-in does not end the doubt",
    hear(reloaded, 0, true, { claims: undefined }), "in doubt"],
  ["a load that the shop denies does not end the doubt",
    hear(reloaded, 0, true, { isDenied: true }), "in doubt"],
  ["a load while another window may send does not end the doubt",
    hear(reloaded, 0, true, { sending: "elsewhere" }), "in doubt"],
  ["a denied load ends the doubt about an order of which no request went out",
    hear({ ...waiting, sending: "no" }, 0, true, { isDenied: true }), "choosing"],
  ["the first event of two pizzas says nothing yet", hear(sending, 1, false), "sending"],
  ["the events of all pizzas place an order", hear(sending, 2, false), "placed"],
  ["the events of all pizzas place an order in doubt", hear(stopped, 2, false), "placed"],
  ["a load with a part of it places that, and the rest stays", hear(reloaded, 1, true),
    "another order"],
  ["an order that turns up after it was chosen again is placed",
    hear(hear(reloaded, 0, true), 2, false), "placed"],
  ["a window that knows of nothing sent is not told by an event", hear(choosing, 1, false),
    "choosing"],
  ["an order that the shop shows to another sign-in is placed", placedUnseen(sending, 0), "placed"],
  ["an order in doubt can be left to itself", startedOver(stopped, 0), "another order"],
] as const) {
  test(promise, () => {
    const { basket, sending: by, ownOrders } = after;
    const isSame = basket.idPrefix === choosing.basket.idPrefix;
    const found = !isSame ? basket.rows.length === 0 ? "placed" : "another order"
      : !isFrozen(basket) ? "choosing" : by === "here" ? "sending" : "in doubt";
    assert.equal(found, expected);
    assert.deepEqual(ownOrders.map((ownOrder: { group: string }) => ownOrder.group),
      isSame ? [] : [choosing.basket.group]);
  });
}

test("what was sent is sent again as it was, with the same ids, until the shop has told", () => {
  const changed = { ...reloaded, basket: { ...reloaded.basket, rows: [row] } };
  assert.deepEqual(requested(pressed(changed), "carla").basket.sent, sending.basket.sent);
  assert.deepEqual(withMenu(changed, emptyMenu).basket, changed.basket, "nothing is taken off");
  const again = pressed(hear(changed, 0, true)).basket.sent.orders;
  assert.deepEqual(again.map(({ id }: { id: string }) => id), [bodies[0]?.id]);
});

test("nobody is known to have sent an order that two people have sent", () => {
  assert.equal(requested(pressed(reloaded), "bruno").basket.sent.by, "");
});

test("a stopped order that has arrived says so, unless something is left", () => {
  assert.equal(hear(stopped, 2, true).message, "The order that you stopped had arrived already.");
  const more = { ...stopped, basket: { ...stopped.basket, beverages: ["water"] } };
  assert.match(hear(more, 2, true).message, /What you chose since then is still here/);
  assert.equal(hear(sending, 2, true).message, "");
});

const countsOf = ({ rows }: { rows: typeof row[] }): unknown =>
  rows.map(({ count, pizza, size, toppings }) => [count, pizza, size, toppings.join()]);
const marinara = { name: "Marinara", toppings: ["sauce", "garlic"] };

test("a size alone is a choice, and the next pizza takes it, but not the one after", () => {
  const large = withSize(freshBasket(""), "large");
  assert.deepEqual(countsOf(large), []);
  const two = withPizza(withPizza(large, marinara), marinara);
  assert.deepEqual(countsOf(two), [[1, "Marinara", "large", "sauce,garlic"],
    [1, "Marinara", "", "sauce,garlic"]]);
  assert.deepEqual(countsOf(withSize(two, "large")), [[2, "Marinara", "large", "sauce,garlic"]]);
});

test("one of equal pizzas that was split stays a row of its own", () => {
  const one = withPizza(withSize(freshBasket(""), "large"), marinara);
  const two = { ...one, rows: one.rows.map((equal: object) => ({ ...equal, count: 2 })) };
  const split = merged(withSplit(two, one.rows[0].key));
  assert.deepEqual(split.rows.map(({ count }: { count: number }) => count), [1, 1]);
});

test("a pizza that began with a topping ends with its last one; the shop's stays without", () => {
  const own = withToppings(withSize(freshBasket(""), "large"), "", ["basil"]);
  const none = withToppings(own, own.current, []);
  assert.deepEqual([none.rows, none.nextSize], [[], "large"]);
  const shop = withPizza(freshBasket(""), marinara);
  assert.deepEqual(countsOf(withToppings(shop, shop.current, [])), [[1, "Marinara", "", ""]]);
});

test("a text is whole or none, counted in code points, and has one line", () => {
  assert.equal(wholeOrEmpty(`${"x".repeat(198)}🍕🍕`).length, 202);
  assert.equal(wholeOrEmpty(`${"x".repeat(199)}🍕🍕`), "");
  assert.equal(roomIn("🍕é"), 198);
  assert.equal(oneLine("no\tnuts\nplease\u2028"), "no nuts please ");
});

const { savedBasket, saveBasket, savedOwnOrders } = await load("order/saved");

const kept = { ...freshBasket(""), rows: [row], beverages: ["water"], name: "Anna" };
const store = (changes: object = {}): void => {
  storage.setItem("/basket", JSON.stringify({ ...kept, changedAt: Date.now(), ...changes }));
};

test("the basket of the device is found again, each text in one line, too long ones not", () => {
  store({ rows: [{ ...row, note: "no\nnuts", pizza: "x".repeat(201) }] });
  assert.deepEqual(savedBasket(), { ...kept, rows: [{ ...row, note: "no nuts", pizza: "" }] });
});

test("what any tab has sent stays with the basket, whichever tab saves it", () => {
  const orders = [{ ...sent, name: "", table: "", wantedAt: "", status: "Pending",
    pizzaSize: { id: "grande", name: "Large" }, toppings: [], beverages: [] }];
  const own = { orders, by: "carla", arrival: "maybe" };
  saveBasket({ ...kept, sent: own });
  saveBasket(kept);
  assert.equal(savedBasket().sent.arrival, "maybe");
  saveBasket({ ...kept, idPrefix: "B".repeat(18) });
  assert.deepEqual(savedBasket().sent.orders, []);
});

for (const changes of [
  { rows: [{ size: "grande" }] }, { rows: [{ ...row, count: 0.5 }] },
  { rows: [{ ...row, count: 13 }] }, { rows: [{ ...row, key: "" }] }, { idPrefix: "../x" },
  { group: "../x" }, { name: { a: 1 } }, { changedAt: 9e15 }, { changedAt: 0 },
  { beverages: Array(10_000).fill("x") },
]) {
  test(`a basket with ${JSON.stringify(changes).slice(0, 30)} is not the device's`, () => {
    store(changes);
    const { idPrefix, rows, beverages } = savedBasket();
    assert.notEqual(idPrefix, kept.idPrefix);
    assert.deepEqual([rows, beverages], [[], []]);
  });
}

test("own orders are those of a day, whatever else is stored", () => {
  const ownOrder = { group: "AAA111", placedAt: Date.now(), by: "", seen: [] };
  for (const [ownOrders, found] of [
    [[ownOrder], [ownOrder]], [[{ ...ownOrder, placedAt: 1e300 }], []],
    [[{ ...ownOrder, group: "../x" }], []],
    [[{}], []], [7, []],
  ] as const) {
    storage.setItem("/visits", JSON.stringify(ownOrders));
    assert.deepEqual(savedOwnOrders(), found);
  }
});

