/** The tables with open orders, in a real browser, as a waiter sees and works them. */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { type Shop, shopTest } from "./shop.ts";

async function openTables(shop: Shop): Promise<Window> {
  const board = await shop.board({ width: 390, height: 844 });
  await board.tap("Tables");
  await board.until(`$("#tables")`);
  return board;
}

/** Two orders of Table 10 and one of Table 2, ready but for one pizza. */
async function placeTables(shop: Shop): Promise<void> {
  const at10 = { table: "Table 10", beverages: [] };
  await shop.place({ id: "A1", group: "AAA111", name: "Anna", ...at10 },
    { id: "A2", group: "AAA111", name: "Anna", ...at10 },
    { id: "B1", group: "BBB222", ...at10, table: "table 10 " }, { id: "C1", table: "Table 2" },
    { id: "D1", name: "Nobody’s table" });
  for (const pizza of ["A1", "B1"]) await shop.update(pizza, { status: "Ready" });
}

const rows = `$$("#tables article:not([inert]) .row-text").map((one) =>
  one.innerText.replace(/\\s+/g, " "))`;

shopTest("each table is one row, with what is ready of all its orders", async (shop) => {
  const board = await openTables(shop);
  await board.says("No table has an open order.", "Table cards");
  await placeTables(shop);
  await board.is(rows, ["Table 2 0 min 1 not started Chinotto",
    "Table 10 0 min 2 orders · Anna · 2 of 3 ready · for 0 min"]);
  await board.is(`texts("#tables .go")`, ["Serve 2 Table 10"]);
  await board.tap("Serve 2 Table 10");
  await board.is(`texts("#tables .go")`, []);
  assert.deepEqual(await Promise.all(["A1", "A2", "B1"].map((pizza) => shop.statusOf(pizza))),
    ["Delivered", "Pending", "Delivered"]);
  await board.is(`texts(".undo p")`, ["Table 10 delivered"]);
  await board.tap("Undo");
  await board.is(`texts("#tables .go")`, ["Serve 2 Table 10"]);
  // The order page knows which table it is for, and where it was opened.
  await board.is(`$("[aria-label='New order for Table 2']").getAttribute("href")`,
    "./?for=Table+2");
  // The phone opens with the tab that it has shown last.
  await board.reload();
  await board.is(`${rows}.length`, 2);
});

shopTest("a table moves with all of its orders, by a number, and back with one undo",
  async (shop) => {
    await placeTables(shop);
    const board = await openTables(shop);
    await board.tap("More for Table 10", "BBB222 1 of 1 ready");
    await board.says("1 of 1 ready", "BBB222", "Send out");
    await board.tap("Close", "More for Table 10");
    await board.is("getSelection().toString()", "Table 10");
    await board.press("9");
    await board.tap("Move");
    // It keeps its place while its line stands.
    await board.is(`texts(".undo p")`, ["Table 10 is now Table 9"]);
    await board.until(`${rows}[1]?.startsWith("Table 9 0 min 2 orders")`);
    const tableOf = async (pizza: string): Promise<unknown> =>
      (await shop.read(`/api/orders/${pizza}`)).table;
    const tables = (): Promise<unknown[]> => Promise.all(["A1", "A2", "B1"].map(tableOf));
    assert.deepEqual(await tables(), ["Table 9", "Table 9", "Table 9"]);
    await board.tap("Undo");
    await board.until(`${rows}[1]?.startsWith("Table 10 0 min 2 orders")`);
    assert.deepEqual(await tables(), ["Table 10", "Table 10", "table 10 "]);
  });

shopTest("a press on a table that has just moved does nothing", async (shop) => {
  await placeTables(shop);
  const board = await openTables(shop);
  await board.until(`${rows}.length === 2`);
  const serve = "#tables .go";
  const [, top] = await board.pointOf(serve);
  const seenAt = await board.now();
  // The row above it becomes higher.
  await shop.update("C1", { name: "Maximiliane von Hohenlohe-Schillingsfürst-Oettingen" });
  await board.until(`${rows}[0].includes("Maximiliane")`);
  const [x, y] = await board.pointOf(serve);
  assert.ok(y > top);
  await board.pressAt(x, y, 1, seenAt + 0.399);
  await board.pressAt(...await board.pointOf(".top-tools button"), 1, seenAt + 0.399);
  await board.until(`$("dialog")`);
  await board.press(keys.escape);
  assert.equal(await shop.statusOf("A1"), "Ready");
  await board.pressAt(x, y);
  await board.is(`texts(".undo p")`, ["Table 10 delivered"]);
});
