/** The board on its screen: what is in sight with many orders, text size, sound, and on paper. */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { codesAre } from "./qr.ts";
import { cardIn, controlBoxes, type Shop, shopTest } from "./shop.ts";

const pizzas = [
  { name: "Boscaiola", toppings: ["pomodoro", "mozzarella", "funghi", "cipolla"] },
  { name: "Rustica", toppings: ["pomodoro", "mozzarella", "rucola", "prosciutto"] },
  { name: "Romana", toppings: ["pomodoro", "mozzarella", "acciughe"] },
];

/** 4 Pending, 26 Preparing, 18 Ready, 12 on the way: a Friday evening. */
async function fill(shop: Shop, more: (index: number) => object): Promise<void> {
  await shop.change({ pizzas });
  await Promise.all(Array.from({ length: 60 }, (_, index) =>
    shop.forno.asStaff("POST", "/api/orders", {
      id: `ORD${100 + index}`, pizza: pizzas[index % 3]?.name,
      status: index < 4 ? "Pending" : index < 30 ? "Preparing" : index < 48 ? "Ready"
        : "Out for Delivery",
      pizzaSize: { id: "grande" },
      toppings: pizzas[index % 3]?.toppings.map((id) => ({ id })),
      beverages: index % 2 === 0 ? [{ id: "birra" }] : [],
      ...more(index),
    })));
}

shopTest("of 60 orders 16 or 14 are whole in sight, and a column that goes on has a shadow", {
  GUEST_ORDERS: "off",
}, async (shop) => {
  // Three of the six are together, and two of these are equal.
  await fill(shop, (index) => index % 6 > 2 ? {} : {
    table: `Table ${index - index % 6}`, group: `GROUP${100 + index - index % 6}`,
    ...index % 6 === 1 && {
      pizza: pizzas[0]?.name, toppings: pizzas[0]?.toppings.map((id) => ({ id })),
    },
  });
  const board = await shop.board();
  await board.is(`$$(".card").length`, 40);
  for (const [width, height, least] of [[768, 1024, 14], [1280, 800, 16]] as const) {
    await board.resize(width, height);
    const whole = await board.run<number>(`return $$(".card .size").filter((one) => {
      const [box, list] = [".card", ".cards"].map((each) =>
        one.closest(each).getBoundingClientRect());
      return box.top >= list.top - 1 && box.bottom <= Math.min(list.bottom, innerHeight);
    }).reduce((sum, one) => sum + (parseInt(one.textContent) || 1), 0);`);
    assert.ok(whole >= least, `${whole} orders at ${width} x ${height}`);
    await board.is("document.documentElement.scrollWidth", width);
  }
  // The end of a list lies over its shadow.
  const cover = `(() => {
    const list = $(".column:nth-of-type(2) .cards");
    const { height } = getComputedStyle(list, "::after");
    return list.scrollTop + list.clientHeight > list.scrollHeight - parseFloat(height);
  })()`;
  await board.is(cover, false);
  // Cards that are not in sight have their height, too.
  await board.is(`$$(".card").filter((one) => one.getBoundingClientRect().height < 100).length`,
    0);
  await board.run(`$(".column:nth-of-type(2) .cards").scrollTop = 1e6;`);
  await board.is(cover, true);
});

shopTest("new orders move no button, and an undo is one row a column below its list",
  { GUEST_ORDERS: "off" }, async (shop) => {
    await fill(shop, () => ({}));
    const board = await shop.board({ width: 768, height: 1024 });
    await board.is(`$$(".card").length`, 60);
    const before = await board.run<Record<string, unknown>>(controlBoxes);
    const isUnmoved = async (which: RegExp): Promise<void> => {
      const after = await board.run<Record<string, unknown>>(controlBoxes);
      const names = Object.keys(before).filter((name) => which.test(name));
      assert.deepEqual(names.map((name) => after[name]), names.map((name) => before[name]));
    };
    await shop.place(...Array.from({ length: 25 }, (_, index) => `new-${index}`));
    await board.is(`$$(".card").length`, 85);
    await isUnmoved(/^(?!Orders)/);
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
    // In the columns that an order has left, those below it have come up.
    await isUnmoved(/ORD10[0-3]|^(Done|Menu|Settings)$/);
    await board.run("endTen();");
    await board.is(`texts(".undo p")`, [], "after ten seconds");
  });

shopTest("A+ makes toppings readable from two meters, on this device from then on",
  async (shop) => {
    await shop.place("AAA111");
    const board = await shop.board();
    await board.tap("Settings", ...Array(5).fill("A+ Larger text"));
    const size = `parseFloat(getComputedStyle($(".contents .topping")).fontSize)`;
    const large = await board.until<number>(size);
    // A capital of 7 mm: a three hundredth of the distance, with 96 px to 25.4 mm.
    assert.ok(large * 0.7 / 96 * 25.4 >= 7, `${large} px`);
    await board.tap("A− Smaller text");
    await board.until(`${size} < ${large}`);
    await board.tap("A+ Larger text");
    await board.reload();
    await board.is(size, large);
  });

shopTest("a phone, and text at 200 %, show one column at a time", async (shop) => {
  await shop.place("AAA111", { id: "BBB222", status: "Preparing" });
  const board = await shop.board({ width: 320, height: 760 });
  // The first press turns the sound on, and moves nothing.
  const top = `boxOf(".columns").top`;
  const before = await board.run(`return ${top};`);
  await board.click(".column:nth-child(2) button.head");
  await board.is(`[$(".muted"), ${top}]`, [null, before]);
  for (const [width, text] of [[320, "100%"], [768, "200%"]] as const) {
    await board.resize(width, 760, text);
    for (const [head, order] of [[1, "AAA111"], [2, "BBB222"]] as const) {
      await board.click(`.column:nth-child(${head}) button.head`);
      await board.is(`texts(".card h3 bdi")`, [order], `${width} px, ${text}`);
    }
    assert.deepEqual(await board.brokenWords("button.head span"), [], `${width} px, ${text}`);
  }
});

shopTest("a ticket has its order's note, and is upright on any paper", async (shop) => {
  await shop.change({ pizzas: [
    { name: "Margherita", toppings: ["pomodoro", "mozzarella", "basilico"] },
  ] });
  await shop.place("AAA111", ...["no salt", ""].map((note, index) => ({
    id: `P${index}`, group: "K7QX3M", table: "Table 7", name: "Anna", note, beverages: [],
    toppings: ["funghi", "rucola", "grana", "basilico", "cipolla", "pomodoro", "olive-nere"]
      .map((id) => ({ id })),
  })), {
    id: "CCC333", pizza: "Margherita",
    toppings: [{ id: "pomodoro" }, { id: "mozzarella" }, { id: "rucola" }],
  });
  const board = await shop.board();
  await board.until(cardIn("Pending", "CCC333"));
  await board.run(`window.print = () => { window.printed =
    $$(".ticket :is(h3, .number, .name, .note, .placed b, li)").map((one) => one.textContent); };`);
  await board.tap("More for Table 7", "Print 2 tickets");
  const toppings = ["Mushrooms", "Rocket", "Grana Padano", "Basil", "Red onion", "Tomato sauce",
    "Black olives"];
  await board.is("window.printed", [
    ...["Order Table 7", "K7QX3M", "Anna", "no salt", "Pizza 1 of 2", "Large", ...toppings],
    ...["Order Table 7", "K7QX3M", "Anna", "Pizza 2 of 2", "Large", ...toppings],
  ]);
  const [first = [], second = [], ...rest] = await board.printedPages();
  assert.deepEqual([first[0], second[0], rest], [80, 80, []]);
  assert.ok((first[1] ?? 0) > (second[1] ?? 0), `${first} is higher by its note than ${second}`);
  await board.tap("More for CCC333", "Print 1 ticket");
  await board.is("window.printed",
    ["Order CCC333", "Margherita, Large", "without Basil", "+ Rocket",
      "Tomato sauce, Mozzarella, Rocket", "Chinotto"]);
  const [[width = 0, height = 0] = [], ...more] = await board.printedPages();
  assert.deepEqual([width, more], [80, []]);
  assert.ok(height > width, `a low ticket is upright, too: ${width} x ${height}`);
  const small = await board.run<string[]>(`return $$(".ticket *").filter((one) =>
    parseFloat(getComputedStyle(one).fontSize) / 96 * 25.4 * 58 / 80 < 2)
    .map((one) => one.textContent)`);
  assert.deepEqual(small, [], "on 58 mm no writing is lower than 2 mm");
});

/** Where the tables are typed whose cards are to be printed. */
const tables = ".table-cards textarea";

async function openCards(shop: Shop, language = "en-GB"): Promise<Window> {
  const board = await shop.board({ language });
  await board.run(`
    window.printed = 0;
    window.print = () => { window.printed += 1; };`);
  await board.tap("Settings", "Table cards Codes to print, one for each table");
  await board.until(`$("${tables}")`);
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
    await board.type(tables, "\nTerrace, by the lemon tree");
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
    await beside.until(`$("${tables}").value.includes("lemon tree")`);
  });

shopTest("printed pages stay until the next press, and a browser that cannot print says so",
  async (shop) => {
    const board = await openCards(shop);
    await board.fill(tables, "Table 1");
    await board.tap("Print 1 card");
    // Safari says so before its own dialog is open.
    await board.run(`dispatchEvent(new Event("afterprint"));`);
    await board.is(`$$(".printed-cards").length`, 1);
    await board.run("delete window.print; window.print = undefined;");
    await board.tap("Print 1 card");
    await board.says("This browser can’t print.");
    await board.is(`$$(".printed-cards").length`, 0);
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
    await board.fill(tables, typed);
    await board.says(fault);
    await board.until(isOff);
  }
  await board.fill(tables, "Table 1\n\n  Table   1 \nطاولة 2");
  await board.until(`!(${isOff})`);
  await board.is("window.printed", 0);
  await board.tap("Print 2 cards");
  const links = ["Table+1", "%D8%B7%D8%A7%D9%88%D9%84%D8%A9+2"].map((name) =>
    `${shop.forno.origin}/?for=${name}`);
  await codesAre(board, ".printed-cards", links);
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
  await board.run(`localStorage.setItem("/board", '{"scale":1e9,"chimes":true}')`);
  await board.reload();
  await board.is(`$(".fit").style.getPropertyValue("--scale")`, "1");
  await board.run(`localStorage.setItem("/board-token", "a.".repeat(500_000))`);
  await board.reload();
  await board.says("Sign in this device");
});

shopTest("the chime repeats while an order is Pending, and its switch silences it",
  async (shop) => {
    const before = `window.strokes = 0;
      const { start } = OscillatorNode.prototype;
      OscillatorNode.prototype.start = function (at) {
        window.strokes += 1;
        start.call(this, at);
      };`;
    const board = await shop.board({ before });
    const rings = async (isHeard: boolean): Promise<void> => {
      await board.run("strokes = 0; letPass(8000);");
      await board.is("strokes", isHeard ? 2 : 0);
    };
    const silenced = `document.body.innerText.includes("Tap for sound")`;
    await board.is(silenced, true);
    await board.click("h1");
    await board.is(`[${silenced}, strokes]`, [false, 0]);
    await shop.place("AAA111");
    await board.is("strokes", 2);
    await rings(true);
    for (const isHeard of [false, true]) {
      await board.tap("Settings", "Sound", "Close");
      await rings(isHeard);
    }
    await board.tap("Start AAA111");
    await board.until(cardIn("Preparing", "AAA111"));
    await rings(false);
    // Once where somebody else has changed an order.
    await shop.update("AAA111", { note: "no salt" });
    await board.is("strokes", 2);
    await rings(false);
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
