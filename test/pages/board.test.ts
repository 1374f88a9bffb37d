/** The staff's board in a real browser (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardIn, cardOf, openShop } from "./shop.ts";
import type { Window } from "./browser.ts";

const id = "AAA111";
const card = cardOf(id);

/** Opens the card's other ways and takes the one of that name. */
async function takeWay(board: Window, label: string): Promise<void> {
  await board.click(`${card} summary`);
  await board.run(`[...document.querySelectorAll('${card} button')]
    .find((one) => one.textContent.startsWith(arguments[0])).click();`, label);
}

test("a card holds all of the order by name, and what is to be made is counted", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  await shop.place({ id: "BBB222" });
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  assert.deepEqual(await board.run(`return [...document.querySelectorAll('${card} ul li')]
    .map((one) => one.textContent)`), ["Large", "Mushrooms", "2× Mozzarella", "Chinotto"]);
  const counted = `[...document.querySelectorAll("#to-make li")].map((one) => one.textContent)`;
  assert.deepEqual(await board.run(`return ${counted}`),
    ["2× Large", "4× Mozzarella", "2× Mushrooms", "2× Chinotto"]);
  assert.match(await board.run("return document.title"), /^\(2\)/);
});

test("one tap moves an order on and undo takes it back", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await board.click(`${card} .main`);
  await board.until(cardIn("Preparing", id));
  assert.equal(await shop.statusOf(id), "Preparing");
  await board.click("#notices .undo");
  await board.until(cardIn("Pending", id));
  assert.equal(await shop.statusOf(id), "Pending");
  assert.deepEqual(await board.complaints(), []);
});

test("an order can be cancelled, moved back, and fetched from the closed ones", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await takeWay(board, "Cancel order");
  await board.until(`!document.querySelector('${card}')`);
  assert.equal(await shop.statusOf(id), "Cancelled");
  await board.click("#notices .undo");
  await board.until(cardIn("Pending", id));
  await board.click(`${card} .main`);
  await board.until(cardIn("Preparing", id));
  await takeWay(board, "Back to Pending");
  await board.until(cardIn("Pending", id));
  await takeWay(board, "Cancel order");
  await board.until(`!document.querySelector('${card}')`);
  await board.click("#show-closed");
  await board.click("#closed-list button");
  await board.click("#show-orders");
  await board.until(cardIn("Pending", id));
  assert.equal(await shop.statusOf(id), "Pending");
});

test("of the closed orders the one that was closed last comes first", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const { staff: token } = shop.forno;
  const status = "Delivered";
  const closed = { pizzaSize: { id: "grande" }, toppings: [], beverages: [], status };
  await Promise.all(Array.from({ length: 31 }, () =>
    shop.forno.call("POST", "/api/orders", { token, body: closed })));
  await shop.forno.call("PATCH", `/api/orders/${id}`, { token, body: { status: "Cancelled" } });
  const board = await shop.board();
  await board.click("#show-closed");
  await board.until(`document.querySelector("#closed-list b")?.textContent === "${id}"`);
  assert.equal(await board.run(`return document.querySelectorAll("#closed-list li").length`), 30);
});

test("a board not signed in shows orders, moves none, and takes a pasted link", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const { origin, staff } = shop.forno;
  const old = shop.forno.token({ role: "staff", sub: "rosa", exp: 1_700_000_000 });
  const board = await shop.browser.open(`${origin}/board#token=${old}`);
  await board.until(cardIn("Pending", id));
  await board.until(`!document.querySelector("#access").hidden`);
  assert.match(await board.text(), /node dist\/token\.js staff --link/);
  const isShown = `return document.querySelector('${card} .main').checkVisibility()`;
  assert.equal(await board.run(isShown), false);
  await board.type("#pasted", `${origin}/board#token=${staff}`);
  await board.click("#sign-in button");
  await board.click(`${card} .main`);
  await board.until(cardIn("Preparing", id));
  assert.deepEqual(await board.complaints(/ 401 /), []);
  await board.click("#sign-out");
  await board.until(`!document.querySelector("#access").hidden`);
  assert.equal(await board.run("return JSON.stringify(sessionStorage).includes('eyJ')"), false);
});

test("a card is coloured by its age", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.browser.open("about:blank");
  // Lets minutes pass at will; without the Date field the page uses its own clock.
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.minutes = 0;
      const [now, every, get] = [Date.now, setInterval, Headers.prototype.get];
      Date.now = () => now() + window.minutes * 60_000;
      window.setInterval = (act, ms) => every(act, ms === 5000 ? 20 : ms);
      Headers.prototype.get = function (name) {
        return name === "date" ? null : get.call(this, name);
      };`,
  });
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  for (const [minutes, look] of [[9, "card"], [11, "card slow"], [25, "card slow late"]] as const) {
    await board.run(`window.minutes = ${minutes};`);
    await board.until(`document.querySelector('${card}')?.className === "${look}"`);
    assert.match(await board.run(`return document.querySelector('${card} .age').textContent`),
      new RegExp(`^${minutes} min`));
  }
});

test("with 300 open orders an update touches only its own card", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await Promise.all(Array.from({ length: 300 }, (_, index) => shop.place({ id: `order${index}` })));
  const board = await shop.board();
  await board.until(`document.querySelectorAll(".card").length === 300`);
  await board.run(`window.touched = new Set();
    new MutationObserver((records) => records.forEach(({ target, addedNodes, removedNodes }) =>
      [target, ...addedNodes, ...removedNodes].forEach((node) => {
        const element = node instanceof Element ? node : node.parentElement;
        const key = element?.closest(".card")?.dataset.key;
        if (key) window.touched.add(key.split(" ")[1]);
      }))).observe(document.body, { childList: true, subtree: true, characterData: true });`);
  const [token, body] = [shop.forno.staff, { status: "Ready" }];
  await shop.forno.call("PATCH", "/api/orders/order7", { token, body });
  await board.until(cardIn("Ready", "order7"));
  assert.deepEqual(await board.run("return [...touched]"), ["order7"]);
});
