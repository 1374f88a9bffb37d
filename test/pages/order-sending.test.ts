/** An order is placed whole and once, or not at all and said so, whatever happens (part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnForno } from "../helpers/forno.ts";
import { deaf, findBrowser, hasty, type Window } from "./browser.ts";
import {
  choose, choosePizzas, chosen, holdings, holdUp, message, numberOf, orders, placedNumber,
  setOffline, topping,
} from "./customer.ts";
import { held, shopTest, type Shop, shopOf } from "./shop.ts";

const three = ["Mushrooms", "Basil", "Anchovies"];

/** The page shows each pizza under that number, and each is there once, the first with drinks. */
async function arePlaced(
  shop: Shop, page: Window, number: string, toppings = three,
): Promise<void> {
  await page.is(`$(".tracker-number")?.textContent`, number);
  await areStored(shop, number, toppings);
}

async function areStored(shop: Shop, number: string, toppings = three): Promise<void> {
  assert.deepEqual(await holdings(shop), toppings.map((name, index) =>
    [name, ...index === 0 ? ["Still water", "Sparkling water"] : []]));
  const placed = await orders(shop);
  const [first = ""] = placed.map(({ id }) => id.slice(0, -1));
  // More than 80 random bits: nobody else has such an id.
  assert.match(first, /^[A-Z][A-Z1-9]{17}-$/);
  assert.deepEqual(placed.map(({ id, group }) => [id, group]),
    toppings.map((_, index) => [`${first}${index + 1}`, number]));
}

const lost = `throw new TypeError("lost on the way");`;
const stored = `const answer = await send();
  ${held}
  return answer;`;
const noticed = `window.told = [];
  new MutationObserver(() => window.told.push(...${holdUp}))
    .observe(document.body, { childList: true, characterData: true, subtree: true });`;

for (const [what, act, told] of [
  ["is lost on the way there", `if (count === 1) ${lost}`, "The shop doesn’t answer."],
  ["is stored, and its answer is lost", `if (count === 1) { await send(); ${lost} }`,
    "The shop doesn’t answer."],
  ["is answered by the network's own page",
    `if (count === 1) return new Response("<h1>Sign in to the network</h1>");`,
    "The shop doesn’t answer."],
  ["is answered with another shape", `if (count === 1) { await send();
    return new Response("{}", { status: 201 }); }`, "The shop doesn’t answer."],
  ["is answered with none of it", `if (count === 1) { await send();
    return new Response("[]", { status: 201 }); }`, "The shop doesn’t answer."],
  ["comes too often", `if (count === 1) return new Response("{}", { status: 429 });`,
    "The shop is busy."],
  ["cannot be saved", `if (count < 3) return new Response("{}", { status: 503 });`,
    "The shop can’t save anything right now."],
] as const) {
  shopTest(`an order that ${what} is there whole and once`, async (shop) => {
    const page = await shop.orderPage({ before: `${deaf} ${hasty}` });
    await page.intercept("POST", act);
    const number = await choosePizzas(page, ...three);
    await page.run(noticed);
    await page.tap("Place order");
    await arePlaced(shop, page, number);
    for (const text of [told, "Don’t send"]) {
      await page.is(`told.includes(${JSON.stringify(text)})`, true, text);
    }
  });
}

test("an order is there whole and once, though the server is killed before it answers",
  async (t) => {
    const browser = findBrowser(t);
    if (browser === undefined) return;
    let server = await spawnForno(t);
    const page = await shopOf(server, browser).orderPage({ before: `${deaf} ${hasty}` });
    const number = await choosePizzas(page, ...three);
    await page.intercept("POST", `if (count === 1) { await send(); ${held} ${lost} }`);
    await page.tap("Place order");
    await page.until("window.letGo");
    await server.end("SIGKILL");
    const env = { PORT: String(server.port) };
    server = await spawnForno(t, { dataDir: server.dataDir, env });
    await page.run("letGo()");
    await arePlaced(shopOf(server, browser), page, number);
  });

/** For `before`: a page's waits of such lengths are over at once, and are written down. */
const noted = `{
  const [wait, lengths] = [setTimeout, [1000, 2000, 4000, 8000, 15_000]];
  window.waits = [];
  window.setTimeout = (act, ms, ...more) => {
    const isNoted = lengths.includes(ms);
    if (isNoted) waits.push(ms / 1000);
    return wait(act, isNoted ? 0 : ms, ...more);
  };
}`;

shopTest("a shop that cannot save is asked again after pauses that grow", async (shop) => {
  const page = await shop.orderPage({ before: noted });
  await choosePizzas(page, "Basil");
  await page.intercept("POST", `if (count === 1) waits.splice(0);
    return count < 8 ? new Response("{}", { status: 503 }) : undefined;`);
  await page.tap("Place order");
  await placedNumber(page);
  // After two seconds without an answer the page says so, at each try.
  const pauses = [1, 2, 4, 8, 15, 15, 15];
  await page.is("waits.slice(0, 14)", pauses.flatMap((pause) => [pause, 2]));
});

shopTest("a page that is closed before it is answered asks the shop whether it has the order",
  async (shop) => {
    const page = await shop.orderPage({ before: deaf });
    const number = await choosePizzas(page, ...three);
    await page.intercept("POST", held);
    await page.tap("Place order");
    await page.until("window.letGo");
    await page.reload();
    await page.says("Your order was not sent.");
    await page.intercept("POST", `await send(); ${held}`);
    await page.tap("Place order");
    await page.until("window.letGo");
    await page.reload();
    await arePlaced(shop, page, number);
  });

shopTest("a guest whose page is closed before the order went out reads that it was not sent",
  { GUEST_ORDERS: "on", ORDER_READS: "own" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin);
    await choose(page, "Basil");
    await page.intercept("POST api/tokens", held);
    await page.tap("Place order");
    await page.until("window.letGo");
    await page.reload();
    await page.says("Your order was not sent.");
    await page.is(chosen, ["Large | Basil | 1"]);
  });

/** For `before`: once the page is loaded anew, nothing that it reads is answered. */
const unread = `{
  const real = fetch;
  window.fetch = (path, request) => sessionStorage.getItem("isUnread")
    && (request?.method ?? "GET") === "GET" && path.startsWith("api")
    ? new Promise(() => {}) : real(path, request);
}`;

shopTest("a guest's page that could not read the menu yet sends an order again, and keeps it",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin, { before: unread });
    await choose(page, "Basil");
    await page.intercept("POST api/tokens", held);
    await page.tap("Place order");
    await page.until("window.letGo");
    await page.run(`sessionStorage.setItem("isUnread", "yes")`);
    await page.reload();
    await page.intercept("POST api/tokens",
      `if (count === 1) return new Response("{}", { status: 403 });`);
    await page.tap("Send again");
    await page.is(`$(".sending")`, null);
    await page.run("sessionStorage.clear()");
    await page.reload();
    await page.is(chosen, ["Large | Basil | 1"], "refused, it is kept");
    await page.intercept("POST api/tokens", held);
    await page.tap("Place order");
    await page.until("window.letGo");
    await page.run(`sessionStorage.setItem("isUnread", "yes")`);
    await page.reload();
    await page.tap("Send again");
    await placedNumber(page);
    assert.deepEqual(await holdings(shop), [["Basil"]]);
  });

shopTest("until the shop has told, an order in doubt is shown, and nothing else is chosen",
  async (shop) => {
    const page = await shop.orderPage({ before: deaf });
    await choosePizzas(page, ...three);
    await page.intercept("POST", `if (count === 1) ${held}`);
    await page.tap("Place order");
    await page.until("window.letGo");
    await page.intercept("GET api/orders", lost);
    await page.tap("Don’t send");
    await page.says("Has your order arrived?", "The shop doesn’t answer.", "Mushrooms");
    await page.is(`$(".menu").inert`, true);
    await page.tap("Start over");
    await page.says("It may arrive twice.");
    await page.tap("Keep it");
    await page.tap("Send again");
    await placedNumber(page);
    assert.equal((await orders(shop)).length, 3);
  });

shopTest("what sells out under way is told, nothing is placed, and the rest is kept",
  async (shop) => {
    const page = await shop.orderPage({ before: deaf });
    const number = await choosePizzas(page, ...three);
    await page.intercept("POST", `if (count === 1) ${held}`);
    await page.tap("Place order");
    await page.until("window.letGo");
    await shop.change({ soldOut: { toppings: ["basilico"] } });
    await page.run("letGo()");
    await page.says("Just sold out", "Basil", "Take off Basil");
    assert.deepEqual(await orders(shop), []);
    await page.tap("Take off Basil");
    await page.tap("Place order");
    await page.says("Large: without any topping?");
    await page.tap("Change");
    const rocket = `$$("#chosen .tiles .tile-button")
      .find((one) => one.textContent.includes("Rocket"))`;
    await page.until(rocket);
    await page.run(`${rocket}.click()`);
    await page.tap("Place order");
    await arePlaced(shop, page, number, ["Mushrooms", "Rocket", "Anchovies"]);
  });

shopTest("refused while an earlier try is unanswered, an order is in doubt until the shop tells",
  async (shop) => {
    const page = await shop.orderPage({ before: `${deaf} ${hasty}` });
    await choosePizzas(page, "Basil");
    await page.intercept("POST", `if (count === 1) ${lost}`);
    await page.intercept("GET api/orders", `if (!window.isHeard) ${lost}`);
    await shop.change({ isOpen: false });
    await page.tap("Place order");
    await page.says("Has your order arrived?");
    await page.run("window.isHeard = true");
    await page.tap("Ask the shop");
    await page.is(message, "Your order was not sent.\nClosed right now");
    assert.deepEqual(await orders(shop), []);
  });

shopTest("an order that was not sent can be taken back and changed", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", `if (count === 1) ${lost}`);
  await choose(page, "Basil");
  await page.tap("Place order");
  await page.tap("Don’t send");
  await page.is(message, "Your order was not sent.");
  await page.run(`$("#chosen .row-links button").click()`);
  await page.run(`${topping("Rocket")}.click();`);
  await page.tap("Place order");
  await placedNumber(page);
  assert.deepEqual(await holdings(shop), [["Basil", "Rocket"]]);
});

/** The ways in which the page learns that an order arrived, once it was stopped. */
for (const [how, before] of [
  ["an event", ""], ["the answer", deaf], ["a second press", deaf],
] as const) {
  shopTest(`an order that arrived though it was stopped counts, as told by ${how}`,
    async (shop) => {
      const page = await shop.orderPage({ before: `${before} ${hasty}` });
      await page.intercept("POST", `if (count > 1) return;
        ${held}
        const answer = await send();
        window.hasArrived = true;
        if (${how !== "the answer"}) ${lost}
        return answer;`);
      const number = await choosePizzas(page, ...three);
      await page.tap("Place order");
      await page.until("window.letGo");
      await page.tap("Don’t send");
      await page.is(message, "Your order was not sent.");
      // A pizza that is added since then is none of that order.
      await page.tap("Another pizza");
      await choose(page, "Rocket");
      await page.run("letGo()");
      if (how === "a second press") {
        await page.until("window.hasArrived");
        await page.tap("Place order");
      }
      await page.says(`Your order ${number} has arrived. What you chose since then is still here.`);
      await page.is(chosen, ["Large | Rocket | 1"]);
      assert.notEqual(await numberOf(page), number);
      assert.equal((await orders(shop)).length, 3);
    });
}

shopTest("nothing is sent of an order that is called off before a guest has signed in",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin, { before: hasty });
    await page.intercept("POST api/tokens", held);
    await choose(page, "Basil");
    await page.tap("Place order");
    await page.until("window.letGo");
    await page.tap("Don’t send");
    await page.run("letGo()");
    await page.until(`localStorage.getItem("/token")`);
    await page.is(message, "Stopped. Your order is kept.");
    // The stream opens anew for the guest: whatever was to be sent would have been.
    await shop.change({ notice: "Hello" });
    await page.says("Hello");
    assert.deepEqual(await orders(shop), []);
  });

shopTest("whatever stops an order lies nowhere near the place of Place order", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", lost);
  await choosePizzas(page, ...three);
  for (const [width, height, size] of [[390, 844, "200%"], [1280, 640, "100%"]] as const) {
    await page.resize(width, height, size);
    await page.run(`window.was = boxOf("#place");`);
    await page.click("#place");
    await page.until(`$(".waits")`);
    assert.ok(await page.run(`const stop = boxOf("#stop");
      return stop.bottom <= was.top || stop.top >= was.bottom
        || stop.right <= was.left || stop.left >= was.right;`), `${width} × ${height}, ${size}`);
    await page.click("#stop");
    await page.until(`$("#place")`);
  }
});

shopTest("when the network goes, the order waits for it, and a success ends the word of it",
  async (shop) => {
    const page = await shop.orderPage({ width: 390, height: 844, before: hasty });
    const number = await choosePizzas(page, ...three);
    await page.intercept("POST", `if (count === 1) ${held}`);
    await page.tap("Place order");
    await page.is(holdUp, ["No answer from the shop yet.", "Don’t send"]);
    await setOffline(page, true);
    await page.is(holdUp, ["You’re offline.", "Don’t send"]);
    await page.run("letGo()");
    await setOffline(page, false);
    await arePlaced(shop, page, number);
    await page.is(`document.body.innerText.includes("offline")`, false);
  });

/** How far the order of one tab is when another one sends it, too; and who may read orders. */
const stages = [
  ["both ask for a sign-in at once", "own", "POST api/tokens", held],
  ["its request is under way", "own", "POST api/orders", held],
  ["it is stored and not answered", "own", "POST api/orders", stored],
  ["it is stored and not answered", "public", "POST api/orders", stored],
  ["it was lost", "own", "POST api/orders", `if (count === 1) { ${held} ${lost} }`],
] as const;

for (const [stage, reads, piece, act] of stages) {
  shopTest(`two tabs make one order, with ORDER_READS=${reads}: ${stage}`,
    { GUEST_ORDERS: "on", ORDER_READS: reads }, async (shop) => {
      const before = `${deaf} ${hasty}`;
      const page = await shop.browser.open(shop.forno.origin, { before });
      const number = await choosePizzas(page, ...three);
      const tab = await shop.browser.open(shop.forno.origin, { before, beside: page });
      await tab.until(topping("Basil"));
      // The tracker, or the menu that the other tab has begun anew.
      const isTold = `$(".tracker-number, .own-orders")?.textContent.includes("${number}")`;
      const again = `seen("button").find((one) => one.textContent === "Send again")`;
      await page.intercept(piece, act);
      const asksBoth = piece === "POST api/tokens";
      if (asksBoth) await tab.intercept(piece, act);
      await page.tap("Place order");
      await page.until("window.letGo");
      // A tab that has heard of the other's order shows it, and sends the same again, unless it
      // finds by itself that the shop has it.
      if (await tab.until(`${isTold} ? "placed" : ${again} && "in doubt"`) === "in doubt") {
        await tab.run(`${again}?.click()`);
      }
      if (asksBoth) {
        await tab.until("window.letGo");
        await tab.run("letGo()");
      }
      await tab.until(isTold);
      const token = await tab.run(`return localStorage.getItem("/token")`);
      await page.run(`const { json } = Response.prototype;
        Response.prototype.json = async function () {
          const value = await json.call(this);
          window.hasToken ||= value.token !== undefined;
          return value;
        };
        letGo();`);
      if (asksBoth) await page.until("window.hasToken");
      await page.is(`localStorage.getItem("/token")`, token, "the first one counts");
      await page.until(isTold);
      await areStored(shop, number);
      await page.is(`document.body.innerText.includes("another phone")`, false);
    });
}

shopTest("a tab that adds a pizza while another one sends keeps it for the next order",
  async (shop) => {
    const page = await shop.orderPage();
    const number = await choosePizzas(page, ...three);
    const tab = await shop.browser.open(`${shop.forno.origin}/`, { beside: page });
    await tab.until(topping("Basil"));
    await page.intercept("POST", held);
    await page.tap("Place order");
    await page.until("window.letGo");
    await tab.until(`$(".menu").inert`);
    // As if that tab had been a moment quicker.
    await tab.run(`const basket = JSON.parse(localStorage.getItem("/basket"));
      basket.rows.push({ ...basket.rows[0], key: "ADDED1", note: "late" });
      localStorage.setItem("/basket", JSON.stringify(basket));`);
    await page.until(`localStorage.getItem("/basket").includes("ADDED1")`);
    // It would hear of the order, and does not know itself what was added behind its back.
    await tab.go("about:blank");
    await page.run("letGo()");
    await page.says(`Your order ${number} has arrived. What you chose since then is still here.`);
    await page.is(chosen, ["Large | late | Mushrooms | 1"]);
  });
