/** The board's tab Done, in a real browser, as staff work it. */

import assert from "node:assert/strict";
import { until } from "../helpers/patience.ts";
import { topping as sample } from "../helpers/samples.ts";
import type { Window } from "./browser.ts";
import { held, shopTest, type Shop } from "./shop.ts";

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
    // The order that was closed last comes first.
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
  await board.tap("Orders0 new", "Done");
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
  const cells = /(?:New|Delivered),(.*),(?:2× Lager)?$/;
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
