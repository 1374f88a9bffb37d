/** The board on its screen: what is in sight with many orders, text size, and sound. */

import assert from "node:assert/strict";
import { keys } from "./browser.ts";
import { cardIn, controlBoxes, type Shop, shopTest } from "./shop.ts";

/** Twenty orders of an evening: four are ready, one is on the way, three are new. */
async function placeEvening(shop: Shop): Promise<void> {
  const pizzas = ["Boscaiola", "Rustica", "Romana", "Diavola", "Napoli"].map((name) =>
    ({ name, toppings: ["pomodoro", "mozzarella", "funghi"] }));
  await shop.change({ pizzas });
  const orders = Array.from({ length: 20 }, (_, index) =>
    Array.from({ length: [2, 1, 1, 3][index % 4] ?? 1 }, (_each, pizza) => ({
      id: `ORD${100 + index}-${pizza}`, group: `ORD${100 + index}`,
      ...index % 2 === 0 ? { table: `Table ${index + 1}` } : { name: `Guest ${index}` },
      status: index < 12 ? "Preparing" : index < 15 ? "Pending" : index < 19 ? "Ready"
        : "Out for Delivery",
      pizza: pizzas[(index + pizza) % 5]?.name, pizzaSize: { id: "grande" },
      toppings: ["pomodoro", "mozzarella", "funghi"].map((id) => ({ id })),
      beverages: index % 3 === 0 && pizza === 0 ? [{ id: "birra" }] : [],
      ...index % 5 === 0 && pizza === 0 && { note: "cut in eight" },
    })));
  for (const order of orders.flat()) await shop.forno.asStaff("POST", "/api/orders", order);
}

shopTest("ten of an evening's orders are whole in sight, a phone's three; a new one moves none", {
  GUEST_ORDERS: "off",
}, async (shop) => {
  await placeEvening(shop);
  const board = await shop.board();
  await board.tap("Settings", "Toppings on cards", "Close");
  for (const [width, height, least] of [
    [768, 1024, 10], [1280, 800, 10], [390, 844, 3],
  ] as const) {
    await board.resize(width, height);
    await board.until(`[1, 3, 4].includes($$(".column").length + $$(".ready").length)`);
    const whole = await board.run<number>(`return $$("#orders article").filter((one) => {
      const [box, list] = [one, one.closest(".making, .ready")].map((each) =>
        each.getBoundingClientRect());
      return box.top >= list.top - 1 && box.bottom <= Math.min(list.bottom, innerHeight);
    }).length;`);
    assert.ok(whole >= least, `${whole} orders at ${width} x ${height}`);
    await board.is("document.documentElement.scrollWidth", width);
  }
  await board.resize(768, 1024);
  const before = await board.run<Record<string, unknown>>(controlBoxes);
  await shop.place("NEW1", "NEW2");
  await board.is(`$(".badge").textContent`, "5 new");
  const after = await board.run<Record<string, unknown>>(controlBoxes);
  const names = Object.keys(before).filter((name) => !name.startsWith("Orders"));
  assert.deepEqual(names.map((name) => after[name]), names.map((name) => before[name]));
});

shopTest("at every text size each order can be reached, in columns of at least 15rem",
  async (shop) => {
    await placeEvening(shop);
    const board = await shop.board();
    for (const [width, scale] of [[1280, 1.75], [1280, 2.6], [1024, 1.75], [390, 2.6]] as const) {
      await board.run(`localStorage.setItem("/board", JSON.stringify({ newSound: true,
        readySound: false, toppings: true, tab: "orders", scale: arguments[0] }));`, scale);
      await board.resize(width, 800);
      await board.reload();
      await board.until(`$$("article").length > 3`);
      const narrow = await board.run<number[]>(`return $$("article").map((one) => one.clientWidth
        / parseFloat(getComputedStyle(document.documentElement).fontSize))
        .filter((rem) => rem < Math.min(14.9, innerWidth / 16 / arguments[0] - 2));`, scale);
      assert.deepEqual(narrow, [], `${width} px, ${scale}`);
      await board.is("document.documentElement.scrollWidth", width);
      // The newest, at the end of a column.
      await board.tap("More for Table 15");
      await board.press(keys.escape);
    }
    await board.tap("Tables");
    await board.until(`$("#tables article")`);
    assert.deepEqual(await board.brokenWords("#tables article *"), []);
  });

shopTest("a card does not get higher by its age", async (shop) => {
  // One of them has just room enough beside a short age.
  await shop.place(...Array.from({ length: 24 }, (_, index) =>
    ({ id: `ORD${100 + index}`, name: `Maria ${"i".repeat(index)}` })));
  const board = await shop.board({ width: 768, height: 1024 });
  const heights = `$$(".card header").map((one) => one.clientHeight).join()`;
  const before = await board.run<string>(`return ${heights};`);
  assert.equal(before.split(",").length, 24);
  for (const minutes of [10, 15, 30]) {
    await board.run("letPass(arguments[0]);", minutes * 60_000);
    await board.is(heights, before);
  }
});

/** Texts of which one is in two lines, and dots with which a line begins. */
const badBreaks = `$$("#orders article").flatMap((article) => {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    for (const { 0: piece, index } of text.data.matchAll(/\\d+ pizzas|All 2 ready|·/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + piece.length);
      const boxes = [...range.getClientRects()];
      const { left } = text.parentElement.closest(".card-about, .row-text, footer")
        .getBoundingClientRect();
      const isFirst = piece === "·" && boxes[0].left - left < 15;
      if (isFirst || new Set(boxes.map(({ top }) => top)).size > 1) found.push(piece);
    }
  }
  return found;
})`;

shopTest("a line about an order breaks behind a dot, never within a number, and buttons do not",
  async (shop) => {
    for (const [index, length] of [4, 8, 12, 16, 20, 24].entries()) {
      const texts = { group: `G${index}`, table: `Table ${index}`, name: "N".repeat(length) };
      await shop.place(...[0, 1].map((pizza) => ({ id: `G${index}-${pizza}`, ...texts })));
      if (index === 1) continue;
      const status = index % 2 === 0 ? "Ready" : "Preparing";
      for (const pizza of [0, 1]) await shop.update(`G${index}-${pizza}`, { status });
    }
    const board = await shop.board({ width: 768, height: 1024 });
    await board.is(`$$("#orders article").length`, 6);
    assert.deepEqual(await board.run(`return ${badBreaks};`), []);
  });

shopTest("A+ makes toppings readable from two meters, on this device from then on",
  async (shop) => {
    await shop.place("AAA111");
    const board = await shop.board();
    await board.tap("Settings", ...Array(5).fill("A+ Larger text"));
    const size = `parseFloat(getComputedStyle($(".all-toppings")).fontSize)`;
    const large = await board.until<number>(size);
    // A capital of 7 mm: a three hundredth of the distance, with 96 px to 25.4 mm.
    assert.ok(large * 0.7 / 96 * 25.4 >= 7, `${large} px`);
    await board.tap("A− Smaller text");
    await board.until(`${size} < ${large}`);
    await board.tap("A+ Larger text");
    await board.reload();
    await board.is(size, large);
  });

shopTest("a phone, and text at 200 %, show what is to be made, or what is ready", async (shop) => {
  await shop.place("AAA111", "BBB222");
  await shop.update("BBB222", { status: "Ready" });
  const board = await shop.board({ width: 320, height: 760 });
  // The first press turns the sound on, and moves nothing.
  const top = `boxOf(".making").top`;
  const before = await board.run(`return ${top};`);
  await board.tap("To make 1");
  await board.is(`[seen(".muted").length, ${top}]`, [0, before]);
  for (const [width, text] of [[320, "100%"], [768, "200%"]] as const) {
    await board.resize(width, 760, text);
    for (const [part, order] of [["To make 1", "AAA111"], ["Ready 1", "BBB222"]] as const) {
      await board.tap(part);
      await board.is(`texts("#orders article bdi")[0]`, order, `${width} px, ${text}`);
    }
    assert.deepEqual(await board.brokenWords(".list-switch button"), [], `${width} px, ${text}`);
  }
});

shopTest("the tabs are in one row on any phone", async (shop) => {
  await shop.place("AAA111");
  const board = await shop.board({ width: 320 });
  for (const language of ["en", "it", "de", "fr", "es", "ar"]) {
    await board.speak(language);
    await board.reload();
    await board.until(`$(".badge-number")?.textContent.startsWith("1")`);
    const rows = `new Set($$(".tab").map((one) => one.getBoundingClientRect().top)).size`;
    await board.is(`[$("html").lang, ${rows}]`, [language, 1]);
  }
});

shopTest("the words about what is ready are beside their button, or above it", async (shop) => {
  await shop.place({ id: "AAA111", table: "Table 7", status: "Pending" });
  await shop.update("AAA111", { status: "Ready" });
  const board = await shop.board({ width: 768, height: 1024, language: "de" });
  await board.until(`$(".ready .move-button")`);
  await board.run("letPass(20 * 60_000);");
  await board.until(`$(".ready .late")`);
  await board.is(`(({ left, top }, age) => age.right <= left || age.bottom <= top)(
    boxOf(".ready .move-button"), boxOf(".ready .late"))`, true);
});

shopTest("the hint of the search is in sight whole, or not at all", async (shop) => {
  await shop.place("AAA111");
  const board = await shop.board();
  await board.tap("Search");
  const lines = `(({ left, right, top, bottom }) => {
    const range = document.createRange();
    range.selectNodeContents($(".search-hint"));
    return [...range.getClientRects()].map((line) => line.left >= left - 1
      && line.right <= right + 1 && line.top >= top - 4 && line.bottom <= bottom + 4);
  })(boxOf(".search-hint"))`;
  for (const [width, isWhole] of [[1280, true], [320, false]] as const) {
    await board.resize(width, 800);
    await board.is(`[...new Set(${lines})]`, [isWhole], `${width} px`);
  }
});

shopTest("Settings say where a device cannot stay awake, and table cards which address they hold",
  async (shop) => {
    const { port } = new URL(shop.forno.origin);
    const address = `http://pizza.localhost:${port}/`;
    const board = await shop.browser.open(`${address}board#token=${shop.forno.staff}`, {
      before: "delete Navigator.prototype.wakeLock;",
    });
    await board.tap("Settings");
    await board.says("This page cannot keep the screen on. Over https it could.");
    await board.tap("Table cards Codes to print, one for each table");
    await board.says(
      `The codes open ${address}. It must stay the same: print new cards if it changes.`);
  });

shopTest("whatever is stored on the device, the board works", async (shop) => {
  const board = await shop.board();
  await board.run(`localStorage.setItem("/board", '{"scale":1e9,"newSound":true,'
      + '"readySound":true,"toppings":true,"tab":"x"}')`);
  await board.reload();
  await board.is(`$("html").style.getPropertyValue("--scale")`, "1");
  await board.says("No open orders");
  await board.run(`localStorage.setItem("/board-token", "a.".repeat(500_000))`);
  await board.reload();
  await board.says("Sign in this device");
});

const countStrokes = `window.strokes = 0;
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (at) {
    window.strokes += 1;
    start.call(this, at);
  };`;

shopTest("a new order rings three times, then once a minute, and its switch silences it",
  async (shop) => {
    const board = await shop.board({ before: countStrokes });
    // Two notes each time.
    const rings = async (minutes: number, times: number): Promise<void> => {
      await board.run("strokes = 0; letPass(arguments[0] * 60_000);", minutes);
      await board.is("strokes", times * 2);
    };
    const silenced = `document.body.innerText.includes("Tap for sound")`;
    await board.is(silenced, true);
    await board.click("h1");
    await board.is(`[${silenced}, strokes]`, [false, 0]);
    await shop.place("AAA111");
    await board.is("strokes", 6);
    await rings(0.5, 0);
    await rings(0.5, 1);
    for (const isHeard of [false, true]) {
      await board.tap("Settings", "Sound for new orders", "Close");
      await rings(1, isHeard ? 1 : 0);
    }
    await board.tap("Start AAA111");
    await board.until(cardIn("Making", "AAA111"));
    await rings(1, 0);
    // Once where somebody else has changed an order, and three times once one is due.
    await shop.update("AAA111", { note: "no salt" });
    await board.is("strokes", 2);
    const wantedAt = new Date(Date.now() + 90 * 60_000).toISOString();
    await shop.place({ id: "BBB222", wantedAt });
    await board.until(cardIn("Later", "BBB222"));
    await rings(1, 0);
    await rings(60, 3);
  });

shopTest("a ready order has a sound of its own, on devices that want it", async (shop) => {
  await shop.place("AAA111", "BBB222");
  const board = await shop.board({ before: countStrokes });
  await board.tap("Start AAA111", "Start BBB222");
  await board.until(cardIn("Making", "BBB222"));
  await board.run("strokes = 0;");
  await shop.update("AAA111", { status: "Ready" });
  await board.until(cardIn("Ready", "AAA111"));
  await board.is("strokes", 0);
  await board.tap("Settings", "Sound for ready orders", "Close");
  await shop.update("BBB222", { status: "Ready" });
  await board.until(cardIn("Ready", "BBB222"));
  await board.is("strokes", 3);
});

shopTest("the screen stays awake, also once the system has ended that, and the board installs",
  async (shop) => {
    const before = `window.locks = [];
      const wakeLock = { request: async (kind) => {
        locks.push({ kind, released: false });
        return locks.at(-1);
      } };
      Object.defineProperty(navigator, "wakeLock", { value: wakeLock });`;
    const board = await shop.board({ before });
    const kinds = "locks.map(({ kind }) => kind)";
    await board.run("letPass(10_000);");
    await board.is(kinds, ["screen"]);
    await board.run("locks[0].released = true; letPass(10_000);");
    await board.is(kinds, ["screen", "screen"]);
    await board.run(`locks[1].released = true;
      document.dispatchEvent(new Event("visibilitychange"));`);
    await board.is(kinds, ["screen", "screen", "screen"]);
    const { data, errors } = await board.devtools<{ data: string; errors: unknown[] }>(
      "Page.getAppManifest",
    );
    assert.deepEqual(errors, []);
    const { start_url: start, icons: [{ src }] } = JSON.parse(data);
    const at = await board.run<string>(`return $("[rel=manifest]").href`);
    assert.equal(new URL(start, at).href, `${shop.forno.origin}/board`);
    assert.equal((await fetch(new URL(src, at))).status, 200);
  });
