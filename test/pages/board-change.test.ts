/** Orders that are changed on the board, and found there, in a real browser. */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { cardIn, cardOf, held, rowOf, type Shop, shopTest } from "./shop.ts";

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
  await board.tap(`More for ${name}`, "Change Table, name, time and notes");
  await board.until(`$("dialog [name=table]")`);
}

async function textsOf(shop: Shop, id: string): Promise<unknown> {
  const { table, name, note, status } = await shop.read(`/api/orders/${id}`);
  return [table, name, note, status];
}

/** The field of the note of that pizza: a selector. */
async function noteOf(board: Window, pizza: string): Promise<string> {
  await board.run(`$$("dialog section").find((one) => one.querySelector("h3").innerText
    .replace(/\\s+/g, " ") === arguments[0]).querySelector("input").dataset.of = arguments[0];`,
  pizza);
  return `dialog [data-of="${pizza}"]`;
}

shopTest("table and name of all open pizzas together, and a note for each, are one form",
  async (shop) => {
    await placeGroup(shop);
    const [board, other] = [await shop.board(), await shop.board()];
    await board.intercept("PATCH", "window.sent = count;");
    await openChange(board, "Table 7");
    await board.says("Change Table 7", "For all 2 pizzas", "Delivered: stays as it is.");
    // Guests moved to another table: its text is selected. Digits alone are a table.
    await board.is(`getSelection().toString()`, "Table 7");
    await board.fill("dialog [name=table]", "9");
    await board.fill(await noteOf(board, "Diavola, Large 2 of 2"), "no cheese");
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
    await board.is(`texts(".undo p")`, ["Table 7 is now Table 9"]);
    const texts = (): Promise<unknown[]> =>
      Promise.all(["P1", "P2", "P3"].map((id) => textsOf(shop, id)));
    const served = ["Table 7", "Anna", undefined, "Delivered"];
    assert.deepEqual(await texts(), [
      ["Table 9", "Anna", undefined, "Preparing"], ["Table 9", "Anna", "no cheese", "Pending"],
      served,
    ]);
    for (const screen of [board, other]) {
      await screen.until(`${rowOf("Table 9", "Diavola")} && ${cardOf("Table 9")}.innerText
        .includes("no cheese")`);
    }
    // Who has changed it knows; the others see it where it stands.
    await board.is(`[window.sent, $$("article .changed").length]`, [2, 0]);
    await other.is(`texts("article .changed")`, ["was Table 7", "Changed"]);
    await board.tap("Undo");
    await board.until(cardIn("New", "Table 7"));
    assert.deepEqual(await texts(), [
      ["Table 7", "Anna", undefined, "Preparing"], ["Table 7", "Anna", undefined, "Pending"],
      served,
    ]);
    // An empty text takes it away. What was not typed is not written.
    await openChange(board, "Table 7");
    await board.fill("dialog [name=name]", "");
    await board.tap("Save");
    await board.is(`${cardOf("Table 7", ".card-about")}?.innerText.includes("Anna")`, false);
    assert.deepEqual(await textsOf(shop, "P2"), ["Table 7", undefined, undefined, "Pending"]);
  });

shopTest("a pizza that joins its order while Change is open goes along", async (shop) => {
  await shop.place({ id: "P1", group, table: "Table 5" });
  const board = await shop.board();
  await openChange(board, "Table 5");
  await board.fill("dialog [name=table]", "9");
  await shop.place({ id: "P2", group, table: "Table 5" });
  await board.says("For all 2 pizzas");
  await board.tap("Save");
  await board.is(`$$("#orders article").map((one) => one.ariaLabel)`, ["Table 9"]);
});

shopTest("of two orders of a table one moves, and the line says whose it is", async (shop) => {
  await shop.place(...["Anna", "Bruno"].map((name) => ({ id: name, name, table: "Table 5" })));
  const board = await shop.board();
  // The names of buttons tell the two apart.
  await board.is(`texts(".move-button")`, ["Start Table 5, Anna", "Start Table 5, Bruno"]);
  await board.tap("More for Table 5, Bruno", "Change Table, name, time and notes");
  await board.fill("dialog [name=table]", "9");
  await board.tap("Save");
  await board.is(`texts(".undo p")`, ["Bruno: Table 5 to Table 9"]);
  await board.tap("Undo");
  await board.is(`$$("#orders article").map((one) => one.ariaLabel)`, ["Table 5", "Table 5"]);
});

shopTest("where names differ the field is empty, and is written only if something is typed",
  async (shop) => {
    await shop.place(...["Anna", "Bruno"].map((name) => ({ id: name, name, group })));
    const board = await shop.board();
    await openChange(board, "Anna");
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
    await board.until(`${cardOf("Bar", ".card-about")}?.innerText.includes("Rossi")`);
  });

shopTest("the time that an order is wanted at can be given, and taken away", async (shop) => {
  await shop.place({ id: "AAA111", name: "Rossi" });
  const board = await shop.board();
  const wantedAt = async (): Promise<unknown> =>
    (await shop.read("/api/orders/AAA111")).wantedAt;
  const give = async (text: string): Promise<void> => {
    await openChange(board, "Rossi");
    await board.run(`const field = $("dialog [name=wantedAt]");
      field.value = arguments[0];
      field.dispatchEvent(new Event("input"));`, text);
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
  };
  await give("2040-11-28T19:30");
  await board.until(cardIn("Later", "Rossi"));
  assert.equal(await wantedAt(), await board.run(`return new Date("2040-11-28T19:30").toJSON()`));
  await give("");
  await board.until(cardIn("New", "Rossi"));
  assert.equal(await wantedAt(), undefined);
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
    const note = async (text: string): Promise<void> => {
      await openChange(board, "Anna");
      await board.fill(await noteOf(board, "Large"), text);
      await board.tap("Save");
    };
    await note("no salt");
    await board.is(`$("dialog")`, null);
    assert.deepEqual(await textsOf(shop, "AAA111"), [undefined, "Anna", "no salt", "Ready"]);
    await shop.update("AAA111", { status: "Preparing" });
    await beside({ note: "nuts: allergic!" });
    await note("gluten-free");
    await board.says("Somebody else changed it. Save writes over that.", "Now: nuts: allergic!");
    assert.deepEqual(await textsOf(shop, "AAA111"),
      [undefined, "Anna", "nuts: allergic!", "Preparing"]);
    await board.is(`$("dialog [name^=note]").value`, "gluten-free");
    // The event may be there before the answer to Save.
    await board.until(`$("dialog form:not([aria-busy])")`);
    await board.tap("Save");
    await board.is(`$("dialog")`, null);
    assert.deepEqual(await textsOf(shop, "AAA111"),
      [undefined, "Anna", "gluten-free", "Preparing"]);
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

const shown = `$$("#orders article").map((one) => one.ariaLabel)`;

shopTest("a search leaves the orders of a number, table, name, note or pizza, wherever they stand",
  async (shop) => {
    await shop.change({ pizzas: [] });
    await shop.place({ id: "K7Q0A1", name: "Zoë" }, { id: "BBB222", table: "Table 3" },
      { id: "CCC333", table: "Table 31", note: "beside table 3" },
      { id: "DDD444", pizza: "Jalapeño" });
    await shop.update("DDD444", { status: "Ready" });
    const board = await shop.board({ width: 390, height: 844 });
    await board.tap("Search");
    for (const [typed, found] of [
      ["table 3", ["Table 3", "Table 31"]], ["jalap", ["DDD444"]], ["able", []],
    ] as const) {
      await board.fill("#search", typed);
      await board.is(shown, found, typed);
      await board.says(`${found.length} found`);
    }
    await board.says("No open order matches", "It may be done already.");
    // Moves and undo work as ever.
    await board.fill("#search", "zoe");
    await board.tap("Start Zoë");
    await board.until(cardIn("Making", "Zoë"));
    await board.tap("Undo");
    await board.until(cardIn("New", "Zoë"));
    // It stays until it is closed.
    await board.run("letPass(1_000_000);");
    await board.is(shown, ["Zoë"]);
    await board.press(keys.escape);
    await board.is(`[${shown}.length, document.activeElement.ariaLabel]`, [3, "Search"]);
    await board.tap("Search");
    await board.fill("#search", "gone");
    await board.tap("Look in Done");
    await board.until(`$("#done")`);
  });

shopTest("a text of 200 letters is taken whole, and a longer one not at all, which is said",
  async (shop) => {
    await shop.place("AAA111");
    const board = await shop.board();
    await openChange(board, "AAA111");
    // Letters of two units, as JavaScript counts them.
    const most = "🌶".repeat(200);
    await board.fill("dialog [name^=note]", most);
    await board.is(`$("dialog [name^=note]").value`, most);
    await board.type("dialog [name^=note]", "ALLERGY: nuts");
    await board.is(`[$("dialog [name^=note]").value, $("dialog [name^=note]").validationMessage]`,
      [most, "It can have up to 200 letters."]);
    await board.fill("dialog [name^=note]", `${"é".repeat(190)} ALLERGIC: NUTS`);
    await board.is(`$("dialog [name^=note]").value`, "");
    await board.fill("dialog [name^=note]", "ALLERGIC: NUTS");
    await board.tap("Save");
    await board.says("AAA111 changed");
    const json = await shop.read("/api/orders/AAA111");
    assert.equal(json.note, "ALLERGIC: NUTS");
  });
