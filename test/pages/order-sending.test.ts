/** Each pizza is an order of its own, placed exactly once, whatever happens (contract part 7). */

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
const five = [...three, "Rocket", "Gorgonzola"];

/** The page shows each pizza under that number, and each is there once, the first with drinks. */
async function arePlaced(
  shop: Shop, page: Window, number: string, toppings = three,
): Promise<void> {
  await page.is(`[$(".number").textContent, ...texts(".pizza-row h2 + p")]`, [number, ...toppings]);
  assert.deepEqual(await holdings(shop), toppings.map((name, index) =>
    [name, ...index === 0 ? ["Still water", "Sparkling water"] : []]));
  for (const { id, group } of await orders(shop)) assert.match(`${id}${group}`, /^([A-Z].{5}){2}$/);
}

shopTest("each of five pizzas is there once, though each answer is lost", async (shop) => {
  const page = await shop.orderPage({ before: `${deaf} ${hasty}` });
  // Each is sent twice: what a proxy or the network answers first has arrived, or has not.
  await page.intercept("POST", `if (count % 2 === 0) return;
    if (count === 5) return new Response("<h1>Sign in to the network</h1>");
    if (count === 7) return new Response("{}", { status: 429, headers: { "retry-after": "1" } });
    await send();
    throw new TypeError("lost on the way");`);
  const number = await choosePizzas(page, ...five);
  await page.run(`window.told = [];
    new MutationObserver(() => window.told.push(...${holdUp}))
      .observe(document.body, { childList: true, characterData: true, subtree: true });`);
  await page.click("#place");
  await arePlaced(shop, page, number, five);
  for (const text of [
    "The shop doesn’t answer.", "Don’t send", "The shop is busy.", "Keep the other one for later",
  ]) await page.is(`told.includes(${JSON.stringify(text)})`, true, text);
});

shopTest("each of three pizzas is there once, though the page is closed at each", async (shop) => {
  const page = await shop.orderPage({ before: deaf });
  const number = await choosePizzas(page, ...three);
  for (const [index] of three.entries()) {
    await page.intercept("POST", `await send();
      ${held}`);
    await page.click("#place");
    await page.until("window.letGo");
    await page.reload();
    if (index < 2) {
      await page.is(message,
        ["One is placed, 2 are not sent yet.", "2 are placed, one is not sent yet."][index]);
      await page.is(`$$("#chosen section").length`, 2 - index);
    }
  }
  await arePlaced(shop, page, number);
});

test("each of three pizzas is there once, though the server is killed at two", async (t) => {
  const browser = findBrowser(t);
  if (browser === undefined) return;
  let server = await spawnForno(t);
  const page = await shopOf(server, browser).orderPage({ before: `${deaf} ${hasty}` });
  const number = await choosePizzas(page, ...three);
  // The second has arrived before, and the first has not.
  await page.intercept("POST", `const { id } = JSON.parse(request.body);
    window.ids ??= [];
    if (ids.includes(id) || ids.push(id) > 2) return;
    if (ids.length === 2) await send();
    ${held}
    throw new TypeError("lost on the way");`);
  await page.click("#place");
  for (const count of [1, 2]) {
    await page.until("window.letGo && ids.length === arguments[0]", count);
    await server.end("SIGKILL");
    const env = { PORT: String(server.port) };
    server = await spawnForno(t, { dataDir: server.dataDir, env });
    await page.run("const goOn = letGo; delete window.letGo; goOn();");
  }
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
  await page.click("#place");
  await placedNumber(page);
  // After two seconds without an answer the page says so, at each try.
  const pauses = [1, 2, 4, 8, 15, 15, 15];
  await page.is("waits.slice(0, 14)", pauses.flatMap((pause) => [pause, 2]));
});

shopTest("what sells out between two of the orders is told, and the rest follows", async (shop) => {
  const page = await shop.orderPage({ before: deaf });
  const number = await choosePizzas(page, ...three);
  // The page hears of it only with the refusal.
  await page.intercept("POST", `const answer = await send();
    if (count === 1) ${held}
    return answer;`);
  await page.click("#place");
  await page.until("window.letGo");
  await shop.change({ soldOut: { toppings: ["basilico"] } });
  await page.run("letGo()");
  await page.is(message, "One is placed, the rest is kept.");
  assert.match(await page.text(), /Just sold out\n+Basil\n+Remove/);
  assert.equal((await orders(shop)).length, 1);
  await page.until(`$(".visits").textContent.includes("${number}")`);
  await page.tap("Remove");
  await page.click(".pizzas li:first-child button");
  await page.run(`${topping("Rocket")}.click()`);
  await page.click("#place");
  await arePlaced(shop, page, number, ["Mushrooms", "Rocket", "Anchovies"]);
});

shopTest("an order without an answer can be taken back and changed", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", `if (count === 1) throw new TypeError("lost on the way");`);
  await choose(page, "Basil");
  await page.tap("Place order");
  await page.says("0 of 1 placed", "Keep this page open.");
  await page.tap("Don’t send");
  await page.is(message, "Stopped. Your order is kept.\n"
    + "Should it have arrived after all, this page says so.");
  await page.run(`${topping("Rocket")}.click();`);
  await page.click("#place");
  await placedNumber(page);
  assert.deepEqual(await holdings(shop), [["Basil", "Rocket"]]);
});

/** The ways in which the page learns that an order arrived, once it was stopped. */
for (const [how, before, goOn] of [
  ["an event", "", ""],
  ["the answer", deaf, "letGo();"],
  ["a second press", deaf, `${topping("Rocket")}.click();`],
] as const) {
  shopTest(`an order that arrived though it was stopped counts, as told by ${how}`,
    async (shop) => {
      const page = await shop.orderPage({ before: `${before} ${hasty}` });
      await page.intercept("POST", `if (count > 1) return;
        ${held}
        const answer = await send();
        window.hasArrived = true;
        if (${how !== "the answer"}) throw new TypeError("lost on the way");
        return answer;`);
      await choose(page, "Basil");
      await page.click("#place");
      await page.until("window.letGo");
      await page.tap("Don’t send");
      await page.until(`${message}.startsWith("Stopped. Your order is kept.")`);
      if (how !== "the answer") {
        await page.run("letGo()");
        await page.until("window.hasArrived");
      }
      await page.run(goOn);
      if (how === "a second press") await page.click("#place");
      await page.says("The order that you stopped had arrived already.");
      assert.deepEqual(await holdings(shop), [["Basil"]]);
      // A change made since is not ordered: it is still there.
      if (how === "a second press") await page.is(`texts("#chosen p")`, ["Basil, Rocket"]);
      else await placedNumber(page);
    });
}

shopTest("nothing is sent of an order that is called off before a guest has signed in",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin, { before: hasty });
    await page.intercept("POST api/tokens", held);
    await choose(page, "Basil");
    await page.click("#place");
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
  await page.intercept("POST", `throw new TypeError("lost on the way");`);
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

shopTest("when the network stalls, what is not placed can be kept for later, at once",
  async (shop) => {
    const page = await shop.orderPage({ width: 390, height: 844, before: hasty });
    const number = await choosePizzas(page, ...three);
    await page.intercept("POST", `if (count === 2) ${held}`);
    await page.click("#place");
    await page.says("1 of 3 placed");
    await page.is(holdUp, ["No answer from the shop yet.", "Keep the other 2 for later"]);
    await setOffline(page, true);
    await page.is(holdUp, ["You’re offline.", "Keep the other 2 for later"]);
    await page.is(`texts(".sending li > :last-child")`, ["Placed", "No answer yet", "Waiting"]);
    await page.tap("Keep the other 2 for later");
    await page.until(`${message}.startsWith("One is placed, the rest is kept.")`);
    await page.is(chosen, ["Large | Basil | 1", "Large | Anchovies | 1"]);
    await setOffline(page, false);
    await page.click("#place");
    await arePlaced(shop, page, number);
  });

shopTest("an id that is somebody else's is left to them", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  const taken = await page.run<string>(
    `return JSON.parse(localStorage.getItem("/basket")).pizzas[0].id`);
  await shop.place(taken);
  await page.click("#place");
  await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ id }) => id === taken), [true, false]);
});

for (const [name, act] of [
  ["is ready", async (shop: Shop) => {
    const [{ id }] = await orders(shop) as [{ id: string }];
    await shop.update(id, { status: "Ready" });
  }],
  ["was placed long ago", (_: Shop, page: Window) => page.run("letPass(600_001)")],
] as const) {
  shopTest(`what is kept gets a number of its own once the first pizza ${name}`, async (shop) => {
    const page = await shop.orderPage();
    const number = await choosePizzas(page, "Basil", "Rocket");
    await page.intercept("POST", `if (count === 2) throw new TypeError("lost on the way");`);
    await page.click("#place");
    await page.tap("Keep the other one for later");
    await act(shop, page);
    if (name === "is ready") await page.is(`$(".progress")?.textContent`, "Ready");
    await page.click("#place");
    const other = await placedNumber(page);
    assert.notEqual(other, number);
    assert.deepEqual((await orders(shop)).map(({ group }) => group), [number, other]);
  });
}

shopTest("two tabs have one basket, make each of its orders once, and keep what comes next",
  async (shop) => {
    const page = await shop.orderPage();
    const tab = await shop.browser.open(`${shop.forno.origin}/`, { beside: page });
    await tab.until(topping("Basil"));
    const number = await choosePizzas(page, ...three);
    await tab.is(`${chosen}.length`, 5, "with two drinks");
    for (const one of [page, tab]) await one.intercept("POST", `if (count === 1) ${held}`);
    for (const one of [page, tab]) await one.click("#place");
    for (const one of [page, tab]) await one.until("window.letGo");
    for (const one of [page, tab]) await one.run("letGo()");
    for (const one of [page, tab]) await arePlaced(shop, one, number);
    assert.equal(await numberOf(page), await numberOf(tab));
  });
