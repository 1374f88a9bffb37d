/** The board with sixty orders: what is in sight, and that nothing moves (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardIn, openShop, type Shop } from "./shop.ts";
import type { Window } from "./browser.ts";

const tablet = { width: 768, height: 1024 };

/** Of everything that can be pressed and is in sight: what it is called, and where it stands. */
const places = `return Object.fromEntries([...document.querySelectorAll("button, a, summary")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => [one.matches("h2 *, nav *, .below") ? one.id : one.textContent, one])
  .filter(([name]) => name !== "")
  .map(([name, one]) => [name, one.getBoundingClientRect()])
  .filter(([, { top, bottom }]) => top >= 0 && bottom <= innerHeight)
  .map(([name, { x, y, width, height }]) => [name, [x, y, width, height].map(Math.round)]));`;

async function fill(shop: Shop): Promise<void> {
  const statuses = ["Pending", "Preparing", "Ready", "Out for Delivery"];
  for (let index = 0; index < 60; index += 1) {
    const body = {
      id: `order-${index}`, status: statuses[index % 4], pizzaSize: { id: "grande" },
      toppings: [{ id: "funghi" }, { id: "bufala" }, { id: "olive-nere" }, { id: "cipolla" }],
      beverages: [{ id: "chinotto" }],
    };
    const { status } = await shop.forno.call("POST", "/api/orders", {
      token: shop.forno.staff, body,
    });
    assert.equal(status, 201);
  }
}

async function fullBoard(shop: Shop): Promise<Window> {
  await fill(shop);
  const board = await shop.board(tablet);
  await board.until(`document.querySelectorAll(".card").length === 60`);
  return board;
}

test("of sixty orders on a tablet all four heads and eight whole cards are in sight", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await fullBoard(shop);
  const { heads, cards, sideways } = await board.run<Record<string, number>>(`
    const whole = (one) => {
      const { top, bottom } = one.getBoundingClientRect();
      const list = one.closest("ol")?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
      return top >= list.top && bottom <= list.bottom;
    };
    const count = (selector) => [...document.querySelectorAll(selector)].filter(whole).length;
    return { heads: count(".column h2"), cards: count(".card"),
      sideways: document.documentElement.scrollWidth };`);
  assert.equal(heads, 4);
  assert.ok((cards ?? 0) >= 8, `${cards} cards`);
  assert.equal(sideways, 768);
  const [before, after] = await board.run<number[]>(`
    const list = document.querySelector(".column:nth-child(2) ol");
    list.scrollTop = list.scrollHeight;
    return [document.querySelector(".column:nth-child(1) ol").scrollTop, list.scrollTop];`);
  assert.ok(before === 0 && (after ?? 0) > 500, "each column scrolls by itself");
});

test("25 new orders, notices and undos move no button, and what rings is pointed at", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await fullBoard(shop);
  const before = await board.run<Record<string, unknown>>(places);
  assert.ok(Object.keys(before).length > 16);
  for (let index = 0; index < 25; index += 1) await shop.place({ id: `new-${index}` });
  await board.until(cardIn("Pending", "new-24"));
  assert.deepEqual(await board.run(places), before);
  const [told, below] = await board.run<[string, number]>(`
    const { bottom } = document.querySelector(".column ol").getBoundingClientRect();
    return [document.querySelector(".below").textContent,
      [...document.querySelector(".column ol").children].filter((card) =>
        card.querySelector("h3").getBoundingClientRect().bottom > bottom).length];`);
  assert.equal(told, `↓ ${below}${below} more below`);
  await board.click(".below");
  await board.until(`document.querySelector(".column ol").scrollTop > 0`);
  await board.run(`document.querySelector(".column ol").scrollTop = 0`);
  // Each of three moves leaves an undo, in a row of its own.
  for (const name of ["Ready order-1", "Send out order-2", "Delivered order-3"]) {
    await board.tap(name);
  }
  await board.until(`document.querySelectorAll("#notices .undo").length === 3`);
  const kept = await board.run<Record<string, unknown>>(places);
  for (const [name, place] of Object.entries(before)) {
    // In the columns that an order has left, those below it have come up.
    const isWherePending = Number(/order-(\d+)$/.exec(name)?.[1] ?? 0) % 4 === 0;
    if (isWherePending) assert.deepEqual([name, kept[name]], [name, place]);
  }
  assert.deepEqual(await board.run(`
    const { top } = document.querySelector("#notices").getBoundingClientRect();
    return [...document.querySelectorAll("#page button, #page summary")].filter((one) => {
      const list = one.closest("ol")?.getBoundingClientRect().bottom ?? 0;
      return one.checkVisibility()
        && Math.min(one.getBoundingClientRect().bottom, list || Infinity) > top;
    }).map((one) => one.textContent);`), []);
});

test("what is to be made stands in a strip of one height, and unfolds", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board(tablet);
  const height = `return document.querySelector("#to-make").offsetHeight`;
  const empty = await board.run(height);
  await fill(shop);
  await board.until(`document.querySelectorAll(".card").length === 60`);
  assert.equal(await board.run(height), empty);
  const isSeen = `return (({ right, bottom }) => document.querySelector("#to-make-counts")
    .contains(document.elementFromPoint(right - 4, bottom - 4)))(
      document.querySelector("#to-make .beverages li").getBoundingClientRect())`;
  assert.equal(await board.run(isSeen), false);
  await board.tap("To make");
  assert.equal(await board.run(isSeen), true);
  assert.equal(await board.run(height), empty);
});

test("A+ makes toppings readable from two metres, on this device from then on", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  const size = `return parseFloat(getComputedStyle(document.querySelector(".card li")).fontSize)`;
  const small = await board.run<number>(size);
  for (let times = 0; times < 6; times += 1) await board.tap("A+ Larger text");
  const large = await board.run<number>(size);
  // A capital of 7 mm: a three hundredth of the distance, with 96 px to 25.4 mm.
  assert.ok(large * 0.7 / 96 * 25.4 >= 7, `${large} px`);
  await board.reload();
  await board.until(`document.querySelector(".card")`);
  assert.equal(await board.run(size), large);
  for (let times = 0; times < 5; times += 1) await board.tap("A− Smaller text");
  assert.equal(await board.run(size), small);
});

test("a phone shows one column at a time, and says how many are in the others", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await fill(shop);
  const board = await shop.board({ width: 390, height: 760 });
  await board.until(`document.querySelectorAll(".card").length === 60`);
  const columns = `return [...document.querySelectorAll(".column")]
    .filter((one) => one.querySelector(".card").checkVisibility())
    .map((one) => one.querySelector("h2").innerText.replace(/\\s+/g, " "));`;
  assert.deepEqual(await board.run(columns), ["Pending 15"]);
  await board.tap("Ready 15");
  assert.deepEqual(await board.run(columns), ["Ready 15"]);
  assert.equal(await board.run("return document.documentElement.scrollWidth"), 390);
});

test("printed, an open order is a ticket of 80 mm; from its card it is the only one", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  for (const id of ["AAA111", "BBB222", "CCC333"]) await shop.place({ id });
  const board = await shop.board();
  await board.until(cardIn("Pending", "CCC333"));
  const tickets = `return [...document.querySelectorAll(".card")]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.querySelector("h3").innerText.replace(/\\s+/g, " "),
      Math.round(one.offsetWidth / 96 * 25.4), getComputedStyle(one).color]);`;
  const ticket = (id: string) => [`Order ${id}`, 80, "rgb(0, 0, 0)"];
  const onPaper = () => board.devtools("Emulation.setEmulatedMedia", { media: "print" });
  await onPaper();
  assert.deepEqual(await board.run(tickets), ["AAA111", "BBB222", "CCC333"].map(ticket));
  assert.equal(await board.run(`return [...document.querySelectorAll("button, a, summary, .age")]
    .filter((one) => one.checkVisibility()).length`), 0);
  const { data } = await board.devtools<{ data: string }>("Page.printToPDF", {
    preferCSSPageSize: true,
  });
  // In points: 80 mm is 226.8 of them.
  assert.match(Buffer.from(data, "base64").toString("latin1"), /MediaBox \[0 0 22[67]/);
  await board.devtools("Emulation.setEmulatedMedia", { media: "screen" });
  await board.run("window.print = () => { window.printed = true; };");
  await board.tap("⋯More for BBB222");
  await board.tap("Print ticket BBB222");
  await board.until("window.printed");
  await onPaper();
  assert.deepEqual(await board.run(tickets), [ticket("BBB222")]);
  await board.run(`dispatchEvent(new Event("afterprint"))`);
  assert.equal((await board.run<unknown[]>(tickets)).length, 3);
});
