/** The menu and the shop as staff work them on the board (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, openShop } from "./shop.ts";
import type { Window } from "./browser.ts";

const id = "AAA111";
const card = cardOf(id);
const rows = (kind: string) => `[...document.querySelectorAll("#menu-kinds .${kind} li b")]
  .filter((one) => one.checkVisibility()).map((one) => one.textContent)`;

/** Opens the menu tab in one more window. */
async function openMenu(board: Window): Promise<Window> {
  await board.tap("Menu");
  await board.until(`${rows("toppings")}.length > 0`);
  return board;
}

/** Replaces what the field of that label holds. */
async function fill(board: Window, label: string, text: string): Promise<void> {
  await board.until(emptied, label);
  await board.type("[data-field]", text);
}

const emptied = `((label) => {
  for (const one of document.querySelectorAll("[data-field]")) delete one.dataset.field;
  const field = [...document.querySelectorAll("label")].find((one) => one.checkVisibility()
    && one.firstElementChild.textContent === label)?.querySelector("input, textarea");
  if (field) field.dataset.field = field.value = "";
  return field !== undefined;
})(arguments[0])`;

test("sold out is one tap, in place, on every tablet, and so is the way back", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const [one, other] = [await shop.board(), await shop.board()];
  for (const board of [one, other]) await openMenu(board);
  const before = await one.run<string[]>(`return ${rows("toppings")}`);
  await one.tap("Sold out Mushrooms");
  await other.tap("Bring back Mushrooms");
  await one.until(`document.querySelectorAll(".sold-out").length === 0`);
  await other.tap("Sold out Mushrooms");
  await one.until(`document.querySelector(".sold-out b")?.textContent === "Mushrooms"`);
  assert.deepEqual(await one.run(`return ${rows("toppings")}`), before);
  const { json } = await shop.forno.call("GET", "/api/shop");
  assert.deepEqual(json.soldOut, { toppings: ["funghi"], pizzasizes: [], beverages: [] });
  await one.tap("Orders 1");
  await one.until(`document.querySelector('${card} .remark')?.textContent === "sold out"`);
  assert.deepEqual(await one.complaints(), []);
});

test("the shop is closed, opened, named and given a notice, on every tablet", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const [one, other] = [await openMenu(await shop.board()), await shop.board()];
  await fill(one, "Notice to customers", "Back at 18:00");
  await fill(one, "Name of the shop", "Da Rosa");
  await one.tap("Save");
  await one.tap("Close the shop");
  await other.until(`document.body.innerText.includes("Closed to customers · Back at 18:00")`);
  assert.equal(await other.run("return document.querySelector('h1').textContent"), "Da Rosa");
  assert.match(await other.run("return document.title"), /Da Rosa/);
  const { name, isOpen, notice } = (await shop.forno.call("GET", "/api/shop")).json;
  assert.deepEqual([name, isOpen, notice], ["Da Rosa", false, "Back at 18:00"]);
  await one.tap("Open the shop");
  await other.until(`document.body.innerText.includes("Open · Back at 18:00")`);
  assert.deepEqual(await one.complaints(), []);
});

test("25,5 is twenty-five and a half, and what is no width is told in words", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await openMenu(await shop.board());
  for (const text of ["wide", "-3", "1e3", "12 inches", ""]) {
    if (await board.run("return !document.querySelector('#item-dialog').open")) {
      await board.tap("+ Add a size");
    }
    await fill(board, "Name", "Metro");
    await fill(board, "Diameter in inches", text);
    await board.tap("Save");
    await board.until(`document.body.innerText.includes("How wide is it? A number such as")`);
    assert.match(await board.run("return document.activeElement.getAttribute('aria-describedby')"),
      /diameter/);
  }
  await fill(board, "Diameter in inches", "25,5");
  await board.tap("Save");
  await board.until(`${rows("pizzasizes")}.includes("Metro")`);
  const [metro] = (await shop.forno.call("GET", "/api/pizzasizes?name=Metro")).json;
  assert.equal(metro.diameterInInches, 25.5);
  assert.deepEqual(await board.complaints(), []);
});

test("elsewhere a width is in centimetres, and stays as it is when not touched", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.browser.open("about:blank");
  await board.devtools("Network.enable");
  await board.devtools("Network.setExtraHTTPHeaders", { headers: { "Accept-Language": "de" } });
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `Object.defineProperty(navigator, "languages", { value: ["de"] });`,
  });
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  await board.tap("Karte");
  const width = async () => (await shop.forno.call("GET", "/api/pizzasizes/grande")).json;
  await board.tap("Ändern Large");
  await fill(board, "Name", "Groß");
  await board.tap("Speichern");
  await board.until(`${rows("pizzasizes")}.includes("Groß")`);
  assert.deepEqual(await width(), { id: "grande", name: "Groß", diameterInInches: 14.5 });
  await board.tap("Ändern Groß");
  await fill(board, "Durchmesser in Zentimetern", "25,5");
  await board.tap("Speichern");
  await board.until(`document.querySelector("#menu-kinds").innerText.includes("26 cm")`);
  assert.equal((await width()).diameterInInches, 10.0394);
});

test("a name that is there and a vegan item that is not vegetarian are asked about", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await openMenu(await shop.board());
  await board.tap("+ Add a topping");
  await fill(board, "Name", "mushrooms");
  await board.click("#item-fields label:nth-child(3) input");
  await board.tap("Save");
  await board.until(`document.body.innerText.includes("There is one of that name already.")`);
  assert.match(await board.text(), /What is vegan is vegetarian too/);
  assert.equal((await shop.forno.call("GET", "/api/toppings?name=mushrooms")).json.length, 0);
  await board.click("#item-fields label:nth-child(2) input");
  await board.tap("Save all the same");
  // What is asked about has changed, so it is asked once more.
  await board.until(`!document.body.innerText.includes("What is vegan")`);
  await board.tap("Save all the same");
  await board.until(`${rows("toppings")}.includes("mushrooms")`);
  const [added] = (await shop.forno.call("GET", "/api/toppings?name=mushrooms")).json;
  assert.deepEqual([added.isVegetarian, added.isVegan], [true, true]);
});

test("what is no longer odd is saved without being asked about again", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await openMenu(await shop.board());
  await board.tap("+ Add a size");
  await fill(board, "Name", "Large");
  await fill(board, "Diameter in inches", "255");
  await board.tap("Save");
  await board.until(`document.body.innerText.includes("A pizza 255 in wide: is that right?")`);
  await fill(board, "Name", "Huge");
  await fill(board, "Diameter in inches", "25.5");
  await board.tap("Save all the same");
  await board.until(`${rows("pizzasizes")}.includes("Huge")`);
});

test("an item is found, duplicated, changed, removed, and brought back as it was", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await openMenu(await shop.board());
  await board.type("#menu-search", "OLIV");
  assert.deepEqual(await board.run(`return ${rows("toppings")}`), ["Black olives"]);
  await board.tap("⋯More for Black olives");
  await board.tap("Duplicate Black olives");
  await fill(board, "Name", "Green olives");
  await board.tap("Save");
  await board.until(`${rows("toppings")}.join() === "Black olives,Green olives"`);
  await board.tap("Sold out Black olives");
  await board.until(`document.querySelector(".sold-out")`);
  await board.tap("Remove Black olives");
  await board.until(`${rows("toppings")}.join() === "Green olives"`);
  assert.equal((await shop.forno.call("GET", "/api/toppings/olive-nere")).status, 404);
  await board.tap("Undo");
  await board.tap("Bring back Black olives");
  await board.until(`document.querySelectorAll(".sold-out").length === 0`);
  assert.deepEqual((await shop.forno.call("GET", "/api/toppings/olive-nere")).json,
    { id: "olive-nere", name: "Black olives", isVegetarian: true, isVegan: true });
  await board.type("#menu-search", "xyz");
  assert.match(await board.text(), /Nothing on the menu is called that/);
  assert.deepEqual(await board.complaints(), []);
});

test("a removal that is undone leaves every item in its place, on every page", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const [one, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
  const page = await shop.orderPage();
  const listed = `[...document.querySelectorAll("#toppings .name")].map((one) => one.textContent)`;
  const before = await one.run<string[]>(`return ${rows("toppings")}`);
  const offered = await page.run<string[]>(`return ${listed}`);
  await one.tap("⋯More for Mushrooms");
  await one.tap("Remove Mushrooms");
  for (const board of [one, other]) await board.until(`!${rows("toppings")}.includes("Mushrooms")`);
  await page.until(`!${listed}.join().includes("Mushrooms")`);
  await one.tap("Undo");
  for (const board of [one, other]) {
    await board.until(`${rows("toppings")}.includes("Mushrooms")`);
    assert.deepEqual(await board.run(`return ${rows("toppings")}`), before);
  }
  await page.until(`${listed}.join().includes("Mushrooms")`);
  assert.deepEqual(await page.run(`return ${listed}`), offered);
});

test("a double click on Save adds one drink, with its sizes", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await openMenu(await shop.board());
  await board.tap("+ Add a drink");
  await fill(board, "Bottles or glasses, one per line", "0.33 l\n1 l\n0.33 l");
  await board.tap("Save");
  await board.until(`document.body.innerText.includes("It needs a name.")`);
  await fill(board, "Name", "Spuma");
  await board.tap("Save");
  await board.until(`document.body.innerText.includes("0.33 l is there twice.")`);
  await fill(board, "Bottles or glasses, one per line", "0.33 l\n1 l");
  await board.doubleClick("#item-save");
  await board.until(`!document.querySelector("#item-dialog").open`);
  await board.until(`${rows("beverages")}.includes("Spuma")`);
  const { json } = await shop.forno.call("GET", "/api/beverages?name=Spuma");
  assert.deepEqual(json.map(({ sizeOptions }: any) => sizeOptions), [["0.33 l", "1 l"]]);
});

test("on a tablet in German the buttons beside the menu's names break none of them", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board({ width: 768, height: 1024, language: "de" });
  await board.tap("Karte");
  await board.until(`${rows("toppings")}.length > 0`);
  assert.deepEqual(await board.brokenWords("#menu-kinds li b"), []);
});
