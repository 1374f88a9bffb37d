/** The orders on the staff's board, in a real browser (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardIn, cardOf, openShop } from "./shop.ts";

const id = "AAA111";
const card = cardOf(id);

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
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  assert.equal(await shop.statusOf(id), "Preparing");
  await board.tap("Undo");
  await board.until(cardIn("Pending", id));
  assert.equal(await shop.statusOf(id), "Pending");
  assert.deepEqual(await board.complaints(), []);
});

test("an order can be cancelled, moved back, and fetched from the closed ones", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await board.tap(`⋯More for ${id}`);
  await board.tap(`Cancel order ${id}`);
  await board.until(`!document.querySelector('${card}')`);
  assert.equal(await shop.statusOf(id), "Cancelled");
  await board.tap("Undo");
  await board.until(cardIn("Pending", id));
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  await board.tap(`⋯More for ${id}`);
  await board.tap(`Back to Pending ${id}`);
  await board.until(cardIn("Pending", id));
  await board.tap(`⋯More for ${id}`);
  await board.tap(`Cancel order ${id}`);
  await board.until(`!document.querySelector('${card}')`);
  await board.tap("Closed");
  await board.tap(`Reopen ${id}`);
  await board.tap("Orders 1");
  await board.until(cardIn("Pending", id));
  assert.equal(await shop.statusOf(id), "Pending");
});

test("an age is the time in the stage, and is late by the shop's own limit", async (t) => {
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
  const shows = (minutes: number, look: string) => board.until(`(() => {
    const one = document.querySelector('${card}');
    const said = one?.querySelector(".age").innerText.replace(/\\s+/g, " ").trim();
    return one?.className === ${JSON.stringify(look)}
      && said.endsWith("${minutes} min") && said.includes("!") === one.matches(".late");
  })()`);
  for (const [minutes, look] of [[2, "card"], [3, "card slow"], [5, "card late"]] as const) {
    await board.run(`window.minutes = ${minutes};`);
    await shows(minutes, look);
  }
  await board.tap("Settings");
  await board.run(`document.querySelector("#limits input").value = "";`);
  await board.type("#limits input", "8");
  await board.tap("Done");
  await shows(5, "card slow");
  await board.reload();
  await board.run("window.minutes = 8;");
  await shows(8, "card late");
  // In its next stage it is new; undone, it is as late as it was.
  await board.run("window.minutes = 0;");
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  await board.tap("Undo");
  await board.until(cardIn("Pending", id));
  const { placedAt } = (await shop.forno.call("GET", `/api/orders/${id}`)).json;
  assert.equal(await board.run(`return document.querySelector('${card}').dataset.key`),
    `${placedAt} ${id}`);
});

test("orders placed together say so, counting those that are closed already", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  for (const number of ["K7QX3M-1", "K7QX3M-2", "tavolo-7", "tavolo-8"]) {
    await shop.place({ id: number });
  }
  const [token, body] = [shop.forno.staff, { status: "Delivered" }];
  await shop.forno.call("PATCH", "/api/orders/K7QX3M-2", { token, body });
  const board = await shop.board();
  const says = (number: string, text: string) => board.until(
    `document.querySelector('${cardOf(number)} .group')?.textContent === "${text}"`);
  await says("K7QX3M-1", "1 of 2");
  await shop.place({ id: "K7QX3M-3" });
  await says("K7QX3M-1", "1 of 3");
  await says("K7QX3M-3", "3 of 3");
  await says("tavolo-7", "");
  assert.deepEqual(await board.complaints(), []);
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
