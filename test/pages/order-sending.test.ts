/** An order is placed whole and once, or not at all and said so, whatever happens (part 7). */

import assert from "node:assert/strict";
import { deaf, hasty, type Window } from "./browser.ts";
import {
  choose, choosePizzas, chosen, holdings, holdUp, message, numberOf, orders, placedNumber,
  placeHeld, setOffline, topping,
} from "./customer.ts";
import { held, shopTest, type Shop } from "./shop.ts";

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

/** Replies that are no answer, and the words of the page about each. */
const failures = [
  [lost, "The shop doesn’t answer."],
  [`return new Response("<h1>Sign in to the network</h1>");`, "The shop doesn’t answer."],
  [`return new Response("{}", { status: 201 });`, "The shop doesn’t answer."],
  [`return new Response("[]", { status: 201 });`, "The shop doesn’t answer."],
  [`return new Response("{}", { status: 429 });`, "The shop is busy."],
  [`return new Response("{}", { status: 503 });`, "The shop can’t save anything right now."],
  [`await send(); ${lost}`, "The shop doesn’t answer."],
] as const;

shopTest("whatever comes in place of an answer, an order is sent again until it is there, and once",
  async (shop) => {
    const page = await shop.orderPage({ before: `${deaf} ${noted}` });
    await page.intercept("POST", `if (count === 1) waits.splice(0);
      said.push(${holdUp});
      ${failures.map(([act], at) => `if (count === ${at + 1}) { ${act} }`).join("\n")}`);
    await page.run("window.said = [];");
    const number = await choosePizzas(page, ...three);
    await page.tap("Place order");
    await arePlaced(shop, page, number);
    // The text in sight as the next request goes out.
    await page.is("said.slice(1)", failures.map(([, text]) => [text, "Don’t send"]));
    // After two seconds without an answer the page says so, at each try.
    const pauses = [1, 2, 4, 8, 15, 15, 15];
    await page.is("waits.slice(0, 14)", pauses.flatMap((pause) => [pause, 2]));
  });

shopTest("a page that is closed before it is answered asks the shop whether it has the order",
  async (shop) => {
    const page = await shop.orderPage({ before: deaf });
    const number = await choosePizzas(page, ...three);
    await placeHeld(page);
    await page.reload();
    await page.says("Your order was not sent.");
    await placeHeld(page, "POST", `await send(); ${held}`);
    await page.reload();
    await arePlaced(shop, page, number);
  });

/** For `before`: once the page is loaded anew, nothing that it reads is answered. */
const unread = `{
  const real = fetch;
  window.fetch = (path, request) => sessionStorage.getItem("isUnread")
    && (request?.method ?? "GET") === "GET" && path.startsWith("api")
    ? new Promise(() => {}) : real(path, request);
}`;

shopTest("a guest's page that could not read the menu yet sends an order again, and keeps it",
  { GUEST_ORDERS: "on", ORDER_READS: "own" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin, { before: unread });
    const reloadBeforeSignIn = async (): Promise<void> => {
      await placeHeld(page, "POST api/tokens");
      await page.reload();
    };
    await choose(page, "Basil");
    await reloadBeforeSignIn();
    await page.says("Your order was not sent.");
    await page.is(chosen, ["Large | Basil | 1"]);
    await page.run(`sessionStorage.setItem("isUnread", "yes")`);
    await reloadBeforeSignIn();
    await page.intercept("POST api/tokens",
      `if (count === 1) return new Response("{}", { status: 403 });`);
    await page.tap("Send again");
    await page.is(`$(".sending")`, null);
    await page.run("sessionStorage.clear()");
    await page.reload();
    await page.is(chosen, ["Large | Basil | 1"], "refused, it is kept");
    await page.run(`sessionStorage.setItem("isUnread", "yes")`);
    await reloadBeforeSignIn();
    await page.tap("Send again");
    await placedNumber(page);
    assert.deepEqual(await holdings(shop), [["Basil"]]);
  });

shopTest("until the shop has told, an order in doubt is shown, and nothing else is chosen",
  async (shop) => {
    const page = await shop.orderPage({ before: `${deaf} ${hasty}` });
    await choosePizzas(page, ...three);
    await placeHeld(page, "POST", `if (count === 1) ${held}`);
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
    await placeHeld(page, "POST", `if (count === 1) ${held}`);
    await shop.change({ soldOut: { toppings: ["basilico"] } });
    await page.run("letGo()");
    await page.says("Just sold out", "Basil", "Take off Basil");
    assert.deepEqual(await orders(shop), []);
    await page.tap("Take off Basil");
    await page.tap("Place order");
    await page.says("Large: without any topping?");
    await page.tap("Change");
    await page.tapOn(topping("Rocket", `$("#chosen")`));
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

/** The ways in which the page learns that an order arrived, once it was stopped. */
for (const how of ["the answer", "a second press"]) {
  shopTest(`an order that arrived though it was stopped counts, as told by ${how}`,
    async (shop) => {
      const page = await shop.orderPage({ before: `${deaf} ${hasty}` });
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
    await choose(page, "Basil");
    await placeHeld(page, "POST api/tokens");
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
    await page.says("It goes on by itself.");
    // Pizzas of one size differ by what is on them.
    await page.is(`texts(".sending li :is(h3, p:not(.small))")`,
      three.flatMap((name) => ["Large", name]));
    await setOffline(page, true);
    await page.is(holdUp, ["You’re offline.", "Don’t send"]);
    await page.says("It goes on by itself once you’re online.");
    await page.run("letGo()");
    await setOffline(page, false);
    await arePlaced(shop, page, number);
    await page.is(`document.body.innerText.includes("offline")`, false);
  });

/** How far the order of one tab is when another one sends it, too. */
const stages = [
  ["both ask for a sign-in at once", "POST api/tokens", held],
  ["its request is under way", "POST api/orders", held],
  ["it is stored and not answered", "POST api/orders", stored],
] as const;

for (const [stage, piece, act] of stages) {
  shopTest(`two tabs make one order: ${stage}`,
    { GUEST_ORDERS: "on", ORDER_READS: "own" }, async (shop) => {
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
    await placeHeld(page);
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
