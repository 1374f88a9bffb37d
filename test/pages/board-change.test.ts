/** Orders that are changed on the board, and found there, in a real browser. */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { cardIn, cardOf, held, type Shop, shopTest } from "./shop.ts";

const group = "K7QX3M";

/** Two pizzas of Table 7, made and being made, and one that was delivered. */
async function placeGroup(shop: Shop): Promise<void> {
  const names = ["Diavola", "Diavola", "Funghi"];
  await shop.place(...names.map((pizza, index) =>
    ({ id: `P${index + 1}`, group, table: "Table 7", name: "Anna", pizza })));
  await shop.update("P1", { status: "Preparing" });
  await shop.update("P3", { status: "Delivered" });
}

async function openChange(board: Window, name: string): Promise<void> {
  await board.tap(`More for ${name}`, "Change Table, name and notes");
  await board.until(`$("dialog [name=table]")`);
}

async function textsOf(shop: Shop, id: string): Promise<unknown> {
  const { table, name, note, status } = (await shop.forno.asStaff("GET", `/api/orders/${id}`)).json;
  return [table, name, note, status];
}

/** The field of that number, from 1. */
const note = (index: number): string => `dialog section:nth-of-type(${index}) [name=note]`;

shopTest("table and name of all open orders together, and a note for each, are one form",
  async (shop) => {
    await placeGroup(shop);
    const [board, other] = [await shop.board(), await shop.board()];
    await board.intercept("PATCH", "window.sent = count;");
    await openChange(board, "Table 7");
    await board.says("Change Table 7", "For all 2 pizzas", "Delivered: stays as it is.");
    // Guests moved to another table: its text is selected.
    await board.is(`getSelection().toString()`, "Table 7");
    await board.fill("dialog [name=table]", "Table 9");
    await board.fill(note(2), "no cheese");
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
    assert.deepEqual(await Promise.all(["P1", "P2", "P3"].map((id) => textsOf(shop, id))), [
      ["Table 9", "Anna", undefined, "Preparing"], ["Table 9", "Anna", "no cheese", "Pending"],
      ["Table 7", "Anna", undefined, "Delivered"],
    ]);
    for (const screen of [board, other]) {
      const there = cardIn("Pending", "Table 9", ".note");
      await screen.until(`${there}?.innerText.includes("no cheese")`);
    }
    // Who has changed it knows; the others see it where it stands.
    await board.is(`[window.sent, $$(".changed").length]`, [2, 0]);
    await other.is(`texts(".card .changed").length`, 3);
    // An empty text takes it away. What was not typed is not written.
    await openChange(board, "Table 9");
    await board.fill("dialog [name=name]", "");
    await board.tap("Save");
    await board.is(cardOf("Table 9", ".name"), null);
    assert.deepEqual(await textsOf(shop, "P2"), ["Table 9", undefined, "no cheese", "Pending"]);
  });

shopTest("where names differ the field is empty, and is written only if something is typed",
  async (shop) => {
    await shop.place(...["Anna", "Bruno"].map((name) => ({ id: name, name, group })));
    const board = await shop.board();
    await openChange(board, group);
    await board.is(`(({ value, placeholder }) => [value, placeholder])($("dialog [name=name]"))`,
      ["", "several names"]);
    await board.fill("dialog [name=table]", "Bar");
    // An emptied field says "several names" again, and keeps them.
    await board.fill("dialog [name=name]", "Rossi");
    await board.fill("dialog [name=name]", "");
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
    assert.deepEqual(await textsOf(shop, "Bruno"), ["Bar", "Bruno", undefined, "Pending"]);
    await openChange(board, "Bar");
    await board.fill("dialog [name=name]", "Rossi");
    await board.tap("Save");
    await board.is(`${cardOf("Bar", ".name")}.innerText`, "Rossi");
  });

shopTest("an order that only moved on is changed all the same, and a text from elsewhere is shown",
  async (shop) => {
    await shop.place({ id: "AAA111", name: "Anna", note: "well done" });
    const board = await shop.board();
    // Another tablet writes between this one's press and its write.
    await board.run("window.other = fetch;");
    const beside = (body: object): Promise<void> => board.intercept("PATCH", `
      if (count > 1) return;
      const headers = { authorization: request.headers.get("authorization") };
      await other("api/orders/AAA111", { method: "PATCH", headers,
        body: ${JSON.stringify(JSON.stringify(body))} });`);
    await beside({ status: "Ready" });
    await openChange(board, "AAA111");
    await board.fill(note(1), "no salt");
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
    assert.deepEqual(await textsOf(shop, "AAA111"), [undefined, "Anna", "no salt", "Ready"]);
    await beside({ note: "nuts: allergic!" });
    await openChange(board, "AAA111");
    await board.fill(note(1), "gluten-free");
    await board.tap("Save");
    await board.says("Somebody else changed it. Save writes over that.", "Now: nuts: allergic!");
    assert.deepEqual(await textsOf(shop, "AAA111"),
      [undefined, "Anna", "nuts: allergic!", "Ready"]);
    await board.is(`$(${JSON.stringify(note(1))}).value`, "gluten-free");
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
    assert.deepEqual(await textsOf(shop, "AAA111"), [undefined, "Anna", "gluten-free", "Ready"]);
  });

shopTest("what could not be saved stays in the form, and is asked about before it is thrown away",
  async (shop) => {
    await shop.place({ id: "AAA111" });
    const board = await shop.board();
    await openChange(board, "AAA111");
    await board.tap("Don’t change");
    // Nothing was typed. The second dialog gives the focus back to what opened the first.
    await board.is(`[$("dialog"), document.activeElement.ariaLabel]`, [null, "More for AAA111"]);
    await board.intercept("PATCH", `if (count > 1) return;
      ${held}
      return new Response("{}", { status: 503 });`);
    await openChange(board, "AAA111");
    await board.fill("dialog [name=table]", "Table 7");
    await board.click("dialog .go", 2);
    await board.until("window.letGo");
    await board.run("letGo();");
    await board.says("The shop can’t save anything right now.");
    await board.press(keys.escape);
    await board.says("Throw away what you typed?");
    await board.tap("Go on typing");
    await board.is(`$("dialog [name=table]").value`, "Table 7");
    // It is closed elsewhere: nothing is sent for it.
    await shop.update("AAA111", { status: "Cancelled" });
    await board.says("Cancelled: stays as it is.");
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
    assert.deepEqual(await textsOf(shop, "AAA111"), [undefined, undefined, undefined, "Cancelled"]);
  });

const shown = `texts(".card h3 bdi")`;

shopTest("a search shows the open orders of a number, table, name, note or pizza alone",
  async (shop) => {
    await shop.change({ pizzas: [] });
    await shop.place({ id: "K7Q0A1", name: "Zoë" }, { id: "BBB222", table: "Table 3" },
      { id: "CCC333", table: "Table 31", note: "beside table 3" },
      { id: "DDD444", pizza: "Jalapeño" },
      ...[1, 2].map((part) => ({ id: `P${part}`, group: "EEE555", note: "ginger" })));
    await shop.update("DDD444", { status: "Ready" });
    const board = await shop.board();
    await board.tap("Search");
    for (const row of [
      ["table 3", ["Table 3", "Table 31"]], ["zoe", ["K7Q0A1"]], ["k7qoai", ["K7Q0A1"]],
      ["jalap", ["DDD444"]], ["beside", ["Table 31"]], ["ginger", ["EEE555"], 2],
      ["able", []],
    ] as const) {
      const [typed, found, count = found.length] = row;
      await board.fill("#search", typed);
      await board.is(shown, found, typed);
      await board.says(`${count} found`);
    }
    await board.says("No open order matches", "It may be done already.");
    await board.fill("#search", "table 3");
    await board.is(`texts("span.head")`,
      ["5Pending2 shown", "0Preparing0 shown", "1Ready0 shown", "0Out for Delivery0 shown"]);
    // The board says what is new among the hidden ones, and a press there shows all.
    await board.tap("2 new");
    await board.is(`[${shown}.length, document.activeElement.ariaLabel]`, [5, "Search"]);
    // Moves work as ever.
    await board.tap("Search");
    await board.fill("#search", "zoe");
    await board.tap("Start K7Q0A1");
    await board.until(cardIn("Preparing", "K7Q0A1"));
    await board.press(keys.escape);
    await board.is(`${shown}.length`, 5);
    // After two minutes without a press it is over, too.
    await board.tap("Search");
    await board.fill("#search", "zoe");
    await board.is(`${shown}.length`, 1);
    await board.run("letPass(121_000);");
    await board.is(`${shown}.length`, 5);
    await board.tap("Search");
    await board.fill("#search", "gone");
    await board.tap("Look in Done");
    await board.until(`$("#done")`);
  });
