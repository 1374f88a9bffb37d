/** The orders on the board, in a real browser, as a person sees and works them. */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { cardIn, cardOf, controlBoxes, held, shopTest } from "./shop.ts";

const id = "AAA111";

/** The card is there, and the board has said so. */
function moved(order: string, column: string, said: string): string {
  return `${cardIn(column, order)} && $("#page > [role=log]").textContent
    .includes(${JSON.stringify(`${order} ${said}`)})`;
}

const started = (order: string): string => moved(order, "Preparing", "started");

/** The lines of such elements on a card. */
function linesOf(name: string, selector = ".contents li"): string {
  return `[...${cardOf(name)}.querySelectorAll("${selector}")].map((one) => one.innerText)`;
}

const ids = (...toppings: string[]): object[] => toppings.map((topping) => ({ id: topping }));

/** A shop with a Margherita, and orders for it. */
const margherita = { name: "Margherita", toppings: ["pomodoro", "mozzarella", "basilico"] };

shopTest("a card shows the whole order by name, and what is to be made is counted",
  async (shop) => {
    await shop.change({ pizzas: [margherita] });
    await shop.place(id, {
      id: "BBB222", pizza: "Margherita", name: "Anna", note: "well done",
      toppings: ids("pomodoro", "mozzarella", "rucola", "rucola"),
    }, { id: "CCC333", pizza: "Calzone", beverages: [] });
    await shop.update("CCC333", { status: "Ready" });
    const board = await shop.board();
    await board.is(linesOf(id, "li"), ["Large", "Mushrooms", "2× Mozzarella", "Chinotto"]);
    await board.is(linesOf("BBB222", ".name, .note, li"), ["Anna", "well done",
      "Margherita, Large", "without Basil", "+ 2× Rocket",
      "Tomato sauce, Mozzarella, 2× Rocket", "Chinotto"]);
    // The shop has no pizza of that name: a line a topping.
    await board.is(linesOf("CCC333", "li"), ["Calzone, Large", "Mushrooms", "2× Mozzarella"]);
    await board.is(`texts("#sums li")`, ["2 Large", "3 Mozzarella", "2 Rocket", "1 Mushrooms",
      "1 Tomato sauce", "2 Chinotto"]);
    await board.is("document.title", "(2) Forno: kitchen");
  });

/** The actions in the dialog of `⋯`. */
const actions = `[...$$("dialog .actions-list button > span")].map((one) =>
  one.firstChild.textContent)`;

shopTest("⋯ opens what can be done with an order, and cancelling stands apart and asks",
  async (shop) => {
    await shop.place({ status: "Preparing" });
    const board = await shop.board({ width: 768, height: 1024 });
    await board.tap(`More for ${id}`);
    await board.is(actions,
      ["Change", "Print 1 ticket", "Send out", "Back to Pending", "Cancel order"]);
    await board.is(`boxOf(".last button").top
      - boxOf(".actions-list li:last-child").bottom >= 20`, true);
    await board.press(keys.escape);
    await board.is(`[$("dialog"), document.activeElement.ariaLabel]`, [null, `More for ${id}`]);
    await board.tap(`More for ${id}`, "Cancel order");
    await board.says(`Cancel the order of ${id}?`);
    await board.tap("Keep it");
    // A press beside the dialog closes it, and does nothing more.
    await board.tap(`More for ${id}`);
    await board.pressAt(5, 500);
    await board.is(`$("dialog")`, null);
    assert.equal(await shop.statusOf(id), "Preparing");
    // It goes with its order.
    await board.tap(`More for ${id}`);
    await board.until(`$("dialog")`);
    await shop.update(id, { status: "Ready" });
    await board.is(`$("dialog")`, null);
    await board.is("document.activeElement.closest('.column') !== null", true);
  });

shopTest("a board without orders says so, and what comes next", async (shop) => {
  const board = await shop.board();
  await board.says("No open orders", "They come in here by themselves.",
    "Print a card for a table, or take an order by phone.");
  await shop.place({ table: "Table 7", status: "Preparing" }, "BBB222");
  for (const order of [id, "BBB222"]) await shop.update(order, { status: "Ready" });
  // Guests at a table are served. The others come, or it is brought to them.
  await board.is(`[$(".nothing"), texts(".moves button")]`,
    [null, ["Served Table 7", "Picked up BBB222", "Send out BBB222"]]);
  await board.tap("More for Table 7", "Send out");
  await board.until(cardIn("Out for Delivery", "Table 7"));
  await board.tap("Picked up BBB222");
  await board.is(cardOf("BBB222", "h3"), undefined);
  assert.equal(await shop.statusOf("BBB222"), "Delivered");
});

shopTest("one tap moves an order on, undo takes it back, and ⋯ sends it back or cancels it",
  async (shop) => {
    await shop.place(id);
    const board = await shop.board();
    await board.tap(`Start ${id}`);
    await board.until(started(id));
    await board.tap("Undo");
    await board.until(cardIn("Pending", id));
    assert.equal(await shop.statusOf(id), "Pending");
    await board.tap(`Start ${id}`);
    await board.until(started(id));
    await board.tap(`More for ${id}`, "Back to Pending");
    await board.until(cardIn("Pending", id));
    await board.tap(`More for ${id}`, "Cancel order", "Cancel order");
    await board.is(`$(".card")`, null);
    assert.equal(await shop.statusOf(id), "Cancelled");
    // Undo takes nothing back that has gone further.
    await shop.place("BBB222");
    await board.tap("Start BBB222", "Ready BBB222");
    await board.until(cardIn("Ready", "BBB222"));
    await board.click(".column:nth-of-type(1) > .undo button");
    await board.says("BBB222 has been moved on since.");
    assert.equal(await shop.statusOf("BBB222"), "Ready");
  });

/** The middle of a card's first button. */
async function buttonOf(board: Window, name: string): Promise<[number, number]> {
  await board.run(`for (const one of $$("[data-tapped]")) delete one.dataset.tapped;
    (${cardOf(name, ".main")}).dataset.tapped = "";`);
  return board.pointOf("[data-tapped]");
}

shopTest("a press never acts on another order than its finger was put down on", async (shop) => {
  await shop.place("first", "second", "third");
  const board = await shop.board();
  await board.intercept("api/orders/", "window.sent = count;");
  const [x, y] = await buttonOf(board, "first");
  const seenAt = await board.now();
  // Another tablet takes the first away, and the second comes to lie under the finger.
  await shop.update("first", { status: "Preparing" });
  await board.until(cardIn("Preparing", "first"));
  assert.deepEqual(await buttonOf(board, "second"), [x, y]);
  // The page was busy, and hears only now what was pressed before the change was seen.
  await board.pressAt(x, y, 1, seenAt);
  // A finger on its way, at most 399 ms after the change was painted.
  await board.pressAt(x, y, 1, seenAt + 0.399);
  // A control that has not moved takes a press of that moment.
  await board.pressAt(...await board.pointOf(".tools button:last-child"), 1, seenAt + 0.399);
  await board.tap("Close");
  await board.is("window.sent", undefined);
  await board.pressAt(x, y);
  await board.until(started("second"));
  assert.equal(await shop.statusOf("third"), "Pending");
});

shopTest("a double tap presses one control, also where another comes to lie under it",
  async (shop) => {
    await shop.place("first", "second");
    const board = await shop.board({ width: 390, height: 844 });
    const [x, y] = await buttonOf(board, "first");
    await board.pressAt(x, y, 2);
    await board.until(cardIn("Preparing", "first"));
    await board.tap("Settings");
    const cross = await board.pointOf("dialog header button");
    await board.pressAt(...cross, 2);
    await board.is(`$("dialog")`, null);
    await board.is(`document.elementFromPoint(${cross}).closest("button").ariaLabel`, "Settings");
    assert.equal(await shop.statusOf("second"), "Pending");
  });

shopTest("Enter after Enter works through a column; held, it moves one order", async (shop) => {
  await shop.place("first", "second", "third");
  const board = await shop.board();
  await board.run(`${cardOf("first", ".main")}.focus();`);
  const start = await board.now() + 1;
  const press = (type: string, autoRepeat: boolean) => board.devtools("Input.dispatchKeyEvent",
    { ...keys.enter, type, autoRepeat, timestamp: start });
  const focused = `document.activeElement.closest(".card").querySelector("h3 bdi").textContent`;
  await press("keyDown", false);
  await board.is(focused, "second");
  for (let times = 0; times < 5; times += 1) await press("keyDown", true);
  await press("keyUp", false);
  await board.press(keys.enter);
  await board.is(focused, "third");
  assert.equal(await shop.statusOf("third"), "Pending");
  await board.press(keys.enter);
  await board.until(cardIn("Preparing", "third"));
  await board.is("document.activeElement.closest('.column').querySelector('h2').innerText",
    "0\nPending");
});

shopTest("late shows in two degrees, by shape and in words, and moves nothing", async (shop) => {
  await shop.place(id, "BBB222");
  // Where the columns are narrowest.
  const board = await shop.board({ width: 700 });
  await board.is(`${cardOf(id, ".tag")}.textContent`, "New");
  const isAfter = async (more: number, text: string): Promise<void> => {
    await board.run("letPass(arguments[0] * 60_000);", more);
    await board.is(`${cardOf(id, ".age")}.textContent`, text);
  };
  await isAfter(4, "4 min");
  const early = await board.run(controlBoxes);
  const later = [[1, "5 min late"], [3, "! 8 min late"], [180, "! 3 h late"]] as const;
  for (const [more, text] of later) {
    await isAfter(more, text);
    assert.deepEqual(await board.run(controlBoxes), early, text);
  }
});

shopTest("a phone says what is new or late in a column that it does not show", async (shop) => {
  await shop.place(id, { id: "BBB222", status: "Preparing" });
  const board = await shop.board({ width: 390, height: 844 });
  const hints = `texts(".hint").map((text) => text.trim())`;
  await board.is(hints, []);
  await board.tap("1Preparing");
  await board.is(hints, ["New"]);
  await board.run("letPass(16 * 60_000);");
  await board.is(hints, ["late"]);
  await board.tap("1Pending late");
  await board.is(hints, ["late"]);
});

shopTest("ages follow the shop's clock, whatever the device's says", async (shop) => {
  await shop.place(id);
  const board = await shop.board({ before: "setClock(7_200_000);" });
  await board.is(`${cardOf(id, ".tag")}.textContent`, "New");
  for (const script of ["letPass(200 * 60_000);", "setClock(3_600_000); letPass(5000);"]) {
    await board.run(script);
    await board.is(`${cardOf(id, ".age")}.textContent`, "! 3 h late");
  }
});

/** The text of a column, in one line. */
function textOf(column: string): string {
  return `$$(".column").find((one) => one.querySelector("h2").textContent
    .includes(${JSON.stringify(column)})).innerText.replace(/\\s+/g, " ")`;
}

shopTest("orders of one group and table share a card, move with one press, and come back with one",
  async (shop) => {
    const group = "K7QX3M";
    const diavola = { pizza: "Diavola", toppings: ids("mozzarella", "salame-piccante") };
    const atTable = { group, table: "VIP 2", ...diavola };
    await shop.place({ id: "P1", ...atTable }, { id: "P2", ...atTable },
      { id: "P3", note: "no salt", ...atTable }, { id: "P4", group, table: "طاولة ٧" },
      "WEB001-1", "WEB001-2");
    const board = await shop.board();
    const has = (column: string, text: string) =>
      board.until(`${textOf(column)}.includes(${JSON.stringify(text)})`);
    await has("Pending", "K7QX3M · 3 pizzas");
    await board.is(`texts(".card h3 bdi")`, ["VIP 2", "طاولة ٧", "WEB001-1", "WEB001-2"]);
    // Equal pizzas are one row. The drinks of all stand there once.
    await board.is(linesOf("VIP 2", ".note, .size, .drinks li"),
      ["2× Diavola, Large", "no salt", "Diavola, Large", "3× Chinotto"]);
    await board.tap("Start all 3 VIP 2");
    await has("Preparing", "0 of 3 ready");
    await board.until(`$$(".undo button").length === 1`);
    await board.tap("Both ready VIP 2 · Diavola, Large");
    await has("Preparing", "2 of 3 ready");
    await has("Ready", "1 still being made");
    await board.tap("Ready VIP 2 · Diavola, Large");
    await has("Ready", "3 of 3 ready");
    await board.tap("Served VIP 2");
    await board.is(cardOf("VIP 2", "h3"), undefined);
    assert.equal(await shop.statusOf("P3"), "Delivered");
    await board.click("section:nth-of-type(3) > .undo button");
    await has("Ready", "3 of 3 ready");
    // One alone goes by the dialog, which asks first which pizzas are meant.
    await board.tap("More for VIP 2");
    await board.is(`texts("dialog .picks button")`, ["All 3", "Diavola, Large 1 of 3",
      "Diavola, Large 2 of 3", "Diavola, Large 3 of 3"]);
    await board.is(actions,
      ["Change", "Print 3 tickets", "Send out all 3", "Back to Preparing", "Cancel order"]);
    await board.tap("Diavola, Large 1 of 3", "Served");
    await has("Ready", "3 of 3 ready");
    await board.until(`!${textOf("Ready")}.includes("2× Diavola")`);
    assert.equal(await shop.statusOf("P1"), "Delivered");
    // A cancelled pizza counts no more.
    await shop.update("P2", { status: "Cancelled" });
    await has("Ready", "2 of 2 ready");
    await board.tap("OK VIP 2 · Diavola, Large", "Served VIP 2");
    await board.is(cardOf("VIP 2", "h3"), undefined);
  });

shopTest("closed orders count in their group, however many groups there are", async (shop) => {
  const order = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  const groups = Array.from({ length: 110 }, (_, index) => `GROUP${"x".repeat(50)}${100 + index}`);
  await Promise.all(groups.flatMap((group) => ["Delivered", "Ready"].map((status) =>
    shop.forno.write("POST", "/api/orders", { ...order, group, status }))));
  const late = (status: string): Promise<unknown> =>
    shop.forno.write("POST", "/api/orders", { ...order, table: "Bar", group: "LATE01", status });
  await late("Delivered");
  const board = await shop.board();
  await board.until(`$$(".group").filter((one) => /2 of 2 ready/.test(one.textContent)).length
    === 110`);
  // Also in a group that the board has not heard of.
  await late("Ready");
  await board.is(`${cardIn("Ready", "Bar", ".counts")}?.textContent`, "LATE01 · 2 of 2 ready");
});

shopTest("what another device cancels is told on the card until it was seen", async (shop) => {
  await shop.place(id);
  const [board, other] = [await shop.board(), await shop.board()];
  const reader = await shop.board({}, { role: "reader", sub: "Pass" });
  await board.until(cardIn("Pending", id));
  await other.tap(`More for ${id}`, "Cancel order", "Cancel order");
  for (const screen of [board, reader]) {
    await screen.until(`/^0 Pending .*Cancelled/.test(${textOf("Pending")})`);
  }
  // The one that cancelled it knows.
  await other.is(cardOf(id, "h3"), undefined);
  await board.tap(`OK ${id}`);
  await board.is(cardOf(id, "h3"), undefined);
  // Nobody presses at a reader's display.
  await reader.run("letPass(61_000);");
  await reader.is(cardOf(id, "h3"), undefined);
  await shop.place({ id: "BBB222", status: "Preparing" });
  await board.until(cardIn("Preparing", "BBB222"));
  await shop.forno.asStaff("DELETE", "/api/orders/BBB222");
  await board.until(`${textOf("Preparing")}.includes("Cancelled")`);
});

/** The tags on a card, each behind what it is about. */
function changesOn(name: string): string {
  return `[...${cardOf(name)}.querySelectorAll(".changed")].map((one) =>
    one.parentElement.className || one.parentElement.tagName)`;
}

shopTest("what another device changes is tagged where it stands until the card was touched",
  async (shop) => {
    const group = "K7QX3M";
    const preparing = { group, table: "Table 7", name: "Anna", status: "Preparing" };
    await shop.place({ id: "P1", ...preparing }, { id: "P2", ...preparing });
    const board = await shop.board();
    const reader = await shop.board({}, { role: "reader", sub: "Pass" });
    await board.until(cardIn("Preparing", "Table 7"));
    const both = async (changes: object): Promise<void> => {
      for (const order of ["P1", "P2"]) await shop.update(order, { ...changes });
    };
    await both({ table: "Table 8" });
    for (const screen of [board, reader]) {
      await screen.is(changesOn("Table 8"), ["HEADER"]);
      await screen.is(`texts(".news")`, ["1 changed"]);
    }
    await board.click(".card .name");
    await board.is(changesOn("Table 8"), []);
    await board.is(`$(".news")`, null);
    await both({ name: "Bruno" });
    await board.is(changesOn("Table 8"), ["name"]);
    await board.click(".card .name");
    await shop.update("P1", { note: "no basil" });
    await board.is(changesOn("Table 8"), ["note"]);
    await board.click(".card .name");
    await shop.update("P1", { toppings: ids("rucola") });
    await board.is(changesOn("Table 8"), ["size"]);
    // Nobody presses at a reader's display.
    await reader.run("letPass(61_000);");
    await reader.is(changesOn("Table 8"), []);
  });

shopTest("a note is told first and whole", async (shop) => {
  const note = `Anna Bertolini: ${"no nuts, ".repeat(16)}please. ${"x".repeat(30)}`;
  await shop.place({ note }, ...["Well done", "Extra basil"].map((text, index) =>
    ({ id: `OTHER${index}`, group: "OTHER0", note: text })));
  const board = await shop.board({ width: 768 });
  await board.is(`texts("#orders .note")`, [note, "Well done", "Extra basil"]);
  await board.is(`seen("#orders .note").filter((one) => one.scrollWidth > one.clientWidth).length`,
    0);
  // Above the pizza, and moving no button: it is below the button, or beside it.
  await board.is(`(([{ top }, moves, size]) => top >= moves.top && top < size.top)(
    [".note", ".moves", ".size"].map((place) => boxOf(".card " + place)))`, true);
});

shopTest("of two tablets on one order the slower changes nothing and sees the newer",
  async (shop) => {
    await shop.place(id);
    const board = await shop.board();
    // The other tablet's tap lands between this one's tap and its write.
    await board.run(`window.other = fetch;`);
    await board.intercept("PATCH", `if (count > 1) return;
      const headers = { authorization: request.headers.get("authorization") };
      const body = '{"status":"Out for Delivery"}';
      await other("api/orders/${id}", { method: "PATCH", headers, body });`);
    await board.tap(`Start ${id}`);
    await board.until(moved(id, "Out for Delivery", "was changed on another screen."));
    assert.equal(await shop.statusOf(id), "Out for Delivery");
  });

shopTest("a press shows at once that it was taken, and where it failed, that it was not sent",
  async (shop) => {
    await shop.place({ status: "Preparing" });
    const board = await shop.board();
    await board.until(cardIn("Preparing", id));
    const button = cardOf(id, ".main");
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
    await board.pressAt(...await buttonOf(board, id));
    assert.equal(await board.run("return calls"), 1);
    await board.run("letGo();");
    await board.says("Not sent. Press again.");
    await board.tap(`Ready ${id}`);
    await board.until(moved(id, "Ready", "ready"));
  });

shopTest("a new order is announced in words, once; what was there or changed is not",
  async (shop) => {
    await shop.place(id);
    const [board, other] = [await shop.board(), await shop.board()];
    await board.until(cardIn("Pending", id));
    await board.run(`window.heard = [];
      const region = $("#page > [role=status]");
      new MutationObserver(() => region.textContent && window.heard.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });`);
    await shop.place("K7QX3M");
    await board.until(cardIn("Pending", "K7QX3M"));
    await other.tap(`Start ${id}`);
    await board.until(cardIn("Preparing", id));
    for (const status of ["Preparing", "Delivered", "Ready"]) {
      await shop.update("K7QX3M", { status });
    }
    await board.until(cardIn("Ready", "K7QX3M"));
    await shop.place({ table: "Table 7", id: "BBB222" });
    await board.until(cardIn("Pending", "Table 7"));
    assert.deepEqual(await board.run("return heard"), ["New order K7QX3M", "New order Table 7"]);
  });
