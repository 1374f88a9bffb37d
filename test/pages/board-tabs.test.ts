/** The board's tabs Menu and Done, in a real browser, as staff work them. */

import assert from "node:assert/strict";
import { topping as sample } from "../helpers/samples.ts";
import type { Window } from "./browser.ts";
import { shopTest, type Shop } from "./shop.ts";

const names = (kind: string): string => `texts(".kinds .${kind} li bdi")`;

async function openMenu(board: Window): Promise<Window> {
  await board.tap("Menu");
  await board.until(`${names("toppings")}.length > 0`);
  return board;
}

shopTest("sold out is one press, in place, on every tablet, and so is the way back",
  async (shop) => {
    await shop.place("AAA111");
    const [one, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const boxes = `$$(".kinds li, .switch").map((one) =>
      Object.values(one.getBoundingClientRect().toJSON()))`;
    const before = await one.run(`return ${boxes}`);
    await one.tap("Available: Mushrooms");
    await other.is(`$("[aria-checked=false]").ariaLabel`, "Sold out: Mushrooms");
    await one.is(boxes, before);
    const { json } = await shop.forno.call("GET", "/api/shop");
    assert.deepEqual(json.soldOut, { toppings: ["funghi"], pizzasizes: [], beverages: [] });
    await other.tap("Orders1");
    await other.is(`$(".remark").textContent`, "sold out");
    await one.tap("Sold out: Mushrooms");
    await other.is(`$(".remark")`, null);
  });

shopTest("the shop closes with the notice that was typed, and opening takes that notice away",
  async (shop) => {
    const [one, other] = [await openMenu(await shop.board()), await shop.board()];
    await one.fill("#menu [name=notice]", "Back at 18:00");
    await one.tap("Close the shop");
    await one.says("Close the shop?", "Guests can’t order until it is open again.");
    await one.tap("Keep it open", "Close the shop");
    await one.click("dialog .act");
    await other.until(`$(".top").innerText.includes("Closed")`);
    const state = async (): Promise<unknown> => {
      const { isOpen, notice, soldOut } = (await shop.forno.call("GET", "/api/shop")).json;
      return [isOpen, notice, soldOut.toppings];
    };
    assert.deepEqual(await state(), [false, "Back at 18:00", []]);
    await one.tap("Open the shop");
    await other.until(`$(".top").innerText.includes("Open")`);
    assert.deepEqual(await state(), [true, "", []]);
    await one.fill("#menu [name=notice]", "Cash only");
    await one.tap("Save");
    await other.tap("Menu");
    await other.is(`$("#menu [name=notice]").value`, "Cash only");
    // The next day begins with everything, if one likes.
    await shop.change({
      isOpen: false, soldOut: { toppings: ["funghi"], pizzasizes: [], beverages: ["birra"] },
    });
    await one.tap("Open the shop");
    await one.says("Sell everything again?", "Sold out: Mushrooms and Lager");
    await one.tap("Sell everything");
    await one.until(`$("[aria-checked=false]") === null`);
    assert.deepEqual(await state(), [true, "", []]);
  });

shopTest("a width is refused beside its field, and a form leaves untouched fields as they are",
  async (shop) => {
    const board = await openMenu(await shop.board());
    await board.tap("Add a size");
    await board.fill("dialog [name=name]", "Huge");
    await board.fill("dialog [name=diameterInInches]", "wide");
    await board.tap("Save");
    await board.says("How wide is it?");
    await board.is("document.activeElement.name", "diameterInInches");
    await board.tap("Cancel", "More for Large", "Change");
    await board.fill("dialog [name=name]", "Huge");
    await board.tap("Save");
    await board.until(`${names("pizzasizes")}.includes("Huge")`);
    assert.deepEqual((await shop.forno.call("GET", "/api/pizzasizes/grande")).json,
      { id: "grande", name: "Huge", diameterInInches: 14.5 });
  });

shopTest("an item is saved once, however often Save is pressed, and not without a name",
  async (shop) => {
    const board = await openMenu(await shop.board());
    await board.tap("Add a drink");
    await board.fill("dialog [name=sizeOptions]", "0.33 l\n0.33 l\n\n1 l");
    await board.tap("Save");
    await board.says("It needs a name.", "Sparkling or still?");
    await board.fill("dialog [name=name]", "Spuma");
    await board.click("dialog [name=isCarbonated][value=true]");
    await board.click("dialog .go", 2);
    await board.until(`${names("beverages")}.includes("Spuma")`);
    const { json } = await shop.forno.call("GET", "/api/beverages?name=Spuma");
    assert.deepEqual(json.map(({ sizeOptions, isCarbonated }: any) =>
      [sizeOptions, isCarbonated]), [[["0.33 l", "1 l"], true]]);
  });

shopTest("one after the other is added in one form, which is empty for each", async (shop) => {
  const board = await openMenu(await shop.board());
  await board.tap("Add a topping");
  await board.fill("dialog [name=name]", "Cashew cream");
  await board.fill("dialog [name=description]", "Contains cashew nuts");
  await board.click("dialog [name=isVegan]");
  await board.tap("Save and add another");
  await board.says("Cashew cream saved");
  await board.is(`[document.activeElement.name, $("dialog [name=name]").value,
    $("dialog [name=isVegan]").checked]`, ["name", "", false]);
  await board.press("E", "g", "g");
  await board.tap("Save");
  await board.is(`$("dialog")`, null);
  const { json } = await shop.forno.call("GET", "/api/toppings");
  assert.deepEqual(json.slice(-2).map(({ id, ...item }: any) => item), [
    // Vegan is vegetarian, too.
    { name: "Cashew cream", isVegetarian: true, isVegan: true,
      description: "Contains cashew nuts" },
    { name: "Egg", isVegetarian: false, isVegan: false },
  ]);
});

shopTest("an item is removed; brought back, it is as it was", async (shop) => {
  await shop.change({
    pizzas: [], soldOut: { toppings: ["olive-nere"], pizzasizes: [], beverages: [] },
  });
  const board = await openMenu(await shop.board());
  await board.tap("More for Black olives", "Remove");
  await board.until(`!${names("toppings")}.includes("Black olives")`);
  assert.equal((await shop.forno.call("GET", "/api/toppings/olive-nere")).status, 404);
  await board.tap("Undo");
  await board.is(`$("[aria-checked=false]").ariaLabel`, "Sold out: Black olives");
  assert.deepEqual((await shop.forno.call("GET", "/api/toppings/olive-nere")).json,
    { id: "olive-nere", name: "Black olives", isVegetarian: true, isVegan: true });
});

shopTest("a pizza of the shop has a name and toppings, each as often as one likes",
  async (shop) => {
    await shop.change({ pizzas: [{ name: "Bianca", toppings: ["mozzarella"] }] });
    const [board, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const pizzas = async (): Promise<unknown> =>
      (await shop.forno.call("GET", "/api/shop")).json.pizzas;
    await board.tap("Add a pizza");
    await board.fill("dialog [name=name]", "Bianca");
    await board.tap("Save");
    await board.says("Another pizza has that name.", "It needs a topping.");
    // A press on the name adds it, too.
    await board.tap("Mushrooms", "Mozzarella", "One Mozzarella more", "One Mozzarella more",
      "One Mozzarella less");
    await board.fill("dialog [name=name]", "Funghi");
    await board.click("dialog .go", 2);
    await other.is(names("pizzas"), ["Bianca", "Funghi"]);
    const funghi = { name: "Funghi", toppings: ["funghi", "mozzarella", "mozzarella"] };
    assert.deepEqual(await pizzas(), [{ name: "Bianca", toppings: ["mozzarella"] }, funghi]);
    await shop.place({ id: "AAA111", pizza: "Bianca" });
    await board.tap("More for Bianca", "Change");
    await board.fill("dialog [name=name]", "Pizza bianca");
    await board.tap("Save");
    await board.says("One open order has this pizza: AAA111");
    await other.is(names("pizzas"), ["Pizza bianca", "Funghi"]);
    await board.tap("More for Pizza bianca", "Remove");
    await other.is(names("pizzas"), ["Funghi"]);
    await board.tap("Undo");
    await other.is(names("pizzas"), ["Pizza bianca", "Funghi"]);
  });

shopTest("a topping of pizzas asks before it goes, and a pizza without is marked", async (shop) => {
  await shop.change({ pizzas: [
    { name: "Funghi", toppings: ["funghi"] }, { name: "Bianca", toppings: ["mozzarella"] },
    { name: "Bosco", toppings: ["mozzarella", "funghi"] },
  ] });
  const board = await openMenu(await shop.board());
  await board.tap("More for Mushrooms", "Remove");
  await board.says("Remove Mushrooms?",
    "It is on Funghi and Bosco. What lacks a topping is not offered.");
  await board.tap("Keep it", "More for Mushrooms", "Remove", "Remove");
  await board.is(`texts(".pizzas .remark").length`, 2);
  await board.is(`$(".pizzas li:nth-child(3)").innerText.replace(/\\s+/g, " ").trim()`,
    "Bosco Mozzarella A topping is missing. It is not offered. ⋯");
  await board.tap("Undo");
  await board.is(`texts(".pizzas .remark")`, []);
});

const closedNumbers = `texts("#done .number")`;

async function doneTab(shop: Shop): Promise<Window> {
  const board = await shop.board();
  await board.tap("Done");
  return board;
}

shopTest("what was closed last comes first, and reopens on every tablet", async (shop) => {
  await shop.place("AAA111", "BBB222", "CCC333");
  await shop.update("BBB222", { status: "Delivered" });
  await shop.update("AAA111", { status: "Cancelled" });
  const [board, other] = [await doneTab(shop), await doneTab(shop)];
  await board.is(closedNumbers, ["AAA111", "BBB222"]);
  assert.match(await board.run(`return $("#done .rows li").innerText`),
    /^AAA111\s+Large: Mushrooms, 2× Mozzarella; Chinotto\s+\d+:\d\d.+\s+Cancelled\s+Reopen/);
  await shop.update("CCC333", { status: "Delivered" });
  await board.is(closedNumbers, ["CCC333", "AAA111", "BBB222"]);
  await board.tap("Reopen BBB222");
  await other.is(closedNumbers, ["CCC333", "AAA111"]);
  assert.equal(await shop.statusOf("BBB222"), "Ready");
});

shopTest("a closed order is found as an open one is, by its whole id, too",
  async (shop) => {
    const long = "01JDQ8Z2V3W4X5Y6Z7ABCDEF";
    await shop.place({ name: "Zoë", note: "no salt" }, long, { id: "BBB222", pizza: "Diavola" },
      ...[1, 2].map((index) => ({ id: `P${index}`, group: "CCC333", table: "Table 7" })));
    for (const id of ["AAA111", long, "BBB222", "P2"]) {
      await shop.update(id, { status: "Delivered" });
    }
    const board = await doneTab(shop);
    await board.is(closedNumbers, ["Table 7 CCC333", "BBB222", "…ABCDEF", "AAA111 Zoë"]);
    for (const [typed, found] of [
      ["table 7", "Table 7 CCC333"], ["bbb2", "BBB222"], ["zoe", "AAA111 Zoë"],
      ["salt", "AAA111 Zoë"], ["diav", "BBB222"], ["01jdq8", "…ABCDEF"], ["abcdef", "…ABCDEF"],
    ]) {
      await board.fill(".find input", String(typed));
      await board.is(closedNumbers, [found]);
      await board.says("1 of 4");
    }
    await board.fill(".find input", "");
    await board.until(`$("#done .note").innerText === "no salt"`);
    await board.tap("Day before");
    await board.says("No order of this day is closed yet.");
  });

shopTest("orders that were placed together count, stand and reopen as one", async (shop) => {
  const board = await doneTab(shop);
  await board.says("Nothing is done yet", "Orders come here once they are delivered or cancelled.");
  await board.is(`seen(".figures, #done .panel, .find")`, []);
  await shop.place(...[1, 2, 3].map((index) => ({ id: `P${index}`, group: "K7QX3M" })),
    "BBB222", "CCC333", "DDD444");
  for (const id of ["P1", "P2", "P3", "CCC333"]) await shop.update(id, { status: "Cancelled" });
  await shop.update("DDD444", { status: "Delivered" });
  await board.is(`$$(".figures div").map((one) => one.innerText.replace(/\\s+/g, " "))`,
    ["Orders 4", "Delivered 1", "Cancelled 2", "Pizzas 2", "Drinks 2"]);
  await board.is(closedNumbers, ["DDD444", "CCC333", "K7QX3M"]);
  await board.says("3× Large: Mushrooms, 2× Mozzarella; 3× Chinotto");
  await board.tap("Reopen K7QX3M");
  await board.is(closedNumbers, ["DDD444", "CCC333"]);
  assert.equal(await shop.statusOf("P3"), "Pending");
});

shopTest("nothing is said about a day that cannot be read", async (shop) => {
  const board = await shop.board();
  await board.intercept("since=", `return new Response("{}", { status: 503 });`);
  await board.tap("Done");
  await board.says("can’t save anything right now");
  await board.is(`$(".figures")`, null);
  assert.doesNotMatch(await board.text(), /No order|Delivered/);
});

shopTest("the CSV holds every order of the day, and no name in it is a formula", async (shop) => {
  const hostile = ["=1+1", "+49", "-cheese", "@home", `a "large", one`];
  for (const [index, name] of hostile.entries()) {
    await shop.forno.write("POST", "/api/toppings", sample({ id: `t${index}`, name }));
    await shop.place({
      id: `order${index}`, toppings: [{ id: `t${index}` }], beverages: [], note: name,
      ...index === 0 ? { table: "VIP 2", group: "K7QX3M", name: "Anna", pizza: "Calzone",
        beverages: [{ id: "birra" }, { id: "birra" }] } : {},
    });
  }
  await shop.update("order0", { status: "Delivered" });
  const board = await shop.board({ before: `URL.createObjectURL = (blob) => {
    blob.text().then((text) => { window.table = text; });
    return "data:,";
  };` });
  await board.tap("Done");
  await board.is(`$(".figures dd").textContent`, "5");
  await board.tap("Save as CSV");
  const lines = (await board.until<string>("window.table")).split("\r\n");
  assert.equal(lines.length, 7);
  assert.equal(lines[0],
    "Number,Table,Name,Group,Placed,Last change,Status,Note,Pizza,Size,Toppings,Drinks");
  assert.ok(lines.some((line) => /^order0,VIP 2,Anna,K7QX3M,.*,2× Lager$/.test(line)),
    lines.join("\n"));
  const written = ["'=1+1", "'+49", "'-cheese", "'@home", `"a ""large"", one"`];
  const cells = /(?:Pending|Delivered),(.*),(?:2× Lager)?$/;
  assert.deepEqual(lines.slice(1, 6).map((line) => cells.exec(line)?.[1]).sort(),
    written.map((text, index) => `${text},${index === 0 ? "Calzone" : ""},Large,${text}`).sort());
  // Where numbers have a comma a spreadsheet expects another sign.
  await board.speak("de-DE");
  await board.reload();
  await board.tap("Erledigt");
  await board.tap("Als CSV speichern");
  assert.match(await board.until<string>("window.table"), /^.?Nummer;Tisch;Name;/);
});
