/** The staff's board in a real browser (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnForno } from "../helpers/forno.ts";
import { cardIn, cardOf, holdBack, openShop, shopOf } from "./shop.ts";
import { findBrowser, keys, type Window } from "./webdriver.ts";

const id = "AAA111";
const card = cardOf(id);

/** Opens the card's other ways and takes the one of that name. */
async function takeWay(board: Window, label: string): Promise<void> {
  await board.click(`${card} summary`);
  await board.run(`[...document.querySelectorAll('${card} button')]
    .find((one) => one.textContent.startsWith(arguments[0])).click();`, label);
}

test("a card holds all of the order by name, and what is to be made is counted", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  await shop.place({ id: "BBB222" });
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  assert.deepEqual(await board.run(`return [...document.querySelectorAll('${card} ul li')]
    .map((one) => one.textContent)`), ["Large", "Mushrooms", "2× Mozzarella", "Chinotto"]);
  const counted = `[...document.querySelectorAll("#to-make li")].map((one) => one.textContent)`;
  assert.deepEqual(await board.run(`return ${counted}`),
    ["2× Large", "4× Mozzarella", "2× Mushrooms", "2× Chinotto"]);
  assert.match(await board.run("return document.title"), /^\(2\)/);
});

test("one tap moves an order on and undo takes it back", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await board.click(`${card} .main`);
  await board.until(cardIn("Preparing", id));
  assert.equal(await shop.statusOf(id), "Preparing");
  await board.click("#notices .undo");
  await board.until(cardIn("Pending", id));
  assert.equal(await shop.statusOf(id), "Pending");
  assert.deepEqual(await board.complaints(), []);
});

test("an order can be cancelled, moved back, and fetched from the closed ones", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await takeWay(board, "Cancel order");
  await board.until(`!document.querySelector('${card}')`);
  assert.equal(await shop.statusOf(id), "Cancelled");
  await board.click("#notices .undo");
  await board.until(cardIn("Pending", id));
  await board.click(`${card} .main`);
  await board.until(cardIn("Preparing", id));
  await takeWay(board, "Back to Pending");
  await board.until(cardIn("Pending", id));
  await takeWay(board, "Cancel order");
  await board.until(`!document.querySelector('${card}')`);
  await board.click("#show-closed");
  await board.click("#closed-list button");
  await board.click("#show-orders");
  await board.until(cardIn("Pending", id));
  assert.equal(await shop.statusOf(id), "Pending");
});

test("of the closed orders the one that was closed last comes first", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const { staff: token } = shop.forno;
  const status = "Delivered";
  const closed = { pizzaSize: { id: "grande" }, toppings: [], beverages: [], status };
  await Promise.all(Array.from({ length: 31 }, () =>
    shop.forno.call("POST", "/api/orders", { token, body: closed })));
  await shop.forno.call("PATCH", `/api/orders/${id}`, { token, body: { status: "Cancelled" } });
  const board = await shop.board();
  await board.click("#show-closed");
  await board.until(`document.querySelector("#closed-list b")?.textContent === "${id}"`);
  assert.equal(await board.run(`return document.querySelectorAll("#closed-list li").length`), 30);
});

test("a double click on Save adds one item", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  await board.click("#show-menu");
  await board.click("#menu section:nth-child(3) > button");
  await board.type("#item-fields input[type=text]", "Spuma");
  await board.doubleClick("#item-save");
  await board.until(`!document.querySelector("#item-dialog").open`);
  await board.until(`document.querySelector("#menu").textContent.includes("Spuma")`);
  const { json } = await shop.forno.call("GET", "/api/beverages?name=Spuma");
  assert.equal(json.length, 1);
});

test("of two tablets on one order the slower changes nothing and sees the newer", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  // The other tablet's tap lands between this one's tap and its write.
  await board.run(`
    const real = fetch;
    window.fetch = async (path, request) => {
      if (request.method !== "PATCH" || window.overtaken) return real(path, request);
      window.overtaken = true;
      const headers = { authorization: request.headers.get("authorization") };
      await real(path, { method: "PATCH", headers, body: '{"status":"Out for Delivery"}' });
      return real(path, request);
    };`);
  await board.click(`${card} .main`);
  await board.until(cardIn("Out for Delivery", id));
  await board.until(`document.querySelector("#notices").textContent.includes("another screen")`);
  assert.equal(await shop.statusOf(id), "Out for Delivery");
  assert.deepEqual(await board.complaints(/ 412 /), []);
});

test("a list that arrives late takes no newer order away", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  // The first list that the page asks for is held back, and asked for once more when the stream
  // opens.
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `${holdBack("api/orders?embed")}
      const held = fetch;
      window.fetch = async (path, request) => {
        if (path === "api/events") await isHeld;
        return held(path, request);
      };`,
  });
  await board.reload();
  await board.until("window.letGo");
  await shop.place();
  await board.until(cardIn("Pending", id));
  await board.run("window.letGo()");
  await board.until("window.isTaken");
  assert.ok(await board.run(`return ${cardIn("Pending", id)} !== null`));
});

test("of two taps on one spot the second moves nothing; elsewhere, or by key, it does", async (t) => {
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
  await board.until(cardIn("Preparing", "first"));
  assert.equal(await shop.statusOf(id), "Pending");
  await clickBoth(1, [200, 300]);
  await board.until(cardIn("Preparing", id));
  await board.until(cardIn("Ready", "first"));
  await clickBoth(0, [300, 300]);
  await board.until(cardIn("Ready", id));
  await board.until(cardIn("Out for Delivery", "first"));
});

test("when the sign-in ends nothing old is shown as if it were live", async (t) => {
  const shop = await openShop(t, { ORDER_READS: "own" });
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  await board.run(`
    const real = fetch;
    window.fetch = (path, request) => {
      if (!path.startsWith("api/orders/")) return real(path, request);
      window.fetch = real;
      return Promise.resolve(new Response("{}", { status: 401 }));
    };`);
  await board.click(`${card} .main`);
  await board.until(`!document.querySelector('${card}')`);
  await board.until(`document.querySelector("#access").hidden === false`);
});

test("what one tablet does shows on the other", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const [one, other] = await Promise.all([shop.board(), shop.board()]);
  await other.until(cardIn("Pending", id));
  await one.click(`${card} .main`);
  await other.until(cardIn("Preparing", id));
  await other.click(`${card} .main`);
  await one.until(cardIn("Ready", id));
});

test("number keys move orders on, arrows change the column, U undoes", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place({ id: "first" });
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  await board.press("2");
  await board.until(cardIn("Preparing", id));
  await board.press(keys.right, "1");
  await board.until(cardIn("Ready", id));
  await board.press("u", "U");
  await board.until(cardIn("Pending", id));
  await board.press(keys.left, "2");
  await board.until(cardIn("Preparing", id));
  await board.press(keys.right);
  await board.click("#keys");
  await board.press("1");
  await board.click("#keys");
  await board.press("1");
  await board.until(cardIn("Ready", id));
  assert.equal(await shop.statusOf("first"), "Pending");
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
  assert.equal(await board.run("return document.activeElement.tagName"), "H2");
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
  await board.until(`document.querySelector("#chime-state").textContent === "on, tap once"`);
  // A click without a gesture, as a screen reader's, is only a click.
  const clickAlone = `document.querySelector("#chime").click();
    return document.querySelector("#chime-state").textContent`;
  assert.deepEqual([await board.run(clickAlone), await board.run(clickAlone)],
    ["off", "on, tap once"]);
  // The tap that it asks for does not switch it off.
  await board.click("#chime");
  await board.until(`document.querySelector("#chime-state").textContent === "on"`);
  assert.equal(await board.run("return strokes"), 0);
  await shop.place();
  await board.until("strokes > 6");
  await board.click("#chime");
  const strokes = await board.run<number>("return strokes");
  await board.click("#chime");
  await board.until(`strokes > ${strokes}`);
  await board.click(`${card} .main`);
  await board.until(cardIn("Preparing", id));
  const quiet = await board.run<number>("return strokes");
  await board.run("return new Promise((resolve) => setInterval(resolve, 8000))");
  assert.equal(await board.run("return strokes"), quiet);
  assert.deepEqual(await board.complaints(), []);
});

test("sold out deletes an item, greys it on orders, and brings it back as it was", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  const act = (label: string) => board.run(`[...document.querySelectorAll("#menu button")]
    .find((one) => one.textContent === arguments[0]).click();`, label);
  const before = (await shop.forno.call("GET", "/api/toppings/funghi")).json;
  await board.click("#show-menu");
  await act("Sold out Mushrooms");
  await board.until(`document.querySelector("#menu .gone")`);
  assert.equal((await shop.forno.call("GET", "/api/toppings/funghi")).status, 404);
  assert.match(await board.run(`return document.querySelector('${card} .off').textContent`),
    /Mushrooms.*no longer on the menu/);
  await board.reload();
  await board.click("#show-menu");
  await board.until(`document.querySelector("#menu .gone")`);
  await act("Bring back Mushrooms");
  await board.until(`!document.querySelector("#menu .gone")`);
  await board.until(`!document.querySelector('${card} .off')`);
  assert.deepEqual((await shop.forno.call("GET", "/api/toppings/funghi")).json, before);
});

test("the menu tab adds and changes items, and shows what is wrong with them", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  await board.click("#show-menu");
  await board.click("#menu section:nth-child(3) > button");
  await board.type("#item-fields label:nth-child(1) input", "Spuma");
  await board.type("#item-fields label:nth-child(3) textarea", "0.33 l\n1 l");
  await board.type("#item-fields label:nth-child(4) input", "not an id");
  await board.click("#item-save");
  await board.until(`document.querySelector("#item-faults").textContent.includes("id: ")`);
  await board.run(`document.querySelector("#item-fields label:last-child input").value = "spuma";`);
  await board.click("#item-save");
  await board.until(`!document.querySelector("dialog").open`);
  const drink = { id: "spuma", name: "Spuma", isCarbonated: false, sizeOptions: ["0.33 l", "1 l"] };
  assert.deepEqual((await shop.forno.call("GET", "/api/beverages/spuma")).json, drink);
  await board.until(`document.querySelector("#menu").textContent.includes("Spuma")`);
  await board.run(`[...document.querySelectorAll("#menu button")]
    .find((one) => one.textContent === "Change Spuma").click();`);
  await board.until(`document.querySelector("dialog").open`);
  await board.click("#item-fields label:nth-child(2) input");
  await board.click("#item-save");
  await board.until(`!document.querySelector("dialog").open`);
  assert.deepEqual((await shop.forno.call("GET", "/api/beverages/spuma")).json,
    { ...drink, isCarbonated: true });
});

test("a board not signed in shows orders, moves none, and takes a pasted link", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const { origin, staff } = shop.forno;
  const old = shop.forno.token({ role: "staff", sub: "rosa", exp: 1_700_000_000 });
  const board = await shop.browser.open(`${origin}/board#token=${old}`);
  await board.until(cardIn("Pending", id));
  await board.until(`!document.querySelector("#access").hidden`);
  assert.match(await board.text(), /node dist\/token\.js staff --link/);
  const isShown = `return document.querySelector('${card} .main').checkVisibility()`;
  assert.equal(await board.run(isShown), false);
  await board.type("#pasted", `${origin}/board#token=${staff}`);
  await board.click("#sign-in button");
  await board.click(`${card} .main`);
  await board.until(cardIn("Preparing", id));
  assert.deepEqual(await board.complaints(/ 401 /), []);
  await board.click("#sign-out");
  await board.until(`!document.querySelector("#access").hidden`);
  assert.equal(await board.run("return JSON.stringify(sessionStorage).includes('eyJ')"), false);
});

test("a server that is killed and started again is missed, and caught up with", async (t) => {
  const browser = await findBrowser(t);
  if (browser === undefined) return;
  const first = await spawnForno(t);
  const shop = shopOf(first, browser);
  await shop.place();
  const [board, page] = await Promise.all([
    shop.board(), browser.open(`${first.origin}/?order=${id}#token=${first.customer}`),
  ]);
  await page.until(`document.querySelector("#steps .now")`);
  first.child.kill("SIGKILL");
  for (const window of [board, page]) {
    await window.until(`!document.querySelector("#offline").hidden`);
    await window.until(`/update [1-9]\\d* s/.test(document.querySelector("#offline").innerText)`);
  }
  const env = { PORT: String(first.port), TOKEN_SECRET: first.secret };
  const second = await spawnForno(t, { dataDir: first.dataDir, env });
  const [token, body] = [second.staff, { status: "Ready" }];
  await second.call("PATCH", `/api/orders/${id}`, { token, body });
  await board.until(cardIn("Ready", id));
  await page.until(`document.querySelector("#steps .now").textContent === "Ready"`);
  for (const window of [board, page]) {
    await window.until(`document.querySelector("#offline").hidden`);
    assert.deepEqual(await window.complaints(/net::ERR_/), []);
  }
});

test("a server that answers no more is missed within ten seconds", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  shop.forno.child.kill("SIGSTOP");
  t.after(() => shop.forno.child.kill("SIGCONT"));
  await board.run("window.since = performance.now();");
  await board.until(`!document.querySelector("#offline").hidden`);
  assert.ok(await board.run<number>("return performance.now() - since") < 10_000);
  shop.forno.child.kill("SIGCONT");
  await board.until(`document.querySelector("#offline").hidden`);
});

test("a card is coloured by its age", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.browser.open("about:blank");
  // Lets minutes pass at will; without the Date field the page goes by its own clock.
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.minutes = 0;
      const [now, every, get] = [Date.now, setInterval, Headers.prototype.get];
      Date.now = () => now() + window.minutes * 60_000;
      window.setInterval = (act, ms) => every(act, ms === 5000 ? 20 : ms);
      Headers.prototype.get = function (name) {
        return name === "date" ? null : get.call(this, name);
      };`,
  });
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  for (const [minutes, look] of [[9, "card"], [11, "card slow"], [25, "card slow late"]] as const) {
    await board.run(`window.minutes = ${minutes};`);
    await board.until(`document.querySelector('${card}')?.className === "${look}"`);
    assert.match(await board.run(`return document.querySelector('${card} .age').textContent`),
      new RegExp(`^${minutes} min`));
  }
});

test("with 300 open orders an update touches only its own card", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await Promise.all(Array.from({ length: 300 }, (_, index) => shop.place({ id: `order${index}` })));
  const board = await shop.board();
  await board.until(`document.querySelectorAll(".card").length === 300`);
  await board.run(`window.touched = new Set();
    new MutationObserver((records) => records.forEach(({ target, addedNodes, removedNodes }) =>
      [target, ...addedNodes, ...removedNodes].forEach((node) => {
        const element = node instanceof Element ? node : node.parentElement;
        const key = element?.closest(".card")?.dataset.key;
        if (key) window.touched.add(key.split(" ")[1]);
      }))).observe(document.body, { childList: true, subtree: true, characterData: true });`);
  const [token, body] = [shop.forno.staff, { status: "Ready" }];
  await shop.forno.call("PATCH", "/api/orders/order7", { token, body });
  await board.until(cardIn("Ready", "order7"));
  assert.deepEqual(await board.run("return [...touched]"), ["order7"]);
});
