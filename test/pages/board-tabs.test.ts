/** The board's tabs Menu and Done, in a real browser, as staff work them. */

import assert from "node:assert/strict";
import { until } from "../helpers/patience.ts";
import { topping as sample } from "../helpers/samples.ts";
import { keys, type Window } from "./browser.ts";
import { held, shopTest, type Shop } from "./shop.ts";

const names = (kind: string): string => `texts(".menu-kinds .${kind} li bdi")`;

async function openMenu(board: Window): Promise<Window> {
  await board.tap("Menu");
  await board.until(`${names("toppings")}.length > 0`);
  return board;
}

shopTest("sold out is one press, in place, on every tablet, and so is the way back",
  async (shop) => {
    await shop.place("AAA111");
    const [one, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const boxes = `$$(".menu-kinds li, .switch").map((one) =>
      Object.values(one.getBoundingClientRect().toJSON()))`;
    const before = await one.run(`return ${boxes}`);
    await one.tap("Available: Mushrooms");
    await other.is(`$("[aria-checked=false]").ariaLabel`, "Sold out: Mushrooms");
    await one.is(boxes, before);
    const json = await shop.read("/api/shop");
    assert.deepEqual(json.soldOut, { toppings: ["funghi"], pizzasizes: [], beverages: [] });
    await other.tap("Orders1 new");
    await other.is(`$(".remark").textContent`, "sold out: Mushrooms");
    await one.tap("Sold out: Mushrooms");
    await other.is(`$(".remark")`, null);
  });

const isOpen = async (shop: Shop): Promise<readonly unknown[]> => {
  const { isOpen, notice, soldOut } = await shop.read("/api/shop");
  return [isOpen, notice, soldOut.toppings, soldOut.beverages];
};

shopTest("the shop closes with the notice that was typed, which none from elsewhere overwrites",
  async (shop) => {
    const board = await openMenu(await shop.board());
    await board.fill("#menu [name=notice]", "Cash only");
    await shop.change({ notice: "No cards" });
    await board.says("Now: No cards");
    await board.tap("Save");
    await board.says("Saved");
    assert.deepEqual(await isOpen(shop), [true, "Cash only", [], []]);
    await board.is(`texts(".notice-form .fault")`, []);
    await board.fill("#menu [name=notice]", "Back at 18:00");
    await board.tap("Close the shop");
    await board.says("Close the shop?", "Guests can’t order until it is open again.");
    await board.tap("Keep it open", "Close the shop");
    await board.tapIn(`$("dialog")`, "Close the shop");
    await board.until(`$(".top").innerText.includes("Closed")`);
    assert.deepEqual(await isOpen(shop), [false, "Back at 18:00", [], []]);
  });

shopTest("opening asks whether the notice and what is sold out stay, and keeps what is not chosen",
  async (shop) => {
    const soldOut = { toppings: ["funghi"], pizzasizes: [], beverages: ["birra"] };
    await shop.change({ isOpen: false, notice: "Cash only", soldOut });
    const board = await openMenu(await shop.board());
    await board.tap("Open the shop");
    await board.says("Sell everything again: Mushrooms and Lager",
      "Take the notice away: “Cash only”");
    await board.tap("Keep it closed");
    for (const [chosen, left] of [["soldOut", "Cash only"], ["notice", ""]] as const) {
      await board.tap("Open the shop");
      await board.click(`dialog [name=${chosen}]`);
      await board.tap("Open the shop");
      await board.until(`$(".top").innerText.includes("Open")`);
      assert.deepEqual(await isOpen(shop), [true, left, [], []]);
      await shop.change({ isOpen: false });
    }
    // Nothing to ask.
    await board.tap("Open the shop");
    await board.until(`$(".top").innerText.includes("Open")`);
  });

shopTest("a form of the menu says what it lacks, is saved once, and keeps what nobody has touched",
  async (shop) => {
    const board = await openMenu(await shop.board());
    await board.tap("Add a size");
    await board.fill("dialog [name=name]", "Huge");
    await board.fill("dialog [name=diameterInInches]", "wide");
    await board.tap("Save");
    await board.says("How wide is it?");
    await board.is("document.activeElement.name", "diameterInInches");
    await board.tap("Close", "Throw away", "More for Large", "Change");
    await board.fill("dialog [name=name]", "Huge");
    await board.tap("Save");
    await board.until(`${names("pizzasizes")}.includes("Huge")`);
    assert.deepEqual((await shop.read("/api/pizzasizes/grande")),
      { id: "grande", name: "Huge", diameterInInches: 14.5, description: "Contains gluten" });
    await board.tap("Add a drink");
    await board.fill("dialog [name=sizeOptions]", "0.33 l\n0.33 l\n\n1 l");
    await board.tap("Save");
    await board.says("It needs a name.", "Sparkling or still?");
    await board.fill("dialog [name=name]", "Spuma");
    await board.click("dialog [name=isCarbonated][value=true]");
    await board.click("dialog .go", 2);
    await board.until(`${names("beverages")}.includes("Spuma")`);
    await board.says("Spuma saved");
    const json = await shop.read("/api/beverages?name=Spuma");
    assert.deepEqual(json.map(({ sizeOptions, isCarbonated }: any) =>
      [sizeOptions, isCarbonated]), [[["0.33 l", "1 l"], true]]);
  });

shopTest("after Save the form of a new item is there for the next one, empty", async (shop) => {
  const board = await openMenu(await shop.board());
  await board.tap("Add a topping");
  await board.fill("dialog [name=name]", "Cashew cream");
  await board.fill("dialog [name=description]", "Contains cashew nuts");
  await board.click("dialog [name=isVegan]");
  await board.tap("Save");
  await board.says("Cashew cream saved");
  await board.is(`[document.activeElement.name, $("dialog [name=name]").value,
    $("dialog [name=isVegan]").checked]`, ["name", "", false]);
  await board.press("E", "g", "g");
  await board.tap("Save");
  await board.says("Egg saved");
  await board.tap("Close");
  await board.is(`$("dialog")`, null);
  const json = await shop.read("/api/toppings");
  assert.deepEqual(json.slice(-2).map(({ id, ...item }: any) => item), [
    // Vegan is vegetarian, too.
    { name: "Cashew cream", isVegetarian: true, isVegan: true,
      description: "Contains cashew nuts" },
    { name: "Egg", isVegetarian: false, isVegan: false },
  ]);
});

shopTest("a form of the menu asks before its cross or Escape throws typed text away", async (shop) => {
  const board = await openMenu(await shop.board());
  for (const leave of [() => board.tap("Close"), () => board.press(keys.escape)]) {
    await board.tap("Add a topping");
    await leave();
    await board.is(`$("dialog")`, null);
    await board.tap("Add a topping");
    await board.fill("dialog [name=name]", "Basil");
    await leave();
    await board.says("Throw away what you typed?");
    await board.tap("Go on typing");
    await board.is(`$("dialog [name=name]").value`, "Basil");
    await leave();
    await board.tap("Throw away");
    await board.is(`$("dialog")`, null);
  }
});

shopTest("of two at one item the second sees what the first has written, and may save again",
  async (shop) => {
    const path = "/api/toppings/funghi";
    const board = await openMenu(await shop.board());
    await board.tap("More for Mushrooms", "Change");
    await board.fill("dialog [name=name]", "Porcini");
    // Another field is no conflict.
    await shop.forno.write("PATCH", path, { description: "Fresh" });
    await board.tap("Save");
    await board.until(`${names("toppings")}.includes("Porcini")`);
    const read = async (): Promise<unknown> => {
      const { name, description } = await shop.read(path);
      return [name, description];
    };
    assert.deepEqual(await read(), ["Porcini", "Fresh"]);
    await board.tap("More for Porcini", "Change");
    await board.fill("dialog [name=name]", "Ceps");
    await shop.forno.write("PATCH", path, { name: "Chanterelles" });
    await board.says("Now: Chanterelles");
    await board.tap("Save");
    await board.until(`${names("toppings")}.includes("Ceps")`);
    assert.deepEqual(await read(), ["Ceps", "Fresh"]);
    // Also what the board has not heard of is shown before it is written over.
    await board.tap("More for Ceps", "Change");
    await board.fill("dialog [name=name]", "Boletus");
    await board.run("window.other = fetch;");
    await board.intercept(`GET ${path.slice(1)}`, `if (count > 1) return;
      const { authorization } = Object.fromEntries(request.headers);
      await other("api/toppings/funghi", { method: "PATCH", headers: { authorization },
        body: '{"name":"Morels"}' });`);
    await board.tap("Save");
    await board.says("Somebody else changed it. Save writes over that.", "Now: Morels");
    await board.until(`$("dialog form:not([aria-busy])")`);
    await board.tap("Save");
    await board.until(`${names("toppings")}.includes("Boletus")`);
  });

shopTest("the menu has the order that staff give it, and so have the shop's pizzas",
  async (shop) => {
    await shop.change({ pizzas: ["Bianca", "Rossa", "Verde"].map((name) =>
      ({ name, toppings: ["mozzarella"] })) });
    const [board, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const before = await board.run<string[]>(`return ${names("pizzasizes")}`);
    await board.tap(`More for ${before[2]}`, "Move up");
    await other.is(names("pizzasizes"), [before[0], before[2], before[1], ...before.slice(3)]);
    // The dialog stays for another step.
    await board.tap("Move up");
    const moved = [before[2], before[0], before[1], ...before.slice(3)];
    await other.is(names("pizzasizes"), moved);
    await board.is(`$("dialog [aria-disabled]").innerText.trim()`, "Move up");
    await board.tap("Close", "More for Bianca", "Move down");
    await other.is(names("pizzas"), ["Rossa", "Bianca", "Verde"]);
    await other.reload();
    await openMenu(other);
    await other.is(names("pizzasizes"), moved);
  });

shopTest("a pizza of the shop has a name and toppings, each as often as one likes",
  async (shop) => {
    await shop.change({ pizzas: [{ name: "Bianca", toppings: ["mozzarella"] }] });
    const [board, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const pizzas = async (): Promise<unknown> =>
      (await shop.read("/api/shop")).pizzas;
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
    await board.tap("Close");
    const funghi = { name: "Funghi", toppings: ["funghi", "mozzarella", "mozzarella"] };
    assert.deepEqual(await pizzas(), [{ name: "Bianca", toppings: ["mozzarella"] }, funghi]);
    await shop.place({ id: "AAA111", pizza: "Bianca" });
    await board.tap("More for Bianca", "Change");
    await board.fill("dialog [name=name]", "Pizza bianca");
    await board.tap("Save");
    await board.says("One open order has this pizza: AAA111");
    await other.is(names("pizzas"), ["Pizza bianca", "Funghi"]);
    await board.tap("More for Pizza bianca", "Remove", "Keep it", "More for Pizza bianca", "Remove",
      "Remove");
    await other.is(names("pizzas"), ["Funghi"]);
  });

shopTest("a topping that is removed goes from the pizzas that have it, and the question names them",
  async (shop) => {
    await shop.change({ pizzas: [
      { name: "Funghi", toppings: ["funghi"] }, { name: "Bianca", toppings: ["mozzarella"] },
      { name: "Bosco", toppings: ["mozzarella", "funghi"] },
    ] });
    const board = await openMenu(await shop.board());
    await board.tap("More for Mushrooms", "Remove");
    await board.says("Remove Mushrooms?", "Mushrooms goes from Bosco, too.",
      "Nothing else is on Funghi: gone, too.");
    await board.tap("Keep it", "More for Mushrooms", "Remove", "Remove");
    await board.is(names("pizzas"), ["Bianca", "Bosco"]);
    await board.until(`!${names("toppings")}.includes("Mushrooms")`);
    assert.equal((await shop.forno.call("GET", "/api/toppings/funghi")).status, 404);
    assert.deepEqual((await shop.read("/api/shop")).pizzas, [
      { name: "Bianca", toppings: ["mozzarella"] }, { name: "Bosco", toppings: ["mozzarella"] },
    ]);
  });

shopTest("the form of a pizza shows what its recipe lacks, and counts only what there is",
  async (shop) => {
    await shop.change({ pizzas: [{ name: "Verde", toppings: ["basil", "mozzarella"] }] });
    const board = await openMenu(await shop.board());
    await board.is(`texts(".pizzas .remark")`, ["A topping is missing. It is not offered."]);
    await board.tap("More for Verde", "Change", "One Mozzarella less", "Save");
    await board.says("It needs a topping.", "No longer on the menu: basil");
    await board.tap("One Mozzarella more", "Take off basil", "Save");
    await board.is(`texts(".pizzas .remark")`, []);
    assert.deepEqual((await shop.read("/api/shop")).pizzas,
      [{ name: "Verde", toppings: ["mozzarella"] }]);
  });

const closedNumbers = `texts("#done .done-title")`;

async function doneTab(shop: Shop): Promise<Window> {
  const board = await shop.board();
  await board.tap("Done");
  return board;
}

shopTest("a closed order is found as an open one is, by its whole id, too",
  async (shop) => {
    const long = "01JDQ8Z2V3W4X5Y6Z7ABCDEF";
    await shop.place({ name: "Zoë", note: "no salt" }, long, { id: "BBB222", pizza: "Diavola" },
      ...[1, 2].map((index) => ({ id: `P${index}`, group: "CCC333", table: "Table 7" })));
    for (const id of ["AAA111", long, "BBB222", "P1", "P2"]) {
      await shop.update(id, { status: "Delivered" });
    }
    const board = await doneTab(shop);
    await board.is(closedNumbers, ["Table 7 CCC333", "BBB222", "…ABCDEF", "Zoë AAA111"]);
    for (const [typed, found] of [
      ["table 7", "Table 7 CCC333"], ["salt", "Zoë AAA111"], ["01jdq8", "…ABCDEF"],
    ] as const) {
      await board.fill(".done-search input", typed);
      await board.is(closedNumbers, [found]);
      await board.says("1 of 4");
    }
    await board.fill(".done-search input", "");
    await board.until(`$("#done .note").innerText === "no salt"`);
    // The words go along to the days around.
    await board.fill(".done-search input", "nobody");
    await board.says("Nothing of this day fits “nobody”.");
    await board.tapOn(`seen("button").find((one) => one.textContent.startsWith("Look on"))`);
    await board.says("No order of this day is closed yet.", "Nothing of this day fits “nobody”.");
  });

shopTest("an order is one row in Done once nothing of it is open, and reopens whole, everywhere",
  async (shop) => {
    const [board, other] = [await doneTab(shop), await doneTab(shop)];
    await board.says("Nothing is done yet",
      "Orders come here once they are delivered or cancelled.");
    await board.is(`seen(".figures, #done .panel, .done-search")`, []);
    await shop.place(...[1, 2, 3].map((index) => ({ id: `P${index}`, group: "K7QX3M" })),
      { note: "no salt" });
    await shop.update("P1", { status: "Delivered" });
    await shop.update("AAA111", { status: "Cancelled" });
    await shop.update("P2", { status: "Cancelled" });
    await board.is(closedNumbers, ["AAA111"]);
    const row = `return $("#done .rows > li").innerText.replace(/\\s+/g, " ")`;
    assert.match(await board.run(row),
      /^AAA111 no salt Large: Mushrooms, 2× Mozzarella \d+:\d\d .+ Cancelled Reopen/);
    // An arrow says that the row opens.
    const arrow = `$("#done .done-title use")?.getAttribute("href").split("-").at(-1)`;
    await board.is(arrow, "down");
    await board.tap("AAA111");
    await board.is(arrow, "up");
    assert.match(await board.run(row), /Placed \d+:\d\d .+, Cancelled \d+:\d\d/);
    await board.resize(390, 844);
    await board.is(`boxOf(".done-pizzas").width`, await board.run(`return $("#done .rows > li")
      .clientWidth`), "on a phone");
    await board.resize(1280, 900);
    // What was closed last comes first.
    await shop.update("P3", { status: "Delivered" });
    for (const tablet of [board, other]) await tablet.is(closedNumbers, ["K7QX3M", "AAA111"]);
    await board.tap("Reopen K7QX3M");
    await other.is(closedNumbers, ["AAA111"]);
    await until(async () => await shop.statusOf("P3") === "Ready");
    assert.deepEqual([await shop.statusOf("P1"), await shop.statusOf("P2")],
      ["Ready", "Cancelled"]);
  });

shopTest("Done says what was sold, most first, without what was cancelled", async (shop) => {
  await shop.place(...["Diavola", "Diavola", "Funghi"].map((pizza, index) =>
    ({ id: `P${index}`, pizza, group: "K7QX3M" })), "BBB222", "CCC333");
  for (const id of ["P0", "BBB222"]) await shop.update(id, { status: "Cancelled" });
  await shop.update("P1", { status: "Delivered" });
  const board = await doneTab(shop);
  await board.is(`$$(".figures div").map((one) => one.innerText.replace(/\\s+/g, " "))`,
    ["Orders 3", "Delivered 0", "Cancelled 1"]);
  const sold = `$$(".sold > div").map((one) => one.innerText.replace(/\\s+/g, " "))`;
  // A cancelled pizza leaves the drinks of its order.
  await board.is(sold,
    ["3 Pizzas 1 Diavola, Large 1 Funghi, Large 1 Own pizza, Large", "4 Drinks 4 Chinotto"]);
  await shop.place({ id: "DDD444", pizza: "Funghi" });
  await board.is(sold,
    ["4 Pizzas 2 Funghi, Large 1 Diavola, Large 1 Own pizza, Large", "5 Drinks 5 Chinotto"]);
});

shopTest("an order that is deleted while the day is read does not come back", async (shop) => {
  await shop.place("AAA111", "BBB222");
  for (const id of ["AAA111", "BBB222"]) await shop.update(id, { status: "Delivered" });
  const board = await shop.board();
  // Nothing is said about a day that cannot be read.
  await board.intercept("since=", `if (count === 1) return new Response("{}", { status: 503 });
    const answer = await send();
    ${held}
    return answer;`);
  await board.tap("Done");
  await board.says("can’t save anything right now");
  await board.is(`$(".figures")`, null);
  assert.doesNotMatch(await board.text(), /No order|Delivered/);
  await board.tap("Orders0", "Done");
  await board.until("window.letGo");
  await shop.forno.write("DELETE", "/api/orders/BBB222");
  await shop.place("CCC333");
  await board.until(`$(".badge").textContent === "1 new"`);
  await board.run("letGo()");
  await board.is(closedNumbers, ["AAA111"]);
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
    "Number,Table,Name,Group,Placed,Wanted,Last change,Status,Note,Pizza,Size,Toppings,Drinks");
  assert.ok(lines.some((line) => /^order0,VIP 2,Anna,K7QX3M,.*,2× Lager$/.test(line)),
    lines.join("\n"));
  const written = ["'=1+1", "'+49", "'-cheese", "'@home", `"a ""large"", one"`];
  const cells = /(?:Pending|Delivered),(.*),(?:2× Lager)?$/;
  assert.deepEqual(lines.slice(1, 6).map((line) => cells.exec(line)?.[1]).sort(),
    written.map((text, index) => `${text},${index === 0 ? "Calzone" : ""},Large,${text}`).sort());
  // Where numbers have a comma a spreadsheet expects another sign.
  await board.speak("de-DE");
  await board.reload();
  await board.says("neu");
  await board.tap("Erledigt");
  await board.tap("Als CSV speichern");
  assert.match(await board.until<string>("window.table"), /^.?Nummer;Tisch;Name;/);
});
