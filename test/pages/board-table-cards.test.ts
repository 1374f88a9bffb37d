/** Cards for tables, printed from the board: what a guest's camera reads (contract part 7). */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { codesAre } from "./qr.ts";
import { type Shop, shopTest } from "./shop.ts";

const names = ".table-cards textarea";

async function openCards(shop: Shop, language = "en-GB"): Promise<Window> {
  const board = await shop.board({ language });
  await board.run(`
    window.printed = 0;
    window.print = () => { window.printed += 1; };`);
  await board.tap("Settings", "Table cards Codes to print, one for each table");
  await board.until(`$("${names}")`);
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
    await board.type(names, "\nTerrace, by the lemon tree");
    await board.tap("Print 13 cards");
    await board.is("window.printed", 1);
    const { origin } = shop.forno;
    const terrace = `${origin}/?for=Terrace%2C+by+the+lemon+tree`;
    const links = Array.from({ length: 12 }, (_, at) => `${origin}/?for=Table+${at + 1}`);
    await codesAre(board, ".printed-cards", [...links, terrace]);
    await codesAre(board, ".preview", [terrace]);
    assert.doesNotMatch(await board.text(), /Guests can’t order/);
    // No order is printed, and it fits whatever is in the printer.
    // Letter is the lower one of the usual papers.
    const pages = await board.printedPages({ paperWidth: 8.5, paperHeight: 11 });
    assert.deepEqual(pages, Array(3).fill([216, 279]));
    const beside = await shop.browser.open(`${origin}/board`, { beside: board });
    await beside.tap("Settings", "Table cards Codes to print, one for each table");
    await beside.until(`$("${names}").value.includes("lemon tree")`);
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
    await board.fill(names, typed);
    await board.says(fault);
    await board.until(isOff);
  }
  await board.fill(names, "Table 1\n\n  Table   1 \nطاولة 2");
  await board.until(`!(${isOff})`);
  await board.is("window.printed", 0);
  await board.tap("Print 2 cards");
  const links = ["Table+1", "%D8%B7%D8%A7%D9%88%D9%84%D8%A9+2"].map((name) =>
    `${shop.forno.origin}/?for=${name}`);
  await codesAre(board, ".printed-cards", links);
});
