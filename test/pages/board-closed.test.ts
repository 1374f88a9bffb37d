/** The board's tab of closed orders: search, reopen, the day in figures and as CSV (part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardIn, openShop, type Shop } from "./shop.ts";
import type { Window } from "./browser.ts";

const numbers = `[...document.querySelectorAll("#closed-list b")].map((one) => one.textContent)`;

async function close(shop: Shop, id: string, status: string): Promise<void> {
  const [token, body] = [shop.forno.staff, { status }];
  await shop.forno.call("PATCH", `/api/orders/${id}`, { token, body });
}

async function closedTab(shop: Shop): Promise<Window> {
  const board = await shop.board();
  await board.tap("Closed");
  return board;
}

test("what was closed last comes first, with its times, and reopens on every tablet", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  for (const id of ["AAA111", "BBB222", "CCC333"]) await shop.place({ id });
  await close(shop, "BBB222", "Delivered");
  await close(shop, "AAA111", "Cancelled");
  const [board, other] = [await closedTab(shop), await closedTab(shop)];
  await board.until(`${numbers}.join() === "AAA111,BBB222"`);
  assert.match(await board.run(`return document.querySelector("#closed-list li").innerText`),
    /^AAA111 Cancelled\s+\w+ \d+, \d{4}, \d+:\d\d.+→ \d+:\d\d.+\s+Large · Mushrooms · 2× Moz/);
  await close(shop, "CCC333", "Delivered");
  await board.until(`${numbers}.join() === "CCC333,AAA111,BBB222"`);
  await board.tap("Reopen BBB222");
  await other.until(`${numbers}.join() === "CCC333,AAA111"`);
  await board.tap("Orders");
  await board.until(cardIn("Ready", "BBB222"));
  assert.deepEqual(await board.complaints(), []);
});

test("an order is found by its number, of this day at once, of any day by Find", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  for (const id of ["AAA111", "BBB222"]) {
    await shop.place({ id });
    await close(shop, id, "Delivered");
  }
  const board = await closedTab(shop);
  await board.until(`${numbers}.length === 2`);
  await board.type("#closed-search", "bb2");
  assert.deepEqual(await board.run(`return ${numbers}`), ["BBB222"]);
  await board.tap("Day before");
  await board.until(`document.querySelector("#closed-list").innerText.includes("Find looks")`);
  await board.type("#closed-search", "22");
  await board.run(`document.querySelector("#closed-search").value = "bbb222";`);
  await board.tap("Find");
  await board.until(`${numbers}.join() === "BBB222"`);
});

test("the day is told in figures and bars, of which cancelled orders are no part", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  for (const id of ["AAA111", "BBB222", "CCC333", "DDD444"]) await shop.place({ id });
  await close(shop, "AAA111", "Delivered");
  await close(shop, "BBB222", "Ready");
  await close(shop, "CCC333", "Cancelled");
  const board = await closedTab(shop);
  await board.until(`document.querySelector("#figures div")`);
  const figures = await board.run(`return Object.fromEntries(
    [...document.querySelectorAll("#figures div")].map((one) => [...one.children]
      .map(({ textContent }) => textContent)));`);
  assert.deepEqual(figures,
    { Orders: "4", Delivered: "1", Cancelled: "1", "Pizzas made": "2", Drinks: "2" });
  const bars = await board.run<Record<string, [string, string, number][]>>(`
    return Object.fromEntries([...document.querySelectorAll("table")].map((table) => [
      table.caption.textContent, [...table.rows].map(({ cells: [name, amount] }) => [
        name.textContent, amount.textContent,
        Math.round(100 * amount.firstElementChild.offsetWidth
          / table.querySelector(".bar-line").offsetWidth)])]));`);
  assert.deepEqual(bars["Toppings made"], [["Mozzarella", "4", 100], ["Mushrooms", "2", 50]]);
  assert.deepEqual(bars["Sizes made"], [["Large", "2", 100]]);
  assert.equal(bars["Orders by hour"]?.reduce((sum, [, count]) => sum + Number(count), 0), 4);
});

test("of a day that cannot be read nothing is said", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  await board.run(`const real = fetch;
    window.fetch = (path, request) => path.includes("since=")
      ? Promise.resolve(new Response("{}", { status: 503 })) : real(path, request);`);
  await board.tap("Closed");
  await board.until(`document.querySelector("#closed-note").textContent !== ""`);
  const isShown = `return document.querySelector("#of-day").checkVisibility()`;
  assert.equal(await board.run(isShown), false);
  assert.doesNotMatch(await board.text(), /No order|Delivered/);
});

test("the table holds every order of the day, and no name in it is a formula", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const { staff } = shop.forno;
  const names = ["=1+1", "+49", "-cheese", "@home", `a "large", one`];
  for (const [index, name] of names.entries()) {
    const body = { id: `t${index}`, name, isVegetarian: true, isVegan: true };
    await shop.forno.call("POST", "/api/toppings", { token: staff, body });
    await shop.place({ id: `order${index}`, toppings: [{ id: `t${index}` }], beverages: [] });
  }
  const board = await closedTab(shop);
  await board.until(`document.querySelector("#figures dd")?.textContent === "5"`);
  await board.run(`URL.createObjectURL = (blob) => {
    blob.text().then((text) => { window.table = text; });
    return "data:,";
  };`);
  await board.tap("Save as a table (CSV)");
  const lines = (await board.until<string>("window.table")).split("\r\n");
  assert.equal(lines.length, 7);
  assert.equal(lines[0], "Number,Placed,Last change,Stage,Size,Toppings,Drinks");
  assert.deepEqual(lines.slice(1, 6).map((line) => /Large,(.*),$/.exec(line)?.[1]),
    ["'=1+1", "'+49", "'-cheese", "'@home", `"a ""large"", one"`]);
});
