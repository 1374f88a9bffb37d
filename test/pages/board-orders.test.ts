/** The orders on the board, in a real browser, as a person sees them. */

import assert from "node:assert/strict";
import { keys } from "./browser.ts";
import {
  cardIn, cardOf, controlBoxes, placeWhole, rowOf, shopTest, textOf, undoLines,
} from "./shop.ts";

const id = "AAA111";
const group = "K7QX3M";
const ids = (...toppings: string[]): object[] => toppings.map((topping) => ({ id: topping }));

/** A shop with a Margherita, and orders for it. */
const margherita = { name: "Margherita", toppings: ["pomodoro", "mozzarella", "basilico"] };

/** The texts on a card, or in a row. */
function textsOn(name: string, selector: string): string {
  return `[...${cardOf(name)}?.querySelectorAll("${selector}") ?? []].map((one) =>
    one.innerText.replace(/\\s+/g, " ").trim())`;
}

shopTest("a card shows the whole order, and what is to be made is counted", async (shop) => {
  await shop.change({ pizzas: [margherita] });
  await shop.place(id, {
    id: "P1", group, table: "Table 5", name: "Anna", pizza: "Margherita", note: "well done",
    toppings: ids("pomodoro", "mozzarella", "rucola", "rucola"),
  }, ...["P2", "P3", "P4"].map((pizza) => ({
    id: pizza, group, table: "Table 5", name: "Anna", pizza: "Margherita", beverages: [],
    toppings: ids("pomodoro", "mozzarella", "basilico"),
  })));
  await shop.update("P4", { status: "Ready" });
  const board = await shop.board();
  await board.is(textsOn(id, "h3, .card-about, .pizza p, .drinks, .move-button"), [`Order ${id}`,
    "New 1 pizza", "Own pizza, Large", "Mushrooms, 2× Mozzarella", "Chinotto", `Start ${id}`]);
  // Equal pizzas are one row, but for those that are ready.
  const plain = "Tomato sauce, Mozzarella, Basil";
  await board.is(textsOn("Table 5", ".card-about, .pizza p, .drinks"), ["Anna · 1 of 4 ready",
    "Margherita, Large", "without Basil", "+ 2× Rocket", "Tomato sauce, Mozzarella, 2× Rocket",
    "well done", "2 × Margherita, Large", plain, "Margherita, Large", plain, "Chinotto"]);
  await board.is(`texts(".sums li, .sums p")`,
    ["4 to make", "2 Margherita", "2 own", "2 Chinotto"]);
  await board.is("document.title", "(2) Forno: kitchen");
  // Differences are always there.
  await board.tap("Settings", "Toppings on cards", "Close");
  await board.is(textsOn("Table 5", ".pizza p"), ["Margherita, Large", "without Basil",
    "+ 2× Rocket", "well done", "2 × Margherita, Large", "Margherita, Large"]);
  await board.is(textsOn(id, ".all-toppings"), ["Mushrooms, 2× Mozzarella"]);
});

shopTest("a row of equal pizzas is a button, and the whole order goes with one press",
  async (shop) => {
    await placeWhole(shop, { table: "Table 5" }, "Diavola", "Diavola", "Funghi");
    const board = await shop.board();
    await board.is(`${rowOf("Table 5", "Diavola")}.tagName`, "DIV", "before Start");
    await board.tap("Start Table 5");
    await board.until(cardIn("Making", "Table 5"));
    await board.tapOn(rowOf("Table 5", "2 × Diavola"));
    await board.until(`${textOf("Table 5")}.includes("2 of 3 ready")`);
    await board.is(`${rowOf("Table 5", "Diavola")}.ariaPressed`, "true");
    assert.equal(await shop.statusOf("P2"), "Ready");
    // One more press takes it back, where it stood.
    await board.tapOn(rowOf("Table 5", "2 × Diavola"));
    await board.until(`${textOf("Table 5")}.includes("0 of 3 ready")`);
    assert.equal(await shop.statusOf("P1"), "Preparing");
    await board.tap("All 3 ready Table 5");
    await board.until(cardIn("Ready", "Table 5"));
    await board.tap("Served Table 5");
    await board.is(cardOf("Table 5"), undefined);
    assert.equal(await shop.statusOf("P3"), "Delivered");
  });

shopTest("cancelling is for all that is open, says what that is, and is undone as a whole",
  async (shop) => {
    await placeWhole(shop, { table: "Table 5" }, "Diavola", "Funghi", "Napoli", "Calzone");
    const steps = ["Delivered", "Ready", "Preparing"];
    for (const [index, status] of steps.entries()) await shop.update(`P${index + 1}`, { status });
    const board = await shop.board();
    await board.tap("More for Table 5", "Cancel order 3 pizzas");
    await board.says("Cancel the order of Table 5: 3 pizzas, 1 of them ready?",
      "Already delivered, and stays: Diavola, Large");
    await board.tap("Keep it", "More for Table 5", "Cancel order 3 pizzas", "Cancel order");
    await board.until(`${undoLines}.includes("Table 5 cancelled")`);
    const statuses = (): Promise<string[]> =>
      Promise.all(["P1", "P2", "P3", "P4"].map((pizza) => shop.statusOf(pizza)));
    assert.deepEqual(await statuses(), ["Delivered", "Cancelled", "Cancelled", "Cancelled"]);
    await board.tap("Undo");
    await board.until(cardOf("Table 5"));
    assert.deepEqual(await statuses(), [...steps, "Pending"]);
  });

shopTest("⋯ shows each pizza with what can be done to it alone, and goes with its order",
  async (shop) => {
    await placeWhole(shop, { table: "Table 5", beverages: [{ id: "chinotto" }] },
      "Diavola", "Funghi");
    await shop.update("P1", { status: "Ready" });
    const board = await shop.board({ width: 768, height: 1024 });
    await board.tap("More for Table 5");
    await board.is(`texts(".pizza-list li")`, ["Diavola, Large ReadyServe Diavola, Large"
      + "Back to Preparing Diavola, LargeCancel pizza Diavola, Large",
    "Funghi, Large NewCancel pizza Funghi, Large"]);
    await board.is(`[...$$("dialog .actions-list button > span")].map((one) =>
      one.firstChild.textContent)`,
      ["Change", "Print 2 tickets", "Send out", "Cancel order"]);
    await board.press(keys.escape);
    await board.is(`[$("dialog"), document.activeElement.ariaLabel]`, [null, "More for Table 5"]);
    await board.tap("More for Table 5", "Cancel pizza Funghi, Large");
    // Its drinks are the whole order's.
    await board.says("Cancel Funghi, Large of Table 5?", "The drinks stay.");
    await board.tap("Cancel pizza");
    await board.until(cardIn("Ready", "Table 5"));
    await board.is(textsOn("Table 5", ".drinks"), ["2 Chinotto"]);
    await board.tapOn(cardOf("Table 5", ".row-text-button"));
    await board.tap("Back to Preparing");
    await board.until(cardIn("Making", "Table 5"));
    await board.tap("More for Table 5", "Back to New");
    await board.until(`${undoLines}.includes("Table 5 is new again")`);
    await board.tap("Start Table 5");
    await board.until(cardIn("Making", "Table 5"));
    // A press beside the dialog closes it, and does nothing more.
    await board.tap("More for Table 5");
    await board.until(`$("dialog")`);
    await board.pressAt(5, 700);
    await board.is(`$("dialog")`, null);
    // It goes with its order.
    await board.tap("More for Table 5");
    await board.until(`$("dialog")`);
    await shop.update("P1", { status: "Out for Delivery" });
    await board.is(`$("dialog")`, null);
    await board.tap("Delivered Table 5");
    await board.is(cardOf("Table 5"), undefined);
  });

shopTest("a board without orders says so, and what comes next", async (shop) => {
  const board = await shop.board();
  await board.says("No open orders", "They come in here by themselves.",
    "Print a card for a table, or take an order by phone.");
  await shop.place({ table: "Table 7" }, "BBB222");
  for (const order of [id, "BBB222"]) await shop.update(order, { status: "Ready" });
  // Guests at a table are served. The others come, or it is brought to them.
  await board.is(`[$(".empty-list"), texts(".order-row .move-button")]`,
    [null, ["Served Table 7", "Picked up BBB222"]]);
});

shopTest("what is late stands out by its minutes as well as by color, and moves nothing",
  async (shop) => {
    await shop.place(id, "BBB222");
    await shop.update(id, { status: "Preparing" });
    // The shop's clock counts, whatever the device's says.
    const board = await shop.board({ width: 700, before: "setClock(7_200_000);" });
    await board.until(cardIn("Making", id));
    const clock = (name: string): string => `${cardOf(name, ".clock")}.textContent`;
    await board.is(`/^\\d+:\\d\\d$/.test(${clock("BBB222")})`, true, "the time a new one came");
    const early = await board.run(controlBoxes);
    for (const [more, text] of [
      [15, "15 min, late"], [15, "30 min, late"], [180, "3 h, late"],
    ] as const) {
      // The page knows the shop's time to the second.
      await board.run("letPass(arguments[0] * 60_000 + 1000);", more);
      await board.is(clock(id), text);
      assert.deepEqual(await board.run(controlBoxes), early, text);
    }
    await board.is(clock("BBB222"), "3 h, late");
    await board.run("setClock(3_600_000); letPass(5000);");
    await board.is(clock(id), "3 h, late");
    // One clock: a press on the card begins no other.
    await board.tap(`Ready ${id}`);
    await board.run("endTen();");
    await board.tapOn(cardOf(id, ".row-text-button"));
    await board.tap("Back to Preparing");
    await board.is(clock(id), "3 h, late");
  });

shopTest("a wanted order is a row under Later until half an hour before, then a new card",
  async (shop) => {
    const wantedAt = new Date(Date.now() + 90 * 60_000).toISOString();
    await shop.place({ id, name: "Rossi", wantedAt }, { id: "BBB222", wantedAt });
    const board = await shop.board();
    await board.until(cardIn("Later", "Rossi"));
    await board.is(`[$(".badge-number").textContent, texts(".sums p"),
      texts(".order-row .move-button")]`,
      ["0", ["0 to make"], []]);
    await board.is(`/^Rossi \\d+:\\d\\d · 1 pizza · ${id}$/.test(
      ${cardOf("Rossi", ".row-text-button")}.innerText.replace(/\\s+/g, " ")
        .replace(/^Order /, ""))`, true);
    await board.tap("More for BBB222", "Make now");
    await board.until(cardIn("New", "BBB222"));
    await board.run("letPass(61 * 60_000);");
    await board.until(cardIn("New", "Rossi"));
    await board.is(`/^for \\d+:\\d\\d$/.test(${cardOf("Rossi", ".clock")}.textContent)`, true);
    await board.run("letPass(45 * 60_000);");
    await board.is(`${cardOf("Rossi", ".clock")}.textContent`, "16 min, late");
  });

shopTest("the tab says how many are new, and a press there goes to the first", async (shop) => {
  await shop.place(...Array.from({ length: 9 }, (_, index) => `ORDER${index}`));
  for (let index = 0; index < 8; index += 1) {
    await shop.update(`ORDER${index}`, { status: "Preparing" });
  }
  const board = await shop.board({ width: 390, height: 600 });
  await board.is(`$(".badge").textContent.trim()`, "1 new");
  await board.tap("Ready 0", "Orders1 new");
  await board.until(`(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
    ${cardOf("ORDER8", ".move-button")}.getBoundingClientRect())`);
});

shopTest("closed pizzas count in their order, however many orders there are", async (shop) => {
  const order = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  const groups = Array.from({ length: 110 }, (_, index) => `GROUP${"x".repeat(50)}${100 + index}`);
  await Promise.all(groups.flatMap((each) => ["Delivered", "Preparing"].map((status) =>
    shop.forno.write("POST", "/api/orders", { ...order, group: each, status }))));
  const late = (status: string): Promise<unknown> =>
    shop.forno.write("POST", "/api/orders", { ...order, table: "Bar", group: "LATE01", status });
  await late("Delivered");
  const board = await shop.board();
  await board.until(`$$(".card-about").filter((one) => /1 of 2 ready/.test(one.textContent)).length
    === 110`);
  // Also in a group that the board has not heard of.
  await late("Preparing");
  await board.until(`${textOf("Bar")}?.includes("1 of 2 ready")`);
});

shopTest("what another device cancels stays, struck, until one OK", async (shop) => {
  await placeWhole(shop, { table: "Table 5" }, "Diavola", "Funghi");
  const [board, other] = [await shop.board(), await shop.board()];
  const reader = await shop.board({}, { role: "reader", sub: "Pass" });
  await shop.update("P1", { status: "Cancelled" });
  await board.until(`${textOf("Table 5")}.includes("1 pizza")`);
  await other.tap("More for Table 5", "Cancel order 1 pizza", "Cancel order");
  // The one that cancelled it knows.
  await other.until(`!${textOf("Table 5")}.includes("Start")`);
  for (const screen of [board, reader]) {
    await screen.until(`${textOf("Table 5")}.includes("Cancelled")`);
    await screen.is(`$(".badge-number").textContent`, "0");
    await screen.is(`getComputedStyle(${cardOf("Table 5", "h3")}).textDecorationLine`,
      "line-through");
  }
  await board.tap("OK Table 5");
  await board.is(cardOf("Table 5"), undefined);
  // Nobody presses at a reader's display.
  await reader.run("letPass(61_000);");
  await reader.is(cardOf("Table 5"), undefined);
  await shop.place({ id: "BBB222", status: "Preparing" });
  await board.until(cardIn("Making", "BBB222"));
  await shop.forno.asStaff("DELETE", "/api/orders/BBB222");
  await board.until(`${textOf("BBB222")}.includes("Cancelled")`);
});

shopTest("what another device changes is tagged where it stands until that tag was pressed",
  async (shop) => {
    await placeWhole(shop, { table: "Table 7", name: "Anna" }, "Diavola", "Funghi");
    const board = await shop.board();
    const reader = await shop.board({}, { role: "reader", sub: "Pass" });
    await board.until(cardIn("New", "Table 7"));
    const tags = `texts("article .changed")`;
    for (const pizza of ["P1", "P2"]) await shop.update(pizza, { table: "Table 8" });
    await shop.update("P1", { note: "no basil" });
    await shop.update("P2", { toppings: ids("rucola") });
    for (const screen of [board, reader]) {
      await screen.is(tags, ["was Table 7", "Changed", "Changed"]);
    }
    // Other presses on the card leave them.
    await board.tap("Start Table 8");
    await board.until(cardIn("Making", "Table 8"));
    await board.is(`${tags}.length`, 3);
    assert.ok(await board.run<number>(`return boxOf("article .seen-button").height`) >= 44);
    await board.click("article .card-about .seen-button");
    await board.is(tags, ["Changed", "Changed"]);
    await board.click("article li .seen-button");
    await board.is(tags, ["Changed"]);
    // Nobody presses at a reader's display.
    await reader.run("letPass(61_000);");
    await reader.is(tags, []);
  });

shopTest("a new order is announced in words, once; what was there or changed is not",
  async (shop) => {
    await shop.place(id);
    const [board, other] = [await shop.board(), await shop.board()];
    await board.until(cardIn("New", id));
    await board.run(`window.heard = [];
      const region = $("#page > [role=status]");
      new MutationObserver(() => region.textContent && window.heard.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });`);
    await shop.place(group);
    await board.until(cardIn("New", group));
    await other.tap(`Start ${id}`);
    await board.until(cardIn("Making", id));
    for (const status of ["Preparing", "Delivered", "Ready"]) {
      await shop.update(group, { status });
    }
    await board.until(cardIn("Ready", group));
    await shop.place({ table: "Table 7", id: "BBB222" });
    await board.until(cardIn("New", "Table 7"));
    assert.deepEqual(await board.run("return heard"), [`New order ${group}`, "New order Table 7"]);
  });
