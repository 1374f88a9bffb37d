/** Values that the board works out without a browser (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./values.ts";

const { columnCount, columnsFor, ordersInSight } = await load("board/room");
const { boardOrders, listOf } = await load("board/lists");
const { clockOf, isCold, latenessOf } = await load("board/cards");
const { isFound } = await load("board/search");

for (const [width, text, count] of [
  [1280, 1, 4], [1024, 1, 3], [768, 1, 3], [390, 1, 1], [320, 1, 1],
  // Two of 15rem, and 0.625rem before, between and behind them.
  [510, 1, 2], [509, 1, 1],
  [1280, 1.75, 2], [1280, 2.6, 1], [1024, 1.75, 2], [768, 1.75, 1],
] as const) {
  test(`${width} px hold ${count} columns with text at ${text * 100} %`, () => {
    assert.equal(columnCount(width / 16 / text), count);
  });
}

const heights = new Map([["a", 9], ["b", 3], ["c", 3], ["d", 1], ["e", 1]]);

test("a new card gets the shortest column, the oldest first", () => {
  assert.deepEqual(columnsFor(["a", "b", "c", "d", "e"], heights, 3, []),
    [["a"], ["b", "d"], ["c", "e"]]);
});

test("a card keeps its column and its place, whatever goes or comes", () => {
  const before = [["a"], ["b", "d"], ["c", "e"]];
  assert.deepEqual(columnsFor(["a", "b", "e"], heights, 3, before), [["a"], ["b"], ["e"]]);
  assert.deepEqual(columnsFor(["a", "d", "b", "e", "c"], heights, 3, [["a"], ["b"], ["e"]]),
    [["a"], ["b"], ["e", "d", "c"]]);
});

test("the next card takes the room of cards that have left at the end of a column", () => {
  // "x" and "y" have no height: they have left.
  assert.deepEqual(columnsFor(["a", "x", "b", "y", "c"], heights, 2, [["a"], ["x", "b", "y"]]),
    [["a"], ["x", "b", "c", "y"]]);
});

test("another number of columns begins anew", () => {
  assert.deepEqual(columnsFor(["a", "b", "c"], heights, 2, [["c"], ["b"], ["a"]]),
    [["a"], ["b", "c"]]);
});

const { withPressKeys } = await load("shared/presses");

test("the press key of an item is another one once it or one above it has changed or gone", () => {
  const keysOf = (...texts: string[]): string[] =>
    withPressKeys(texts, (text: string) => text).map(([, key]: [string, string]) => key);
  for (const [texts, isOther] of [
    ["abc", [false, false, false]], ["aBc", [false, true, true]], ["ac", [false, true]],
    ["abxc", [false, false, true, true]],
  ] as const) {
    const before = keysOf(..."abc");
    assert.deepEqual(keysOf(...texts).map((key) => !before.includes(key)), isOther, texts);
  }
});

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 28, 19, minute)).toISOString();
const orderOf = (fields: object): object => ({
  id: "a", placedAt: at(0), statusSince: at(0), updatedAt: at(0), status: "Preparing",
  toppings: [], beverages: [], pizzaSize: { id: "large", name: "Large" }, ...fields,
});

/** The one whole order of that, and of marks. */
const wholeOf = (fields: object, mark?: object): any => {
  const [whole] = boardOrders({
    orders: new Map([["a", orderOf(fields)]]), marks: new Map(mark && [["a", mark]]),
  });
  return whole;
};

for (const [since, fields] of [
  ["it was placed", {}], ["its time", { wantedAt: at(60) }],
] as const) {
  const start = "wantedAt" in fields ? 60 : 0;
  for (const status of ["Pending", "Preparing", "Ready", "Out for Delivery"]) {
    test(`an order that is ${status} is late 15 and 30 minutes after ${since}`, () => {
      const whole = wholeOf({ status, ...fields });
      assert.deepEqual([14, 15, 29, 30].map((minutes) =>
        latenessOf(whole, Date.parse(at(start + minutes)))), [0, 1, 1, 2]);
    });
  }
}

test("nobody waits for what was cancelled elsewhere", () => {
  const gone = wholeOf({ status: "Cancelled" }, { type: "cancelled", shown: orderOf({}) });
  assert.equal(latenessOf(gone, Date.parse(at(99))), 0);
});

test("an order that has been ready for five minutes stands out, and no other", () => {
  const statusSince = at(10);
  const isColdAt = (status: string, minute: number): boolean =>
    isCold(wholeOf({ status, statusSince }), Date.parse(at(minute)));
  assert.deepEqual([14, 15].map((minute) => isColdAt("Ready", minute)), [false, true]);
  assert.equal(isColdAt("Preparing", 15), false);
  assert.equal(isColdAt("Out for Delivery", 15), false);
});

for (const [about, fields, minute, text] of [
  ["placed", {}, 5, "5 min"], ["placed four hours ago", {}, 240, "4 h"],
  ["new", { status: "Pending" }, 5, /^\d+:00$/],
  ["new for long", { status: "Pending" }, 15, "15 min"],
  ["wanted", { wantedAt: at(60) }, 40, /^for \d+:00$/],
  ["wanted by now", { wantedAt: at(60) }, 63, "3 min"],
] as const) {
  test(`the one clock of an order that was ${about} says ${text}`, () => {
    const clock = clockOf(wholeOf(fields), Date.parse(at(minute)));
    if (typeof text === "string") assert.equal(clock, text);
    else assert.match(clock, text);
  });
}

for (const [status, minute, place] of [
  ["Pending", 29, "later"], ["Preparing", 29, "later"], ["Pending", 30, "make"],
  ["Ready", 0, "ready"], ["Out for Delivery", 0, "on the way"],
] as const) {
  test(`${60 - minute} minutes before its time an order that is ${status} stands in ${place}`,
    () => {
      assert.equal(listOf(wholeOf({ status, wantedAt: at(60) }), Date.parse(at(minute))), place);
    });
}

/** Three orders in the tab Orders: the ids of its cards by column, and of its rows. */
const inSight = (change: object, before: string[][] = []): unknown => {
  const orders = [
    { id: "a", name: "Anna" }, { id: "b", name: "Bruno", placedAt: at(1) },
    { id: "r", name: "Rosa", status: "Ready" },
  ].map((fields): any => orderOf(fields));
  const { columns, lists } = ordersInSight({
    orders: new Map(orders.map((order) => [order.id, order])), marks: new Map(), undoLines: [],
    menu: { shop: { pizzas: [] } }, settings: { toppings: true }, now: Date.parse(at(5)),
    tab: "orders", shownList: "make", widthRem: 60, search: undefined, ...change,
  }, before);
  const idsOf = (places: any[]): string[] => places.map(({ order }) => order.id);
  return [columns.map(idsOf), idsOf(lists.get("ready") ?? [])];
};

for (const [about, change, expected] of [
  ["cards stand in columns, and ready orders in rows", {}, [[["a"], ["b"]], ["r"]]],
  ["one column shows what is to be made", { widthRem: 20 }, [[["a", "b"]], []]],
  ["one column shows what is ready", { widthRem: 20, shownList: "ready" }, [[[]], ["r"]]],
  ["a search in one column looks through all", { widthRem: 20, search: "rosa" }, [[[]], ["r"]]],
  ["a search leaves the cards that fit", { search: "bruno" }, [[["b"], []], []]],
  ["another tab shows none", { tab: "menu" }, [[[], []], []]],
] as const) {
  test(`in the tab Orders ${about}`, () => { assert.deepEqual(inSight(change), expected); });
}

test("an order that has left keeps its place as long as its undo line stands", () => {
  const [left] = boardOrders({ orders: new Map([["a", orderOf({ id: "c" })]]), marks: new Map() });
  const undoLines = [{ key: 1, before: [left] }];
  assert.deepEqual(inSight({ undoLines }, [["a", "c"], ["b"]]), [[["a", "c"], ["b"]], ["r"]]);
  assert.deepEqual(inSight({}, [["a", "c"], ["b"]]), [[["a"], ["b"]], ["r"]]);
});

const guest = orderOf({
  id: "K7Q0A1", name: "Łukasz O’Brien", note: "Straße, København", table: "Table ٧",
  pizza: "Jalapeño",
});
for (const [typed, found] of [
  ["lukasz", true], ["obrien", true], ["o'brien", true], ["strasse", true], ["kobenhavn", true],
  ["table 7", true], ["jalap", true], ["k7qoai", true], ["lukasz jalap", true], ["able", false],
  ["lukasz anna", false],
] as const) {
  test(`a search for ${typed} finds ${found ? "it" : "nothing"}`, () => {
    assert.equal(isFound([guest], typed), found);
  });
}

for (const [name, typed, found] of [
  ["山田太郎", "太郎", true], ["สวัสดีครับ", "ครับ", true], ["Table 31", "3", false],
] as const) {
  test(`a search for ${typed} ${found ? "finds" : "does not find"} ${name}`, () => {
    assert.equal(isFound([orderOf({ name })], typed), found);
  });
}

test("a search finds an order by words of several pizzas", () => {
  const pizzas = [orderOf({ name: "Anna" }), orderOf({ id: "b", note: "well done" })];
  assert.equal(isFound(pizzas, "anna done"), true);
});
