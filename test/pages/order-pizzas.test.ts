/** Several pizzas in one go, each an order of its own, placed exactly once (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnForno } from "../helpers/forno.ts";
import { findBrowser, keys, type Window } from "./browser.ts";
import { answer, choose, note, order, orders, placedNumber, topping } from "./customer.ts";
import { shopTest, type Shop, shopOf } from "./shop.ts";

/** Three pizzas, each with a topping of its own, and two drinks. */
async function chooseThree(page: Window): Promise<void> {
  await choose(page, "Mushrooms");
  await page.click("[aria-labelledby=beverages] li:nth-child(1) .more");
  await page.click("[data-do=another]");
  await choose(page, "Basil");
  await page.click("[aria-labelledby=beverages] li:nth-child(2) .more");
  await page.click("[data-do=another]");
  await choose(page, "Anchovies");
}

/** The parts of the ticket, under the number that they have in common. */
const tickets = `[...document.querySelectorAll(".part h2")]
  .map((one) => document.querySelector(".number").textContent + " " + one.textContent)`;

/** The second order is placed, and its answer never comes. */
const secondIsStuck = `if (count === 2) {
  await send();
  await new Promise(() => { window.isStuck = true; });
}`;

/** The page's own number, before anything is sent. */
function numberOf(page: Window): Promise<string> {
  return page.run(`return JSON.parse(Object.entries(localStorage)
    .find(([name]) => name.endsWith("/basket"))[1]).number`);
}

async function holdings(shop: Shop): Promise<unknown[]> {
  return (await orders(shop)).map(({ id, toppings, beverages }) =>
    [id, ...[...toppings, ...beverages].map((one) => one.id)]);
}

function threeOf(number: string): unknown[] {
  return [
    [`${number}-1`, "funghi", "acqua", "frizzante"], [`${number}-2`, "basilico"],
    [`${number}-3`, "acciughe"],
  ];
}

shopTest("three pizzas are three orders of one number, the drinks with the first", async (shop) => {
  const page = await shop.orderPage();
  await chooseThree(page);
  const number = await numberOf(page);
  assert.match(number, /^[0-9A-HJKMNP-TV-Z]{6}$/);
  await page.click("#place");
  await page.until(`${tickets}.length === 3`);
  assert.deepEqual(await page.run(`return ${tickets}`),
    [1, 2, 3].map((at) => `${number} Pizza ${at}`));
  assert.deepEqual(await holdings(shop), threeOf(number));
  await page.reload();
  await page.until(`${tickets}.length === 3`);
  assert.deepEqual(await page.complaints(), []);
});

shopTest("each of several orders is there once, whichever answers are lost", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", `window.seen ??= new Set();
    const answer = await send();
    if (seen.has(request.body)) return answer;
    seen.add(request.body);
    throw new TypeError("lost on the way");`);
  await chooseThree(page);
  const number = await numberOf(page);
  await page.click("#place");
  await page.until(`${note}.includes("sent again by itself")`);
  assert.equal(await page.run(`return document.querySelector(".menu").inert`), true);
  await page.until(`${tickets}.length === 3`);
  assert.deepEqual(await holdings(shop), threeOf(number));
});

shopTest("a guest whose token runs out while the shop does not answer orders all the same",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open(`${shop.forno.origin}/`);
    await page.until(topping("Mushrooms"));
    await page.intercept("POST api/orders", `
      if (count === 1) throw new TypeError("lost on the way");
      if (count === 2) return new Response("{}", { status: 401 });`);
    const id = await order(page, "Mushrooms");
    assert.deepEqual((await orders(shop)).map((one: any) => one.id), [id]);
    await page.complaints(/ 401 /);
  });

shopTest("another tab goes on with what a closed one was sending, and nothing is placed twice",
  async (shop) => {
    const page = await shop.orderPage();
    await page.intercept("POST", secondIsStuck);
    await chooseThree(page);
    const number = await numberOf(page);
    await page.click("#place");
    await page.until("window.isStuck");
    const tab = await shop.browser.open(`${shop.forno.origin}/`, { beside: page });
    await tab.says("1 of 3 placed");
    assert.equal((await orders(shop)).length, 2);
    await page.devtools("Page.close");
    await tab.until(`${tickets}.length === 3`);
    assert.deepEqual(await holdings(shop), threeOf(number));
  });

shopTest("what sells out between two of the orders is told, and the rest follows", async (shop) => {
  const page = await shop.orderPage();
  await chooseThree(page);
  const number = await numberOf(page);
  // The page hears of it only with the refusal.
  await page.intercept("POST", `const answer = await send();
    if (count === 1) await new Promise((resolve) => { window.goOn = resolve; });
    return answer;`);
  await page.click("#place");
  await page.until("window.goOn");
  await shop.change({ soldOut: { toppings: ["basilico"] } });
  await page.run("window.goOn()");
  await page.until(`${note} === "One pizza is placed already."`);
  assert.match(await page.text(), /Just sold out\n+Basil, on pizza 2\n+Remove/);
  assert.equal(await page.run(`return ${topping("Basil")}.ariaDisabled`), "true");
  assert.deepEqual((await orders(shop)).map(({ id }) => id), [`${number}-1`]);
  await page.until(`document.querySelector(".visits").textContent.includes("${number}")`);
  await page.tap("Remove");
  await page.run(`${topping("Rocket")}.click()`);
  await page.click("#place");
  await page.until(`${tickets}.length === 3`);
  assert.deepEqual((await orders(shop)).map(({ id }) => id),
    [1, 2, 3].map((at) => `${number}-${at}`));
  await page.complaints(/ 409 /);
});

/** Orders a pizza with basil, whose answer is lost, and takes it back. It arrives if `isLate`. */
async function takeBack(page: Window, isLate: boolean): Promise<void> {
  await page.run("window.isDeaf = true;");
  await page.intercept("POST", `if (!isDeaf) return;
    if (${isLate}) await send();
    throw new TypeError("lost on the way");`);
  await choose(page, "Basil");
  await page.tap("Place order");
  await page.until(`document.body.innerText.includes("Sending your pizza")
    && ${note}.includes("sent again by itself")`);
  // There is nothing to skip to.
  assert.equal(await page.run(`return document.querySelector("[href='#place']")`), null);
  await page.run(`isDeaf = false; document.querySelector("[data-do=stop]").click()`);
}

shopTest("an order without an answer can be taken back and changed", async (shop) => {
  const page = await shop.orderPage();
  await takeBack(page, false);
  await page.run(`${topping("Rocket")}.click()`);
  await page.click("#place");
  await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ toppings }) => toppings),
    [[{ id: "basilico" }, { id: "rucola" }]]);
});

shopTest("an order that arrived before it was taken back counts, and is not made twice",
  async (shop) => {
    const page = await shop.orderPage();
    await page.run("window.isOff = true;");
    await page.intercept("api/orders/", `if (isOff) throw new TypeError("lost");`);
    await takeBack(page, true);
    await page.run(`${topping("Rocket")}.click()`);
    await page.run("isOff = false");
    await page.click("#place");
    await page.until(`${note} === "The order that you stopped had arrived already."`);
    assert.deepEqual((await orders(shop)).map(({ toppings }) => toppings), [[{ id: "basilico" }]]);
    await page.until(`/Your orders today\\s+\\w{6}\\s+Received/.test(document.body.innerText)`);
  });

shopTest("a number that is somebody else's is left to them", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  const number = await numberOf(page);
  await shop.place({ id: number });
  await page.click("#place");
  const own = await placedNumber(page);
  assert.notEqual(own, number);
  assert.deepEqual((await orders(shop)).map(({ id }) => id), [number, own]);
  await page.complaints(/ 409 /);
});

shopTest("a pizza without toppings is ordered only when that is meant", async (shop) => {
  const page = await shop.orderPage();
  // By key: a click on this spot would guard it for 400 ms.
  await page.run(`document.querySelector("#place").focus()`);
  await page.press(keys.enter);
  assert.equal(await page.run("return document.activeElement.name"), "size");
  await page.click(".sizes label:nth-child(2)");
  await page.run(`document.querySelector("#place").focus()`);
  await page.press(keys.enter);
  await page.until(`document.activeElement.textContent === "Choose toppings"`);
  await page.press(keys.enter);
  await page.until(`!document.querySelector("dialog")`);
  assert.deepEqual(await orders(shop), []);
  await page.click("#place");
  await answer(page, "Order it plain");
  await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ toppings }) => toppings), [[]]);
});

shopTest("a second pizza that was never begun is left out, and the button says so", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  const number = await numberOf(page);
  await page.click("[data-do=another]");
  await page.until(`document.querySelectorAll(".pizzas .pizza").length === 2`);
  assert.equal(await page.run(`return document.querySelector("#place").matches(".act")
    && document.querySelector("#place").ariaDisabled`), null);
  await page.click("#place");
  assert.equal(await placedNumber(page), number);
  assert.deepEqual(await holdings(shop), [[number, "basilico"]]);
});

shopTest("a pizza can be turned back to, removed once that is confirmed, and had twice", async (shop) => {
  const page = await shop.orderPage();
  await chooseThree(page);
  assert.deepEqual(await page.run(`return [...document.querySelectorAll("#chosen .head p")]
    .map((one) => one.textContent)`), ["Pizza 1", "Pizza 2", "pizza 3 of 3"]);
  const act = (at: number, label: string) => page.run(`[...document.querySelectorAll(
    "#chosen section")][arguments[0]].querySelectorAll("button").forEach((one) => {
      if (one.textContent.startsWith(arguments[1])) one.click();
    });`, at, label);
  await act(0, "Change");
  await page.says("pizza 1 of 3");
  await page.run(`${topping("Rocket")}.click()`);
  await act(1, "Remove");
  await answer(page, "Keep it");
  await act(1, "Remove");
  await answer(page, "Remove");
  await act(1, "Another like this");
  await page.click("#place");
  await page.until(`${tickets}.length === 3`);
  assert.deepEqual((await holdings(shop)).map((one) => (one as string[]).slice(1)),
    [["funghi", "rucola", "acqua", "frizzante"], ["acciughe"], ["acciughe"]]);
});

shopTest("a table is shown as people write it, and stands in ids before the number",
  async (shop) => {
    const page = await shop.orderPage();
    for (const [name, prefix] of [["Table 7", "table-7"], ["Zoë & José", "zoe-jose"]] as const) {
      await page.go(`${shop.forno.origin}/?for=${encodeURIComponent(name)}`);
      await page.until(topping("Basil"));
      await choose(page, "Basil");
      assert.ok((await page.text()).includes(name));
      const number = await numberOf(page);
      await page.click("#place");
      assert.equal(await placedNumber(page), number);
      assert.ok((await page.text()).includes(name));
      assert.equal(await shop.statusOf(`${prefix}-${number}`), "Pending");
      await page.tap("Order something else");
      await page.says("Your orders today");
      assert.ok((await page.text()).includes(name));
    }
  });

test("an order placed while the server is killed is there once it is back", async (t) => {
  const browser = await findBrowser(t);
  if (browser === undefined) return;
  const first = await spawnForno(t);
  const page = await shopOf(first, browser).orderPage();
  await chooseThree(page);
  const number = await numberOf(page);
  await first.end("SIGKILL");
  await page.says("The shop doesn’t answer. Your pizza is kept.");
  await page.click("#place");
  await page.until(`${note}.includes("sent again by itself")`);
  const env = { PORT: String(first.port) };
  const again = await spawnForno(t, { dataDir: first.dataDir, env });
  await page.until(`${tickets}.length === 3`);
  assert.deepEqual(await holdings(shopOf(again, browser)), threeOf(number));
  await page.complaints(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE/);
});

shopTest("an order left unanswered long ago is sent only when it is wanted still", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", `window.isLost = true;
    throw new TypeError("lost on the way");`);
  await chooseThree(page);
  const number = await numberOf(page);
  await page.click("#place");
  await page.until("window.isLost");
  await page.run(`const [name, value] = Object.entries(localStorage)
      .find(([name]) => name.endsWith("/basket"));
    const basket = JSON.parse(value);
    localStorage.setItem(name, JSON.stringify({ ...basket, at: basket.at - 3600000 }));`);
  await page.reload();
  await page.until(`${note}.includes("confirm your order")`);
  assert.deepEqual(await orders(shop), []);
  await page.click("#place");
  await page.until(`${tickets}.length === 3`);
  assert.deepEqual(await holdings(shop), threeOf(number));
});

shopTest("while the shop is busy the page says how many are placed, and places the rest",
  async (shop) => {
    const page = await shop.orderPage();
    await chooseThree(page);
    const number = await numberOf(page);
    await page.intercept("POST", `if (count === 2) {
      return new Response("{}", { status: 429, headers: { "retry-after": "1" } });
    }`);
    await page.click("#place");
    await page.until(`document.body.innerText.includes("1 of 3 placed")
      && ${note} === "The shop is busy. Your order is sent again by itself."`);
    await page.until(`${tickets}.length === 3`);
    assert.deepEqual(await holdings(shop), threeOf(number));
  });

/** The middle of an element where a finger finds it: in the window, and with nothing above it. */
function reach(page: Window, selector: string): Promise<[x: number, y: number] | undefined> {
  return page.run(`const element = document.querySelector(arguments[0]);
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const isInside = left >= 0 && top >= 0 && right <= visualViewport.width
      && bottom <= visualViewport.height;
    return isInside && element.contains(document.elementFromPoint(x, y)) ? [x, y] : undefined;`,
  selector);
}

async function touch(page: Window, selector: string): Promise<void> {
  const [x, y] = await reach(page, selector) ?? assert.fail(`${selector} is out of reach`);
  const touchPoints = [{ x, y }];
  await page.devtools("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
  await page.devtools("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

const addTwelve = `document.querySelector(".sizes label:nth-child(3) input").click();
  [...document.querySelectorAll("[aria-labelledby=toppings] .more")].slice(0, 12)
    .forEach((one) => one.click());`;

shopTest("nine pizzas of twelve toppings are ordered by touch, on screens of any size",
  async (shop) => {
    const page = await shop.orderPage();
    await page.devtools("Emulation.setTouchEmulationEnabled", { enabled: true });
    const sizes = [[320, 640], [390, 844], [768, 1024], [1280, 640]] as const;
    for (let pizza = 1; pizza <= 9; pizza += 1) {
      if (pizza > 1) await page.run(`document.querySelector("[data-do=another]").click()`);
      await page.run(addTwelve);
      if (![1, 6, 9].includes(pizza)) continue;
      for (const [width, height] of sizes) {
        const about = `${pizza} pizzas at ${width} × ${height}`;
        await page.resize(width, height);
        await page.run("scrollTo(0, 0)");
        const sideways = await page.run<number>("return document.documentElement.scrollWidth");
        assert.ok(sideways <= width, `${about}: nothing scrolls sideways`);
        assert.ok(await reach(page, "#place"), `${about}: Place order is in reach`);
        if (width < 900) await touch(page, ".unfold");
        await page.until(`document.getAnimations().length === 0
          && document.querySelector("#chosen").checkVisibility()`);
        const last = "#chosen section:last-child p";
        await page.run("document.querySelector(arguments[0]).scrollIntoView()", last);
        assert.ok(await reach(page, last), `${about}: the last pizza is in reach`);
        assert.ok(await reach(page, "#place"), `${about}: Place order stays in reach`);
        if (width < 900) await page.press(keys.escape);
      }
    }
    await page.resize(320, 640);
    await touch(page, "#place");
    await page.until(`document.querySelectorAll(".part").length === 9`);
    assert.deepEqual((await orders(shop)).map(({ toppings }) => toppings.length),
      Array.from({ length: 9 }, () => 12));
  });
