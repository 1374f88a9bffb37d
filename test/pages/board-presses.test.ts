/** Presses on the board: what each acts on, its undo, and what becomes of a lost answer. */

import assert from "node:assert/strict";
import { keys } from "./browser.ts";
import { cardIn, cardOf, held, placeWhole, shopTest, textOf, undoLines } from "./shop.ts";

const id = "AAA111";
const group = "K7QX3M";

shopTest("each of the last three presses has its undo, and an order comes back to its place",
  async (shop) => {
    await shop.place("AAA111", "BBB222", "CCC333");
    const board = await shop.board({ width: 390, height: 844 });
    for (const order of ["AAA111", "BBB222", "CCC333"]) await board.tap(`Start ${order}`);
    await board.is(undoLines, ["AAA111 started", "BBB222 started", "CCC333 started"]);
    await board.run("endTen();");
    await board.is(undoLines, [], "after ten seconds");
    const before = await board.run(`return ${cardOf("CCC333")}.closest("li").offsetTop`);
    await board.tap("Ready AAA111");
    await board.is(undoLines, ["AAA111 ready"]);
    await board.is(cardOf("AAA111"), undefined);
    // The place that it has left holds the line: nothing moves.
    await board.is(`${cardOf("CCC333")}.closest("li").offsetTop`, before);
    await board.tap("Undo");
    await board.until(cardIn("Making", "AAA111"));
    assert.equal(await shop.statusOf("AAA111"), "Preparing");
    await board.is(`texts(".making h3 bdi")`, ["AAA111", "BBB222", "CCC333"]);
    await board.tap("Ready AAA111");
    await board.until(`${undoLines}.includes("AAA111 ready")`);
    await board.run("endTen();");
    await board.is(`texts(".making h3 bdi")`, ["BBB222", "CCC333"]);
    // Undo takes nothing back that has gone further.
    await board.tap("Ready BBB222");
    await board.until(undoLines + ".includes('BBB222 ready')");
    await shop.update("BBB222", { status: "Delivered" });
    await board.tap("Undo");
    await board.says("BBB222 has been moved on since.");
    assert.equal(await shop.statusOf("BBB222"), "Delivered");
  });

shopTest("a press never acts on another order than its finger was put down on", async (shop) => {
  await shop.place("first", "second", "third");
  const board = await shop.board({ width: 390, height: 844 });
  await board.intercept("api/orders/", "window.sent = count;");
  const buttonOf = async (name: string): Promise<[number, number]> => {
    await board.run(`for (const one of $$("[data-at]")) delete one.dataset.at;
      (${cardOf(name, ".move-button")}).dataset.at = "";`);
    return board.pointOf("[data-at]");
  };
  const [x, y] = await buttonOf("first");
  const seenAt = await board.now();
  // Another tablet takes the first away, and the second comes to lie under the finger.
  await shop.update("first", { status: "Delivered" });
  await board.is(cardOf("first"), undefined);
  assert.deepEqual(await buttonOf("second"), [x, y]);
  // The page was busy, and hears only now what was pressed before the change was seen.
  await board.pressAt(x, y, 1, seenAt);
  // A finger on its way, at most 399 ms after the change was painted.
  await board.pressAt(x, y, 1, seenAt + 0.399);
  // A control that has not moved takes a press of that moment.
  await board.pressAt(...await board.pointOf(".top-tools button"), 1, seenAt + 0.399);
  await board.until(`$("dialog")`);
  await board.press(keys.escape);
  await board.is(`[$("dialog"), window.sent]`, [null, null]);
  await board.pressAt(x, y);
  await board.until(cardIn("Making", "second"));
  assert.equal(await shop.statusOf("third"), "Pending");
});

shopTest("presses on one spot, 700 ms apart, are for one order", async (shop) => {
  const [cards, rows] = [["first", "second", "third"], ["one", "two", "three"]];
  await shop.place(...cards, ...rows);
  for (const order of rows) await shop.update(order, { status: "Ready" });
  const board = await shop.board({ width: 390, height: 844 });
  for (const [list, orders, status] of [
    ["Ready 3", rows, "Ready"], ["To make 3", cards, "Pending"],
  ] as const) {
    await board.tap(list);
    const [pressed = "", ...others] = orders;
    const point = await board.pointOf(`article .move-button`);
    const start = await board.now() + 1;
    for (let press = 0; press < 4; press += 1) {
      await board.pressAt(...point, 1, start + press * 0.7);
      // The effect of the press is there before the next one.
      await board.until(`!$("#orders").innerText.includes("…")
        && ${undoLines}.some((one) => one.startsWith("${pressed} "))`);
    }
    assert.deepEqual(await Promise.all(others.map(shop.statusOf)), [status, status]);
    assert.notEqual(await shop.statusOf(pressed), status);
  }
});

shopTest("a double tap presses one control, and what opens takes no slow second press",
  async (shop) => {
    await shop.place("first", "second");
    const board = await shop.board({ width: 390, height: 844 });
    await board.tap("Settings");
    const cross = await board.pointOf("dialog header button");
    await board.pressAt(...cross, 2);
    await board.is(`$("dialog")`, null);
    await board.is(`document.elementFromPoint(${cross}).closest("button").ariaLabel`, "Settings");
    // The dialog's action comes to lie where the finger opened it.
    const opener = await board.pointOf(".card .more-button");
    const start = await board.now() + 1;
    await board.pressAt(...opener, 1, start);
    await board.until(`$("dialog")`);
    await board.run(`const last = $("dialog .actions-list button");
      Object.assign(last.style, { position: "fixed", left: "0", top: "0", height: "100%" });
      last.style.zIndex = 1;`);
    await board.pressAt(...opener, 1, start + 0.85);
    await board.until(`$("dialog .actions-list")`);
    await board.is(`$("dialog [name=table]")`, null);
    await board.pressAt(...opener, 1, start + 1.7);
    await board.until(`$("dialog [name=table]")`);
  });

shopTest("Enter after Enter works through the cards; held, it moves one order", async (shop) => {
  await shop.place("first", "second");
  const board = await shop.board({ width: 390, height: 844 });
  await board.run(`${cardOf("first", ".move-button")}.focus();`);
  const start = await board.now() + 1;
  const press = (type: string, autoRepeat: boolean) => board.devtools("Input.dispatchKeyEvent",
    { ...keys.enter, type, autoRepeat, timestamp: start });
  await press("keyDown", false);
  await board.until(cardIn("Making", "first"));
  for (let times = 0; times < 5; times += 1) await press("keyDown", true);
  await press("keyUp", false);
  assert.equal(await shop.statusOf("first"), "Preparing");
  await board.is(`document.activeElement.textContent`, "Ready first");
  await board.press(keys.enter);
  await board.until(`${undoLines}.includes("first ready")`);
  assert.equal(await shop.statusOf("second"), "Pending");
});

shopTest("of two tablets on one order the slower changes nothing and sees the newer",
  async (shop) => {
    await placeWhole(shop, { table: "Table 5" }, "Diavola", "Funghi");
    const board = await shop.board();
    // The other tablet's tap lands between this one's tap and its write of the second pizza.
    await board.run(`window.other = fetch;`);
    await board.intercept("PATCH", `if (count !== 2) return;
      const headers = { authorization: request.headers.get("authorization") };
      const body = '{"status":"Out for Delivery"}';
      await other("api/orders/P2", { method: "PATCH", headers, body });`);
    await board.tap("Start Table 5");
    await board.until(`${undoLines}.includes(
      "Table 5 · Diavola, Large started · Table 5 was changed on another screen.")`);
    assert.equal(await shop.statusOf("P2"), "Out for Delivery");
    await board.until(`${textOf("Table 5")}.includes("1 of 2 ready")`);
  });

shopTest("a press shows at once that it was taken, and where it failed, that it was not sent",
  async (shop) => {
    await shop.place({ status: "Preparing" });
    await shop.update(id, { status: "Preparing" });
    const board = await shop.board();
    await board.until(cardIn("Making", id));
    const button = cardOf(id, ".move-button");
    await board.intercept("PATCH", `window.calls = count;
      if (count > 1) return;
      ${held}
      return new Response("{}", { status: 503 });`);
    // Before any answer, in the same turn.
    await board.run(`${button}.addEventListener("click", () => {
      queueMicrotask(() => { window.shown = ${button}.textContent; });
    });`);
    await board.tap(`Ready ${id}`);
    await board.until("window.letGo");
    assert.equal(await board.run("return shown"), `Ready… ${id}`);
    await board.pressAt(...await board.pointOf(".card .move-button"));
    assert.equal(await board.run("return calls"), 1);
    await board.run("letGo();");
    await board.says("Not sent. Press again.");
    await board.tap(`Ready ${id}`);
    await board.until(cardIn("Ready", id));
  });

shopTest("a move that meets another order than was read three times was not sent", async (shop) => {
  await shop.place("AAA111");
  const board = await shop.board();
  // As behind a proxy that serves an old order.
  await board.intercept("PATCH api/orders/AAA111", `window.calls = count;
    return new Response("{}", { status: 412 });`);
  await board.tap("Start AAA111");
  await board.says("Not sent. Press again.");
  assert.equal(await board.run("return calls"), 3);
});

shopTest("where a press on what is ready failed, its row and its table say so; the line is true",
  async (shop) => {
    await placeWhole(shop, { table: "Table 5" }, "Diavola", "Funghi");
    for (const pizza of ["P1", "P2"]) await shop.update(pizza, { status: "Ready" });
    const board = await shop.board();
    await board.until(cardIn("Ready", "Table 5"));
    await board.intercept("PATCH",
      `if (count > 1) return new Response("{}", { status: 503 });`);
    await board.tap("Served Table 5");
    await board.is(undoLines, ["Table 5 · Diavola, Large delivered"]);
    await board.until(`${textOf("Table 5")}.includes("Not sent. Press again.")`);
    await board.tap("Tables");
    await board.until(`$("#tables article").innerText.includes("Not sent. Press again.")`);
    // An undo that failed blames nobody.
    await board.tap("Undo");
    await board.is(undoLines, ["Table 5: The shop can’t save anything right now."]);
    assert.deepEqual([await shop.statusOf("P1"), await shop.statusOf("P2")],
      ["Delivered", "Ready"]);
  });

shopTest("what another device does between a press and its last answer is told as any other time",
  async (shop) => {
    await placeWhole(shop, { table: "Table 5" }, "Diavola", "Funghi", "Margherita");
    const board = await shop.board();
    await board.until(cardIn("New", "Table 5"));
    await board.intercept("PATCH", `if (count === 3) { ${held} }`);
    await board.tap("Start Table 5");
    await board.until("window.letGo");
    await shop.update("P1", { status: "Cancelled" });
    await shop.update("P2", { note: "no basil" });
    await shop.place("BBB222");
    await board.until(cardIn("New", "BBB222"));
    await board.run("letGo();");
    await board.until(cardIn("Making", "Table 5"));
    await board.is(`texts(".pizza-row.is-cancelled").length`, 1);
    await board.is(`texts("article .changed")`, ["Changed"]);
  });

shopTest("what the shop has done never asks for another press, whatever became of the answer",
  async (shop) => {
    await shop.place(id, group);
    const board = await shop.board();
    await board.until(cardIn("New", group));
    await board.intercept("PATCH", `await send();
      // A browser that has lost the first answer sends it again by itself.
      if (count === 2) return;
      ${held}
      return new Response("", { status: 502 });`);
    await board.tap(`Start ${id}`);
    await board.until("window.letGo");
    // The event of the move is there by then.
    await shop.place("BBB222");
    await board.until(cardIn("New", "BBB222"));
    await board.run("letGo();");
    await board.is(undoLines, [`${id} started`]);
    await board.tap(`Start ${group}`);
    await board.is(undoLines, [`${id} started`, `${group} started`]);
    await board.is(`texts(".not-sent")`, []);
  });
