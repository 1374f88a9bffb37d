/** The board's taps, keys and sounds (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { keys, type Window } from "./browser.ts";
import { cardIn, cardOf, holdBack, openShop, type Shop } from "./shop.ts";

const id = "AAA111";
const card = cardOf(id);

/** The card is there, and the board has told of the move. */
const moved = (order: string, to: string): string =>
  `${cardIn(to, order)} && document.querySelector("#notices").textContent.includes(
    ${JSON.stringify(`${order}: ${to}`)})`;

test("of two taps on a spot the second moves nothing; elsewhere, or by key, it does", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place({ id: "first" });
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  // The first order has gone by the second tap, and the next one has come under the finger.
  const clickBoth = (detail: number, places: readonly number[]) => board.run(`
    const [detail, places] = arguments;
    for (const [index, one] of [...document.querySelectorAll(".column ol .main")].entries()) {
      one.dispatchEvent(new MouseEvent("click", { bubbles: true, detail, clientX: places[index] }));
    }`, detail, places);
  await clickBoth(1, [0, 10]);
  await board.until(moved("first", "Preparing"));
  assert.equal(await shop.statusOf(id), "Pending");
  await clickBoth(1, [200, 300]);
  await board.until(moved(id, "Preparing"));
  await board.until(moved("first", "Ready"));
  await clickBoth(0, [300, 300]);
  await board.until(moved(id, "Ready"));
  await board.until(moved("first", "Out for Delivery"));
});

test("number keys move orders on, arrows change the column, U undoes", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place({ id: "first" });
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  await board.press("2");
  await board.until(moved(id, "Preparing"));
  await board.press(keys.right, "1");
  await board.until(moved(id, "Ready"));
  await board.press("u", "U");
  await board.until(moved(id, "Pending"));
  await board.press(keys.left, "2");
  // The undo's own notice says so already; until the move is over no other begins.
  await board.until(`${moved(id, "Preparing")} && ${undos} === 1`);
  await board.press(keys.right);
  const toggleKeys = async (): Promise<void> => {
    await board.tap("Settings");
    await board.click("#keys");
    await board.tap("Done");
  };
  await toggleKeys();
  await board.press("1");
  await toggleKeys();
  await board.press("1");
  await board.until(moved(id, "Ready"));
  assert.equal(await shop.statusOf("first"), "Pending");
});

test("the column that an arrow chooses comes into view, and its head has the focus", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board({ width: 768, height: 600 });
  await board.press(keys.left);
  const last = `document.querySelector(".column:last-child h2 button")`;
  assert.equal(await board.run(`return document.activeElement === ${last}`), true);
  const bottom = await board.run<number>(`return ${last}.getBoundingClientRect().bottom`);
  assert.ok(bottom > 0 && bottom < 600, `its bottom is at ${bottom}`);
  await board.press(keys.right);
  assert.match(await board.run("return document.activeElement.textContent"), /Pending/);
});

/** A board on which "first" has been moved, and the move of the other order is held back. */
async function boardInAMove(shop: Shop): Promise<Window> {
  await shop.place({ id: "first" });
  await shop.place();
  const board = await shop.board();
  await board.press("1");
  await board.until(moved("first", "Preparing"));
  await board.run(holdBack(`orders/${id}`));
  await board.press("1");
  await board.until("window.letGo");
  return board;
}

const undos = `document.querySelectorAll("#notices button").length`;

test("U undoes the move that is still on its way, not the one before it", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await boardInAMove(shop);
  await board.press("u");
  await board.run("letGo()");
  await board.until(moved(id, "Pending"));
  assert.equal(await board.run(`return ${undos}`), 1);
  assert.equal(await shop.statusOf(id), "Pending");
  assert.equal(await shop.statusOf("first"), "Preparing");
});

test("U undoes no other order where the move that is still on its way fails", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await boardInAMove(shop);
  const [token, body] = [shop.forno.staff, { status: "Cancelled" }];
  await shop.forno.call("PATCH", `/api/orders/${id}`, { token, body });
  await board.press("u");
  await board.run("letGo()");
  await board.until(`document.querySelectorAll("#notices div").length === 2`);
  assert.equal(await board.run(`return ${undos}`), 1, "the other one can still be undone");
  assert.equal(await shop.statusOf("first"), "Preparing");
  await board.press("u");
  await board.until(cardIn("Pending", "first"));
});

test("a tap on what a move has made is not lost while the move is under way", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  // The event tells of the move before its own answer does.
  await board.run(`const real = fetch;
    window.fetch = async (path, request) => {
      const answer = await real(path, request);
      if (request.method === "PATCH" && !window.letGo) {
        await new Promise((resolve) => { window.letGo = resolve; });
      }
      return answer;
    };`);
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  await board.tap(`Ready ${id}`);
  await board.run("letGo()");
  await board.until(moved(id, "Ready"));
  assert.equal(await shop.statusOf(id), "Ready");
});

test("Enter after Enter works off a column: the focus goes to the next card", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  await shop.place({ id: "BBB222" });
  const board = await shop.board();
  await board.run(`document.querySelector('${card} .main').focus();`);
  await board.press(keys.enter);
  await board.until(`document.activeElement.closest(".card")?.matches('${cardOf("BBB222")}')`);
  await board.press(keys.enter);
  await board.until(cardIn("Preparing", "BBB222"));
  assert.match(await board.run("return document.activeElement.textContent"), /^Pending/);
});

test("the chime repeats while an order is Pending, and its switch silences it", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.browser.open("about:blank");
  // Counts the bell's strokes, and lets its seconds pass as milliseconds.
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.strokes = 0;
      const [start, every] = [OscillatorNode.prototype.start, setInterval];
      OscillatorNode.prototype.start = function (at) { window.strokes += 1; start.call(this, at); };
      window.setInterval = (act, ms) => every(act, ms === 8000 ? 20 : ms);`,
  });
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  const asksForATap = `return document.querySelector("#tap-for-sound").checkVisibility()`;
  const setChime = async (): Promise<void> => {
    await board.tap("Settings");
    await board.click("#chime");
    await board.tap("Done");
  };
  await board.until(`document.querySelector(".amount").textContent === "0"`);
  assert.equal(await board.run(asksForATap), true);
  await board.click("h1");
  await board.until(`!document.querySelector("#tap-for-sound").checkVisibility()`);
  assert.equal(await board.run("return strokes"), 0);
  await shop.place();
  await board.until("strokes > 6");
  await setChime();
  const strokes = await board.run<number>("return strokes");
  await setChime();
  await board.until(`strokes > ${strokes}`);
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  const quiet = await board.run<number>("return strokes");
  await board.run("return new Promise((resolve) => setInterval(resolve, 8000))");
  assert.equal(await board.run("return strokes"), quiet);
  assert.deepEqual(await board.complaints(), []);
});

test("Enter that is held moves one order, not the next ones too", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  for (const each of [id, "BBB222", "CCC333"]) await shop.place({ id: each });
  const board = await shop.board();
  await board.until(cardIn("Pending", "CCC333"));
  await board.run(`document.querySelector('${card} .main').focus();`);
  const press = (type: string, autoRepeat: boolean) => board.devtools("Input.dispatchKeyEvent", {
    type, autoRepeat, key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r",
  });
  await press("keyDown", false);
  await board.until(cardIn("Preparing", id));
  for (let times = 0; times < 5; times += 1) await press("keyDown", true);
  await press("keyUp", false);
  // A press of its own is one again.
  await press("keyDown", false);
  await press("keyUp", false);
  await board.until(cardIn("Preparing", "BBB222"));
  assert.equal(await shop.statusOf("CCC333"), "Pending");
});

test("the screen stays awake, also after another page was in front, and it installs", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.browser.open("about:blank");
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.locks = [];
      const wakeLock = { request: async (kind) => { window.locks.push(kind); } };
      Object.defineProperty(navigator, "wakeLock", { value: wakeLock });`,
  });
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  await board.until(`window.locks.join() === "screen"`);
  await board.run(`document.dispatchEvent(new Event("visibilitychange"))`);
  assert.deepEqual(await board.run("return locks"), ["screen", "screen"]);
  const { data, errors } = await board.devtools<{ data: string; errors: unknown[] }>(
    "Page.getAppManifest",
  );
  assert.deepEqual(errors, []);
  const { start_url: start, icons: [{ src }] } = JSON.parse(data);
  const at = await board.run<string>(`return document.querySelector("[rel=manifest]").href`);
  assert.equal(new URL(start, at).href, `${shop.forno.origin}/board`);
  assert.equal((await fetch(new URL(src, at))).status, 200);
});

test("in a page from right to left the arrows choose the column that they point to", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.browser.open("about:blank");
  await board.devtools("Network.enable");
  await board.devtools("Network.setExtraHTTPHeaders", { headers: { "Accept-Language": "ar" } });
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  await board.until(`document.querySelector(".card")`);
  const [first, second] = await board.run<number[]>(`return [
    ...document.querySelectorAll("h2 button")].map((one) => one.getBoundingClientRect().x)`);
  assert.ok((first ?? 0) > (second ?? 0), "the first column is on the right");
  await board.press(keys.left);
  assert.equal(await board.run("return document.activeElement.getBoundingClientRect().x"), second);
});
