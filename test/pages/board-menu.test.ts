/** The board's menu tab (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, openShop } from "./shop.ts";

const id = "AAA111";
const card = cardOf(id);

test("a double click on Save adds one item", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  await board.click("#show-menu");
  await board.click("#menu section:nth-child(3) > button");
  await board.type("#item-fields input[type=text]", "Spuma");
  await board.doubleClick("#item-save");
  await board.until(`!document.querySelector("#item-dialog").open`);
  await board.until(`document.querySelector("#menu").textContent.includes("Spuma")`);
  const { json } = await shop.forno.call("GET", "/api/beverages?name=Spuma");
  assert.equal(json.length, 1);
});

test("sold out deletes an item, greys it on orders, and brings it back as it was", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  const act = (label: string) => board.run(`[...document.querySelectorAll("#menu button")]
    .find((one) => one.textContent === arguments[0]).click();`, label);
  const before = (await shop.forno.call("GET", "/api/toppings/funghi")).json;
  await board.click("#show-menu");
  await act("Sold out Mushrooms");
  await board.until(`document.querySelector("#menu .gone")`);
  assert.equal((await shop.forno.call("GET", "/api/toppings/funghi")).status, 404);
  assert.match(await board.run(`return document.querySelector('${card} .off').textContent`),
    /Mushrooms.*no longer on the menu/);
  await board.reload();
  await board.click("#show-menu");
  await board.until(`document.querySelector("#menu .gone")`);
  await act("Bring back Mushrooms");
  await board.until(`!document.querySelector("#menu .gone")`);
  await board.until(`!document.querySelector('${card} .off')`);
  assert.deepEqual((await shop.forno.call("GET", "/api/toppings/funghi")).json, before);
});

test("the menu tab adds and changes items, and shows what is wrong with them", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  await board.click("#show-menu");
  await board.click("#menu section:nth-child(3) > button");
  await board.type("#item-fields label:nth-child(1) input", "Spuma");
  await board.type("#item-fields label:nth-child(3) textarea", "0.33 l\n1 l");
  await board.type("#item-fields label:nth-child(4) input", "not an id");
  await board.click("#item-save");
  await board.until(`document.querySelector("#item-faults").textContent.includes("id: ")`);
  await board.run(`document.querySelector("#item-fields label:last-child input").value = "spuma";`);
  await board.click("#item-save");
  await board.until(`!document.querySelector("dialog").open`);
  const drink = { id: "spuma", name: "Spuma", isCarbonated: false, sizeOptions: ["0.33 l", "1 l"] };
  assert.deepEqual((await shop.forno.call("GET", "/api/beverages/spuma")).json, drink);
  await board.until(`document.querySelector("#menu").textContent.includes("Spuma")`);
  await board.run(`[...document.querySelectorAll("#menu button")]
    .find((one) => one.textContent === "Change Spuma").click();`);
  await board.until(`document.querySelector("dialog").open`);
  await board.click("#item-fields label:nth-child(2) input");
  await board.click("#item-save");
  await board.until(`!document.querySelector("dialog").open`);
  assert.deepEqual((await shop.forno.call("GET", "/api/beverages/spuma")).json,
    { ...drink, isCarbonated: true });
});
