/** Printing from the board: tickets, and cards for tables. */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { codesAre } from "./qr.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

shopTest("a ticket has its order's note, and is upright on any paper", async (shop) => {
  await shop.change({ pizzas: [
    { name: "Margherita", toppings: ["pomodoro", "mozzarella", "basilico"] },
  ] });
  await shop.place("AAA111", ...["no salt", ""].map((note, index) => ({
    id: `P${index}`, group: "K7QX3M", table: "Table 7", name: "Anna", note, beverages: [],
    toppings: ["funghi", "rucola", "grana", "basilico", "cipolla", "pomodoro", "olive-nere"]
      .map((id) => ({ id })),
  })), {
    id: "CCC333", pizza: "Margherita",
    toppings: [{ id: "pomodoro" }, { id: "mozzarella" }, { id: "rucola" }],
  });
  const board = await shop.board();
  await board.until(cardIn("New", "CCC333"));
  await board.run(`window.print = () => { window.printed =
    $$(".ticket :is(h3, .number, .name, .note, .placed b, li)").map((one) => one.textContent); };`);
  await board.tap("More for Table 7", "Print 2 tickets");
  const toppings = ["Mushrooms", "Rocket", "Grana Padano", "Basil", "Red onion", "Tomato sauce",
    "Black olives"];
  await board.is("window.printed", [
    ...["Order Table 7", "K7QX3M", "Anna", "no salt", "Pizza 1 of 2", "Large", ...toppings],
    ...["Order Table 7", "K7QX3M", "Anna", "Pizza 2 of 2", "Large", ...toppings],
  ]);
  const [first = [], second = [], ...rest] = await board.printedPages();
  assert.deepEqual([first[0], second[0], rest], [80, 80, []]);
  assert.ok((first[1] ?? 0) > (second[1] ?? 0), `${first} is higher by its note than ${second}`);
  await board.tap("More for CCC333", "Print 1 ticket");
  await board.is("window.printed",
    ["Order CCC333", "Margherita, Large", "without Basil", "+ Rocket",
      "Tomato sauce, Mozzarella, Rocket", "Chinotto"]);
  const [[width = 0, height = 0] = [], ...more] = await board.printedPages();
  assert.deepEqual([width, more], [80, []]);
  assert.ok(height > width, `a low ticket is upright, too: ${width} x ${height}`);
  const small = await board.run<string[]>(`return $$(".ticket *").filter((one) =>
    parseFloat(getComputedStyle(one).fontSize) / 96 * 25.4 * 58 / 80 < 2)
    .map((one) => one.textContent)`);
  assert.deepEqual(small, [], "on 58 mm no writing is lower than 2 mm");
});

/** Where the tables are typed whose cards are to be printed. */
const tables = ".table-signs textarea";

async function openCards(shop: Shop, language = "en-GB"): Promise<Window> {
  const board = await shop.board({ language });
  await board.run(`
    window.printed = 0;
    window.print = () => { window.printed += 1; };`);
  await board.tap("Settings", "Table cards Codes to print, one for each table");
  await board.until(`$("${tables}")`);
  return board;
}

const isOff = `$("dialog footer .go") === null`;

shopTest("twelve cards in one press, six on a sheet, each with the link of its table",
  { GUEST_ORDERS: "on" }, async (shop) => {
    await shop.place("AAA111");
    const board = await openCards(shop);
    await board.says("There is nothing to print yet.");
    await board.is(isOff, true);
    await board.tap("Table 1 to Table 12");
    await board.says("2 sheets, six cards on each.");
    await board.type(tables, "\nTerrace, by the lemon tree");
    await board.tap("Print 13 cards");
    await board.is("window.printed", 1);
    const { origin } = shop.forno;
    const terrace = `${origin}/?for=Terrace%2C+by+the+lemon+tree`;
    const links = Array.from({ length: 12 }, (_, at) => `${origin}/?for=Table+${at + 1}`);
    await codesAre(board, ".printed-signs", [...links, terrace]);
    await codesAre(board, ".preview", [terrace]);
    assert.doesNotMatch(await board.text(), /Guests can’t order/);
    // No order is printed, and it fits whatever is in the printer.
    // Letter is the lower one of the usual papers.
    const pages = await board.printedPages({ paperWidth: 8.5, paperHeight: 11 });
    assert.deepEqual(pages, Array(3).fill([216, 279]));
    const beside = await shop.browser.open(`${origin}/board`, { beside: board });
    await beside.tap("Settings", "Table cards Codes to print, one for each table");
    await beside.until(`$("${tables}").value.includes("lemon tree")`);
    // Printed pages stay until the next press: Safari says this before its own dialog is open.
    await board.run(`dispatchEvent(new Event("afterprint"));`);
    await board.is(`$$(".printed-signs").length`, 1);
    await board.run("delete window.print; window.print = undefined;");
    await board.tap("Print 13 cards");
    await board.says("This browser can’t print.");
    await board.is(`$$(".printed-signs").length`, 0);
  });

shopTest("what would be no use printed is said before, and not printed", {
  GUEST_ORDERS: "off",
}, async (shop) => {
  const board = await openCards(shop);
  await board.says("Guests can’t order on their own yet. Where Forno runs, set "
    + "GUEST_ORDERS=on and start it again.");
  assert.match(await board.text(), new RegExp("Only this computer can open http://127.0.0.1:\\d+/. "
    + "Open the board under this computer’s address in your network. "
    + "If there is none, set HOST=0.0.0.0 where Forno runs."));
  for (const [typed, fault] of [
    [`A${"b".repeat(40)}`, `A${"b".repeat(40)}: this name is too long.`],
    [`1${"طاولة".repeat(7)}`, "too long for a code, together with the address."],
  ] as const) {
    await board.fill(tables, typed);
    await board.says(fault);
    await board.until(isOff);
  }
  await board.fill(tables, "Table 1\n\n  Table   1 \nطاولة 2");
  await board.until(`!(${isOff})`);
  await board.is("window.printed", 0);
  await board.tap("Print 2 cards");
  const links = ["Table+1", "%D8%B7%D8%A7%D9%88%D9%84%D8%A9+2"].map((name) =>
    `${shop.forno.origin}/?for=${name}`);
  await codesAre(board, ".printed-signs", links);
});
