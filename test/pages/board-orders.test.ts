/** The orders on the staff's board, in a real browser, as a person sees and works them. */

import assert from "node:assert/strict";
import { hasty, keys } from "./browser.ts";
import { cardIn, cardOf, held, places, shopTest } from "./shop.ts";

const id = "AAA111";
const card = cardOf(id);

/** The card is there, and the board has said so. */
function moved(order: string, stage: string, said: string): string {
  return `${cardIn(stage, order)} && $("#page > [role=log]").textContent
    .includes(${JSON.stringify(`${order} ${said}`)})`;
}

const started = (order: string): string => moved(order, "Preparing", "started");

shopTest("a card shows the whole order by name, and what is to be made is counted",
  async (shop) => {
    await shop.place("AAA111", {
      id: "BBB222", toppings: [{ id: "pomodoro" }, { id: "mozzarella" }, { id: "funghi" }],
    });
    const board = await shop.board();
    await board.is(`texts('${card} .contents li')`,
      ["Large", "Mushrooms", "2× Mozzarella", "Chinotto"]);
    await board.is(`texts('${cardOf("BBB222")} .contents li')`,
      ["Large", "Tomato sauce, Mozzarella", "Mushrooms", "Chinotto"]);
    await board.is(`$$("#sums li").map((one) => one.textContent)`,
      ["2 Large", "2 Mushrooms", "2 Chinotto", "3 Mozzarella", "1 Tomato sauce"]);
    await board.is("document.title", "(2) Forno: kitchen");
    assert.deepEqual(await board.complaints(), []);
  });

/** Cards and buttons that lie where the bar of `⋯` is. */
const covered = `seen(".card, .ways button, .top button").filter((one) => {
  const [bar, box] = [boxOf(".bar"), one.getBoundingClientRect()];
  return box.left < bar.right && box.right > bar.left && box.top < bar.bottom - 1
    && box.bottom > bar.top + 1;
}).map((one) => one.textContent)`;

shopTest("⋯ opens a bar that covers no card, and cancelling stands apart", async (shop) => {
  const ids = ["order0", "order1", "order2"];
  await shop.place(...ids.map((id) => ({ id, status: "Preparing" })));
  const board = await shop.board();
  for (const [width, height] of [[390, 844], [768, 1024], [1280, 800]] as const) {
    await board.resize(width, height);
    if (width === 390) await board.tap("3Preparing");
    for (const order of ids) {
      const about = `${order}, ${width} px`;
      const before = await board.run(places);
      const dots = await board.run(`const { x, y, width, height } = boxOf('${cardOf(order)} .more');
        return [x + width / 2, y + height / 2];`);
      await board.tap(`More for ${order}`);
      await board.is(`texts(".bar .acts button")`,
        ["Send out", "Back to Pending", "Print ticket", "Cancel order"].map((way) =>
          `${way} ${order}`));
      await board.is(covered, [], about);
      await board.is(`document.elementFromPoint(${dots}).closest(".bar [data-do=move]")`, null);
      // A phone has no room above its cards: they make it.
      if (width > 390) {
        assert.deepEqual(await board.run(places), before, about);
        await board.is(`boxOf(".apart button").left - boxOf(".acts [data-do=print]").right >= 20`,
          true, about);
      }
      await board.press(keys.escape);
      await board.is(`[$(".bar"), document.activeElement.ariaLabel]`, [null, `More for ${order}`]);
    }
  }
  const open = async (): Promise<void> => {
    await board.tap("More for order0");
    await board.until(`$(".bar")`);
  };
  // A second press on it, or on anything else, closes the bar and does nothing more.
  for (const selector of [`${cardOf("order0")} .more`, `${cardOf("order0")} .main`]) {
    await open();
    await board.click(selector);
    await board.is(`$(".bar")`, null);
  }
  assert.equal(await shop.statusOf("order0"), "Preparing");
  // It goes with its order.
  await open();
  await shop.update("order0", { status: "Ready" });
  await board.is(`$(".bar")`, null);
});

shopTest("a board without orders says so, and what comes next", async (shop) => {
  await shop.place("AAA111");
  await shop.update(id, { status: "Delivered" });
  const board = await shop.board();
  await board.says("No open orders", "They come in here by themselves.",
    "Print a card for a table, or take one by phone.");
  await board.click(".nothing button");
  await board.until(`$(".table-cards")`);
  await board.tap("Close");
  await shop.update(id, { status: "Ready" });
  await board.until(cardIn("Ready", id));
  await board.is(`$(".nothing")`, null);
});

shopTest("one tap moves an order on, undo takes it back, and the menu sends it back or cancels it",
  async (shop) => {
    await shop.place("AAA111");
    const board = await shop.board();
    await board.tap(`Start ${id}`);
    await board.until(started(id));
    assert.equal(await shop.statusOf(id), "Preparing");
    await board.tap("Undo");
    await board.until(cardIn("Pending", id));
    assert.equal(await shop.statusOf(id), "Pending");
    await board.tap(`Start ${id}`);
    await board.until(cardIn("Preparing", id));
    await board.tap(`More for ${id}`, `Back to Pending ${id}`);
    await board.until(cardIn("Pending", id));
    await board.tap(`More for ${id}`, `Cancel order ${id}`);
    await board.is(`$('${card}')`, null);
    assert.equal(await shop.statusOf(id), "Cancelled");
    // Undo takes nothing back that has gone further.
    await shop.place("BBB222");
    await board.tap("Start BBB222", "Ready BBB222");
    await board.until(cardIn("Ready", "BBB222"));
    await board.click(".column:nth-of-type(1) > .undo button");
    await board.says("BBB222 has been moved on since.");
    assert.equal(await shop.statusOf("BBB222"), "Ready");
    assert.deepEqual(await board.complaints(), []);
  });

shopTest("what came to lie under a finger takes no press for 400 ms",
  async (shop) => {
    await shop.place("first", "second", "third");
    const board = await shop.board();
    // The page's clock stands still, so that the test may be as slow as it likes.
    await board.run(`const start = Date.now() + 400;
      window.standAt = (ms) => { Date.now = () => start + ms; };
      standAt(0);`);
    await board.click(`${cardOf("first")} .main`, 2);
    await board.until(started("first"));
    await board.click(`${cardOf("second")} .main`);
    // A button that has not moved takes the press.
    await board.tap("Settings", "Close");
    await board.run("standAt(400);");
    await board.click(`${cardOf("second")} .main`);
    await board.until(started("second"));
    // Taken back, it lies where the third was.
    await board.run("standAt(800);");
    await board.tap("Undo");
    await board.until(cardIn("Pending", "second"));
    await board.click(`${cardOf("second")} .main`);
    await board.run("standAt(1200);");
    // Another tablet takes it away, and the third comes up.
    await shop.update("second", { status: "Preparing" });
    await board.until(cardIn("Preparing", "second"));
    await board.click(`${cardOf("third")} .main`);
    assert.equal(await board.run(`return $(".is-sending")`), null);
    for (const [order, status] of [["first", "Preparing"], ["third", "Pending"]] as const) {
      assert.equal(await shop.statusOf(order), status, order);
    }
  });

shopTest("Enter after Enter works through a column; held, it moves one order", async (shop) => {
  await shop.place("first", "second", "third");
  const board = await shop.board();
  await board.run(`$('${cardOf("first")} .main').focus();`);
  const press = (type: string, autoRepeat: boolean) =>
    board.devtools("Input.dispatchKeyEvent", { ...keys.enter, type, autoRepeat });
  const focused = `document.activeElement.closest(".card").dataset.order`;
  await press("keyDown", false);
  await board.is(focused, "second");
  for (let times = 0; times < 5; times += 1) await press("keyDown", true);
  await press("keyUp", false);
  await board.press(keys.enter);
  await board.is(focused, "third");
  assert.equal(await shop.statusOf("third"), "Pending");
  await board.press(keys.enter);
  await board.until(cardIn("Preparing", "third"));
  await board.is("/Pending/.test(document.activeElement.textContent)", true);
});

shopTest("late shows in three stages, by shape and in words, and moves nothing", async (shop) => {
  await shop.place(id, "BBB222", "K7QX3M-1", "K7QX3M-2");
  // Where the columns are narrowest.
  const board = await shop.board({ width: 700, before: hasty });
  await board.is(`$('${card} .tag').textContent`, "New");
  const isAfter = async (more: number, text: string): Promise<void> => {
    await board.run("letPass(arguments[0] * 60_000);", more);
    await board.is(`$('${card} .age').textContent`, text);
  };
  await isAfter(4, "4 min");
  const early = await board.run(places);
  const fill = `return getComputedStyle($('${card} header')).backgroundColor`;
  const quiet = await board.run(fill);
  for (const [more, text] of [
    [1, "5 min late"], [3, "! 8 min late"], [2, "!! 10 min late"], [180, "!! 3 h late"],
  ] as const) {
    await isAfter(more, text);
    assert.deepEqual(await board.run(places), early, text);
  }
  assert.notEqual(await board.run(fill), quiet);
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  await board.tap("Undo");
  await board.until(cardIn("Pending", id));
  await isAfter(0, "!! 3 h late");
});

/** The text of a column, in one line. */
function cardsIn(column: string): string {
  return `$$(".column").find((one) => one.querySelector("h2").textContent
    .includes(${JSON.stringify(column)})).innerText.replace(/\\s+/g, " ")`;
}

shopTest("orders placed together share a card, move with one press, and come back with one undo",
  async (shop) => {
    await shop.place(...[1, 2, 3].map((number) => `table-7-K7QX3M-${number}`), "260131-7",
      "260131-8");
    const board = await shop.board();
    const has = (column: string, text: string) =>
      board.until(`${cardsIn(column)}.includes(${JSON.stringify(text)})`);
    await has("Pending", "3 pizzas");
    await has("Pending", "260131-7");
    assert.doesNotMatch(await board.text(), /K7QX3M-|-1\b/);
    assert.equal(await board.run(`return $$(".card").length`), 3);
    await board.tap("Start all 3 Table 7");
    await has("Preparing", "0 of 3 ready");
    await board.until(`$$(".undo button").length === 1`);
    await board.tap("More for Table 7");
    await board.is(`texts(".bar button[data-do=move]")`, ["Send out Table 7",
      "Back to Pending Table 7", "Cancel 3 pizzas Table 7"]);
    await board.press(keys.escape);
    await board.tap("Ready Table 7 · Pizza 3");
    await has("Preparing", "1 of 3 ready");
    await has("Ready", "2 still being made");
    await board.tap("Ready Table 7 · Pizza 2");
    await has("Preparing", "2 of 3 ready");
    await board.tap("Ready Table 7 · Pizza 1");
    await has("Ready", "Send out all 3");
    await board.tap("Send out all 3 Table 7");
    await has("Out for Delivery", "All 3 delivered");
    await board.click("section:nth-of-type(3) > .undo button");
    await has("Ready", "3 of 3 ready");
    // One alone goes by the bar, which asks first which pizzas are meant.
    await board.tap("More for Table 7");
    await board.is(`texts(".bar button[data-do=move]")`, ["Picked up Table 7",
      "Back to Preparing Table 7", "Cancel 3 pizzas Table 7"]);
    await board.tap("Pizza 1", "Send out Table 7 · Pizza 1");
    await has("Out for Delivery", "1 pizza");
    await has("Ready", "Send out both");
    assert.equal(await shop.statusOf("table-7-K7QX3M-1"), "Out for Delivery");
    assert.deepEqual(await board.complaints(), []);
  });

shopTest("closed ones count among those placed together, however many there are",
  async (shop) => {
    const firsts = Array.from({ length: 150 }, (_, at) => `${"a-table-".repeat(14)}K7Q${100 + at}`);
    const order = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
    await Promise.all(firsts.flatMap((first) => ["Delivered", "Ready"].map((status, at) =>
      shop.forno.write("POST", "/api/orders", { ...order, id: `${first}-${at + 1}`, status }))));
    const board = await shop.board();
    await board.until(`$$(".group").filter((one) => /2 of 2 ready/.test(one.textContent)).length
      === 150`);
  });

shopTest("what another device cancels or changes is told on the card until it was seen",
  async (shop) => {
    await shop.place("AAA111", { id: "BBB222", status: "Preparing" });
    const [board, other] = [await shop.board(), await shop.board()];
    await board.until(cardIn("Preparing", "BBB222"));
    await other.tap("More for AAA111", "Cancel order AAA111");
    await board.until(`${cardsIn("Pending")}.startsWith("0 Pending")`);
    await board.until(`${cardsIn("Pending")}.includes("Cancelled")`);
    // The one that cancelled it knows.
    await other.is(`$('${card}')`, null);
    await board.click(`${card} h3`);
    await board.reload();
    await board.until(`${cardsIn("Pending")}.includes("Cancelled")`);
    await board.tap(`OK ${id}`);
    await board.is(`$('${card}')`, null);

    const toppings = ["funghi", "rucola", "mozzarella"].map((topping) => ({ id: topping }));
    await shop.update("BBB222", { toppings, note: "No basil" });
    const lines = `texts('${cardOf("BBB222")} .contents li')`;
    await board.is(lines,
      ["Large", "Mushrooms", "+ Rocket", "+ Mozzarella", "2× Mozzarella", "Chinotto"]);
    await board.reload();
    await board.until(`${cardsIn("Preparing")}.includes("Changed")`);
    await board.is(`[$('${cardOf("BBB222")} .note').textContent, $$(".card").length]`,
      ["+ No basil", 1], "also after a reload, and what was seen is not told again");
    await board.click(`${cardOf("BBB222")} .contents`);
    await board.is(lines, ["Large", "Mozzarella", "Mushrooms", "Rocket", "Chinotto"]);
    await shop.forno.asStaff("DELETE", "/api/orders/BBB222");
    await board.until(`${cardsIn("Preparing")}.includes("Cancelled")`);

    assert.deepEqual(await board.complaints(), []);
  });

shopTest("a note is told first and whole, once for orders placed together", async (shop) => {
  const note = `Anna Bertolini: ${"no nuts, ".repeat(16)}please. ${"x".repeat(30)}`;
  await shop.place({ note }, ...["High chair", "High chair", "Well done"].map((note, at) =>
    ({ id: `table-7-K7QX3M-${at + 1}`, note })));
  const board = await shop.board();
  await board.until(`$$("[data-order]").length === 4`);
  for (const width of [320, 390, 768, 1280]) {
    await board.resize(width, 1000);
    await board.is(`texts("#orders .note")`, [note, "High chair", "Well done"], `${width} px`);
    await board.is(`$$("#orders .note bdi").filter((one) => {
      const [{ left, right }, card] = [one, one.closest(".card")].map((each) =>
        each.getBoundingClientRect());
      return left < card.left || right > card.right;
    }).length`, 0, `${width} px`);
    // Above the size, and moving no button: it is below the button, or beside it.
    await board.is(`(({ top }, ways, size) => top >= ways.top && top < size.top)(
      ...[".note", ".ways", ".size"].map((one) => boxOf('${card} ' + one)))`, true);
  }
});

shopTest("heads keep each count, number and time whole, and begin where the text begins",
  async (shop) => {
    const ids = ["WWWMMM", "table-12-WMWMW0-1", "table-12-WMWMW0-2",
      "terrace,-by-the-lemon-tree-WMWMW1-1", "terrace,-by-the-lemon-tree-WMWMW1-2"];
    await shop.place(...ids);
    const board = await shop.board();
    for (const width of [390, 768, 1280]) {
      await board.resize(width, 1000);
      await board.is(`seen(":is(.card h3:not(.long), .age, .total, time, .told b, .number)")
        .filter((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return new Set([...range.getClientRects()].filter(({ width }) => width > 1)
            .map(({ bottom }) => Math.round(bottom / 12))).size > 1;
        }).map((one) => one.textContent)`, [], `${width} px`);
    }
    await board.resize(768, 1000);
    await board.is(`seen(".card").filter((one) => new Set(["h3 bdi", ".when :first-child", ".size"]
      .map((part) => Math.round(one.querySelector(part).getBoundingClientRect().left))).size > 1)
      .map((one) => one.innerText)`, []);
  });

shopTest("of two tablets on one order the slower changes nothing and sees the newer",
  async (shop) => {
    await shop.place("AAA111");
    const board = await shop.board();
    // The other tablet's tap lands between this one's tap and its write.
    await board.run(`window.other = fetch;`);
    await board.intercept("PATCH", `if (count > 1) return;
      const headers = { authorization: request.headers.get("authorization") };
      const body = '{"status":"Out for Delivery"}';
      await other("api/orders/${id}", { method: "PATCH", headers, body });`);
    await board.click(`${card} .main`);
    await board.until(moved(id, "Out for Delivery", "was changed on another screen."));
    assert.equal(await shop.statusOf(id), "Out for Delivery");
    assert.deepEqual(await board.complaints(/ 412 /), []);
  });

shopTest("a press shows at once that it was taken, and where it failed, that it was not sent",
  async (shop) => {
    await shop.place({ status: "Preparing" });
    const board = await shop.board();
    await board.until(cardIn("Preparing", id));
    const button = `$('${card} .ways button')`;
    await board.intercept("PATCH", `window.calls = count;
      if (count > 1) return;
      ${held}
      return new Response("{}", { status: 503 });`);
    // Before any answer, in the same turn.
    await board.run(`
      ${button}.click();
      queueMicrotask(() => { window.shown = ${button}.textContent; });`);
    await board.until("window.letGo");
    assert.equal(await board.run("return shown"), `Ready… ${id}`);
    await board.click(`${card} .ways button`);
    assert.equal(await board.run("return calls"), 1);
    await board.run("letGo();");
    await board.says("Not sent. Press again.");
    await board.click(`${card} .main`);
    await board.until(moved(id, "Ready", "ready"));
  });

shopTest("a new order is announced in words, once; what was there or changed is not",
  async (shop) => {
    await shop.place("AAA111");
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
    await shop.place("BBB222");
    await board.until(cardIn("Pending", "BBB222"));
    assert.deepEqual(await board.run("return heard"), ["New order K7QX3M", "New order BBB222"]);
  });
