/** The board on its screen: what is in sight with many orders, text size, print, sound. */

import assert from "node:assert/strict";
import { hasty, type Window } from "./browser.ts";
import { cardIn, cardOf, places, shopTest, type Shop } from "./shop.ts";

const notes = ["Anna", "", "Via Roma 12", "", "Marco", ""];
const longNote = "Anna Bertolini: no nuts please, my son is allergic. Ring at the back door.";

/** 4 Pending, 26 Preparing, 18 Ready, 12 on the way, with notes: a Friday evening. */
async function fill(shop: Shop): Promise<void> {
  const more = [
    ["funghi", "funghi", "cipolla"], ["rucola", "prosciutto", "basilico"], ["acciughe", "grana"],
  ];
  await Promise.all(Array.from({ length: 60 }, (_, index) =>
    shop.forno.asStaff("POST", "/api/orders", {
      id: `ORD${100 + index}`,
      status: index < 4 ? "Pending" : index < 30 ? "Preparing" : index < 48 ? "Ready"
        : "Out for Delivery",
      pizzaSize: { id: "grande" },
      toppings: ["pomodoro", "mozzarella", ...more[index % 3] ?? []].map((id) => ({ id })),
      beverages: index % 2 === 0 ? [{ id: "birra" }] : [],
      note: index === 20 ? longNote : notes[index % 6] ?? "",
    })));
}

const newIds = Array.from({ length: 25 }, (_, at) => `new-${at}`);

async function fullBoard(shop: Shop, width: number, height: number): Promise<Window> {
  await fill(shop);
  const board = await shop.board({ width, height });
  await board.is(`$$(".card").length`, 60);
  return board;
}

shopTest("of 60 orders 12 whole cards are in sight, and the newest is one press away",
  { GUEST_ORDERS: "off" }, async (shop) => {
    const sizes = [[1280, 800], [768, 1024]] as const;
    const board = await fullBoard(shop, ...sizes[0]);
    for (const [width, height] of sizes) {
      await board.resize(width, height);
      const whole = await board.run<number>(`return $$(".card").filter((one) => {
        const [box, list] = [one, one.parentElement].map((each) => each.getBoundingClientRect());
        return box.top >= list.top - 1 && box.bottom <= Math.min(list.bottom, innerHeight);
      }).length;`);
      assert.ok(whole >= 12, `${whole} cards at ${width} x ${height}`);
      await board.is("document.documentElement.scrollWidth", width);
    }
    await shop.place(...newIds);
    await board.until(cardIn("Pending", "new-24"));
    for (const [width, height] of sizes) {
      await board.resize(width, height);
      // The browser tells what is in sight a frame later, and ↓ may then move.
      await board.run(`$(".cards").scrollTo(0, 0);
        const frame = () => new Promise(requestAnimationFrame);
        return frame().then(frame).then(frame).then(frame);`);
      await board.click(".below");
      await board.is(`boxOf('${cardOf("new-24")} .main').bottom < innerHeight`, true);
    }
  });

shopTest("new orders move no button, and an undo is one row a column below its list",
  { GUEST_ORDERS: "off" }, async (shop) => {
    const board = await fullBoard(shop, 768, 1024);
    const before = await board.run<Record<string, unknown>>(places);
    assert.ok(Object.keys(before).length > 16);
    await shop.place(...newIds);
    await board.is(`$$(".card").length`, 85);
    assert.deepEqual(await board.run(places), before);
    // One row a column, for what was done last, below its list.
    for (const [act, id] of [
      ["Ready", "ORD104"], ["Ready", "ORD105"], ["Send out", "ORD130"], ["Delivered", "ORD148"],
    ] as const) {
      await board.tap(`${act} ${id}`);
      await board.until(`texts(".undo p").some((one) => one.startsWith("${id}"))`);
    }
    await board.is(`texts(".undo p")`, ["ORD105 ready", "ORD130 sent out", "ORD148 delivered"]);
    await board.is(`seen(".undo").every((one) => one.getBoundingClientRect().top
      >= one.previousElementSibling.getBoundingClientRect().bottom)`, true);
    assert.deepEqual(await board.brokenWords(".undo :is(p, button)"), []);
    const after = await board.run<Record<string, unknown>>(places);
    // In the columns that an order has left, those below it have come up.
    for (const name of Object.keys(before)) {
      if (!/ORD10[0-3]|^(orders|done|menu|A.)$/.test(name)) continue;
      assert.deepEqual(after[name], before[name], name);
    }
    await board.run("endTen();");
    await board.is(`texts(".undo p")`, [], "after ten seconds");
  });

shopTest("A+ makes toppings readable from two meters, on this device from then on",
  async (shop) => {
    await shop.place("AAA111");
    const board = await shop.board();
    const size = `parseFloat(getComputedStyle($(".contents .topping")).fontSize)`;
    const small = await board.until<number>(size);
    for (let times = 0; times < 5; times += 1) await board.tap("A+ Larger text");
    const large = await board.run<number>(`return ${size}`);
    // A capital of 7 mm: a three hundredth of the distance, with 96 px to 25.4 mm.
    assert.ok(large * 0.7 / 96 * 25.4 >= 7, `${large} px`);
    await board.reload();
    await board.is(size, large);
    for (let times = 0; times < 5; times += 1) await board.tap("A− Smaller text");
    await board.is(size, small);
  });

shopTest("a phone, and text at 200 %, show one column at a time", async (shop) => {
  await shop.place("AAA111", { id: "BBB222", status: "Preparing" });
  const board = await shop.board({ width: 390, height: 760 });
  for (const [width, text] of [
    [390, "100%"], [390, "200%"], [768, "200%"], [320, "100%"],
  ] as const) {
    await board.resize(width, 760, text);
    for (const [head, order] of [["1Pending", "AAA111"], ["1Preparing", "BBB222"]] as const) {
      await board.tap(head);
      await board.is(`seen(".card").map((one) => one.dataset.order)`, [order],
        `${width} px, ${text}`);
    }
    for (const tab of ["Done", "Menu", "Orders1"]) {
      await board.tap(tab);
      await board.is("document.documentElement.scrollWidth", width, tab);
      await board.is(`seen("main :is(button, input)").filter((one) =>
        one.getBoundingClientRect().right > innerWidth).map((one) => one.textContent)`, [], tab);
    }
  }
});

shopTest("printed, each order is a ticket of 80 mm with its note, on a page as high as the ticket",
  async (shop) => {
    await shop.place("AAA111", {
      id: "table-7-BBB222", note: "Anna, no salt", beverages: [],
      toppings: ["funghi", "rucola", "grana", "basilico", "cipolla"].map((id) => ({ id })),
    });
    const board = await shop.board();
    await board.until(cardIn("Pending", "table-7-BBB222"));
    const [[width, short = 0] = [], [, long = 0] = [], ...rest] = await board.printedPages();
    assert.deepEqual([width, rest], [80, []]);
    assert.ok(short > 40 && short < 90 && long > short, `${short} and ${long} mm`);
    await board.run(`window.print = () => { window.printed =
      $$(".ticket :is(h3, .number, .note, li)").map((one) => one.textContent); };`);
    await board.tap("More for Table 7", "Print ticket Table 7");
    await board.is("window.printed", [
      "Order Table 7", "BBB222", "Anna, no salt", "Large", "Mushrooms", "Rocket", "Grana Padano",
      "Basil", "Red onion",
    ]);
    await board.run(`dispatchEvent(new Event("afterprint"))`);
    await board.is(`$(".ticket")`, null);
  });

shopTest("whatever is stored on the device, the board works", async (shop) => {
  await shop.place("AAA111");
  const board = await shop.board();
  const at = "2026-11-20T19:00:00.000Z";
  const order = {
    id: "CCC333", status: "Pending", pizzaSize: { id: "a", name: "Large" }, toppings: [],
    beverages: [], placedAt: at, updatedAt: at, statusSince: at,
  };
  const right = { order, type: "cancelled", at };
  const damaged = [
    { note: {} }, { toppings: [null] }, { toppings: [{ id: "a" }] }, { pizzaSize: null },
    { status: "__proto__" }, { placedAt: "x" }, { id: 5 }, { beverages: "water" },
  ].map((damage) => ({ ...right, order: { ...order, ...damage } }));
  const store = (name: string, text: string) =>
    board.run("localStorage.setItem('/' + arguments[0], arguments[1])", name, text);
  for (const text of ["{", "null", "[null]", "[{}]", '{"names":[],"scale":1e9,"chimes":true}',
    '{"scale":"2","chimes":1}', ...[
      { ...right, at: "yesterday" }, { ...right, type: "seen" }, ...damaged,
    ].map((one) => JSON.stringify([one]))]) {
    for (const name of ["news", "board", "asked-about", "table-cards"]) await store(name, text);
    await board.reload();
    await board.until(cardIn("Pending", "AAA111"));
    await board.is(`[$$(".card").length, $(".fit").style.getPropertyValue("--scale")]`, [1, "1"],
      text);
  }
  for (const token of ["a.".repeat(500_000), "x.y.z", "\n"]) {
    await store("board-token", token);
    await board.reload();
    await board.says("Sign in this device");
  }
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  await store("news", JSON.stringify([right]));
  await board.reload();
  await board.until(cardIn("Pending", "CCC333"));
  assert.deepEqual(await board.complaints(/ 401 /), []);
});

shopTest("the chime repeats while an order is Pending, and its switch silences it",
  async (shop) => {
    const before = `${hasty}
      window.strokes = 0;
      const { start } = OscillatorNode.prototype;
      OscillatorNode.prototype.start = function (at) {
        window.strokes += 1;
        start.call(this, at);
      };`;
    const board = await shop.board({ before });
    const ringsOn = async (): Promise<void> => {
      const strokes = await board.run<number>("return strokes");
      await board.until(`strokes > ${strokes + 2}`);
    };
    const isQuiet = async (): Promise<void> => {
      const strokes = await board.run<number>("return strokes");
      await board.run("return new Promise((resolve) => setInterval(resolve, 8000))");
      await board.is("strokes", strokes);
    };
    const silenced = `document.body.innerText.includes("Tap for sound")`;
    await board.is(silenced, true);
    const sizes = [[320, "200%"], [390, "100%"], [768, "200%"], [1280, "100%"]] as const;
    for (const [width, text] of sizes) {
      await board.resize(width, 900, text);
      await board.is(`$(".muted").scrollWidth <= $(".muted").clientWidth
        && boxOf(".muted").right <= innerWidth`, true, `whole at ${width} px`);
    }
    await board.click("h1");
    await board.is(`[${silenced}, strokes]`, [false, 0]);
    await shop.place("AAA111");
    await ringsOn();
    for (const check of [isQuiet, ringsOn]) {
      await board.tap("Settings", "Sound", "Close");
      await check();
    }
    await board.tap("Start AAA111");
    await board.until(cardIn("Preparing", "AAA111"));
    await isQuiet();
    assert.deepEqual(await board.complaints(), []);
  });

shopTest("the screen stays awake, also after another page was in front, and it installs",
  async (shop) => {
    const before = `window.locks = [];
      const wakeLock = { request: async (kind) => { window.locks.push(kind); } };
      Object.defineProperty(navigator, "wakeLock", { value: wakeLock });`;
    const board = await shop.board({ before });
    await board.is("locks", ["screen"]);
    await board.run(`document.dispatchEvent(new Event("visibilitychange"))`);
    await board.is("locks", ["screen", "screen"]);
    const { data, errors } = await board.devtools<{ data: string; errors: unknown[] }>(
      "Page.getAppManifest",
    );
    assert.deepEqual(errors, []);
    const { start_url: start, icons: [{ src }] } = JSON.parse(data);
    const at = await board.run<string>(`return $("[rel=manifest]").href`);
    assert.equal(new URL(start, at).href, `${shop.forno.origin}/board`);
    assert.equal((await fetch(new URL(src, at))).status, 200);
  });
