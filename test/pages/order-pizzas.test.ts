/** Several pizzas in one go, each an order of its own, placed exactly once (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnForno } from "../helpers/forno.ts";
import { findBrowser, hasty, keys, type Window } from "./browser.ts";
import {
  choose, holdUp, message, order, orders, placedNumber, setOffline, topping,
} from "./customer.ts";
import { held, shopTest, type Shop, shopOf } from "./shop.ts";

/** Three pizzas, each with a topping of its own, and two drinks. Resolves to their number. */
async function chooseThree(page: Window): Promise<string> {
  await choose(page, "Mushrooms");
  await page.click("[aria-labelledby=beverages] li:nth-child(1) .more");
  await page.click("[data-do=another]");
  await choose(page, "Basil");
  await page.click("[aria-labelledby=beverages] li:nth-child(2) .more");
  await page.click("[data-do=another]");
  await choose(page, "Anchovies");
  return numberOf(page);
}

/** The page's own number, before anything is sent. */
function numberOf(page: Window): Promise<string> {
  return page.run(`return JSON.parse(Object.entries(localStorage)
    .find(([name]) => name.endsWith("/basket"))[1]).number`);
}

async function holdings(shop: Shop): Promise<string[][]> {
  return (await orders(shop)).map(({ id, toppings, beverages }) =>
    [id, ...[...toppings, ...beverages].map((one) => one.id)]);
}

/** The page shows the three, and each is there once. */
async function threeArePlaced(shop: Shop, page: Window, number: string): Promise<void> {
  await page.is(`$$(".part h2").map((one) => $(".number").textContent + " " + one.textContent)`,
    [1, 2, 3].map((at) => `${number} Pizza ${at}`));
  assert.deepEqual(await holdings(shop), [
    [`${number}-1`, "funghi", "acqua", "frizzante"], [`${number}-2`, "basilico"],
    [`${number}-3`, "acciughe"],
  ]);
}

shopTest("each of three pizzas is an order, there once, whatever comes in place of an answer",
  async (shop) => {
    const page = await shop.orderPage();
    // Each is sent twice: what is lost has arrived, what a proxy answers has not.
    await page.intercept("POST", `
      if (count === 3) return new Response("<h1>Sign in to the network</h1>");
      if (count === 5) return new Response("{}", { status: 429, headers: { "retry-after": "1" } });
      const answer = await send();
      if (count === 1) throw new TypeError("lost on the way");
      return answer;`);
    const number = await chooseThree(page);
    assert.match(number, /^[0-9A-HJKMNP-TV-Z]{6}$/);
    await page.run(`window.told = [];
      new MutationObserver(() => window.told.push(...${holdUp}))
        .observe(document.body, { childList: true, characterData: true, subtree: true });`);
    await page.click("#place");
    await page.is(`$(".menu").inert`, true);
    await threeArePlaced(shop, page, number);
    for (const text of [
      "The shop doesn’t answer.", "Don’t send", "The shop is busy.", "Keep the other one for later",
    ]) await page.is(`told.includes(${JSON.stringify(text)})`, true, text);
    await page.reload();
    await threeArePlaced(shop, page, number);
    assert.deepEqual(await page.complaints(/ 409 /), []);
  });

shopTest("a guest whose token has run out orders all the same", { GUEST_ORDERS: "on" },
  async (shop) => {
    const page = await shop.browser.open(`${shop.forno.origin}/`);
    await page.intercept("POST api/orders",
      "if (count === 1) return new Response('{}', { status: 401 });");
    const number = await order(page, "Basil");
    assert.deepEqual(await holdings(shop), [[number, "basilico"]]);
    await page.complaints(/ 401 /);
  });

shopTest("what a closed page had not sent is in the basket of the next, and is placed once",
  async (shop) => {
    const page = await shop.orderPage();
    await page.intercept("POST", `if (count < 2) return;
      await send();
      ${held}`);
    const number = await chooseThree(page);
    await page.click("#place");
    await page.until("window.letGo");
    assert.equal((await orders(shop)).length, 2);
    await page.reload();
    await page.is(`$$(".pizzas button").length`, 2, "the third pizza, and +");
    await page.is(message, "The order that you stopped had arrived already.");
    await page.until(`$(".visits").textContent.includes("${number}")`);
    await page.click("#place");
    await threeArePlaced(shop, page, number);
  });

shopTest("what sells out between two of the orders is told, and the rest follows", async (shop) => {
  const page = await shop.orderPage();
  const number = await chooseThree(page);
  // The page hears of it only with the refusal.
  await page.intercept("POST", `const answer = await send();
    if (count === 1) ${held}
    return answer;`);
  await page.click("#place");
  await page.until("window.letGo");
  await shop.change({ soldOut: { toppings: ["basilico"] } });
  await page.run("letGo()");
  await page.is(message, "One is placed, the rest is kept.");
  assert.match(await page.text(), /Just sold out\n+Basil, on pizza 2\n+Remove/);
  await page.is(`${topping("Basil")}.ariaDisabled`, "true");
  assert.equal((await orders(shop)).length, 1);
  await page.until(`$(".visits").textContent.includes("${number}")`);
  await page.tap("Remove");
  await page.run(`${topping("Rocket")}.click()`);
  await page.click("#place");
  await page.is(`$$(".part").length`, 3);
  assert.deepEqual((await orders(shop)).map(({ id }) => id),
    [1, 2, 3].map((at) => `${number}-${at}`));
  await page.complaints(/ 409 /);
});

for (const [isLate, name] of [
  [false, "an order without an answer can be taken back and changed"],
  [true, "an order that arrived before it was taken back counts, and is not made twice"],
] as const) {
  shopTest(name, async (shop) => {
    const page = await shop.orderPage();
    await page.run("window.isDeaf = true;");
    await page.intercept("POST", `if (!isDeaf) return;
      if (${isLate}) await send();
      throw new TypeError("lost on the way");`);
    await choose(page, "Basil");
    await page.tap("Place order");
    await page.says("Sending your pizza");
    await page.is(`$("[href='#place']")`, null, "there is nothing to skip to");
    await page.tap("Don’t send");
    await page.is(message, "Stopped. Your order is kept.\n"
      + "Should it have arrived after all, this page says so.");
    await page.run(`isDeaf = false; ${topping("Rocket")}.click();`);
    await page.click("#place");
    if (isLate) {
      await page.is(message, "The order that you stopped had arrived already.");
      await page.until(`/Your orders today\\s+\\w{6}\\s+Received/.test(document.body.innerText)`);
    } else await placedNumber(page);
    assert.deepEqual((await holdings(shop)).map(([, ...items]) => items),
      [isLate ? ["basilico"] : ["basilico", "rucola"]]);
    await page.complaints(/ 409 /);
  });
}

shopTest("an answer that comes after the order was stopped still counts", async (shop) => {
  const page = await shop.orderPage({ before: hasty });
  await page.intercept("POST", `const answer = await send();
    ${held}
    return answer;`);
  await choose(page, "Basil");
  await page.click("#place");
  await page.until("window.letGo");
  await page.tap("Don’t send");
  await page.until(`${message}.startsWith("Stopped.")`);
  await page.run("letGo()");
  await page.says("The order that you stopped had arrived already.");
  const number = await placedNumber(page);
  assert.deepEqual(await holdings(shop), [[number, "basilico"]]);
});

shopTest("nothing is sent of an order that is called off before a guest has signed in",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin, { before: hasty });
    await page.intercept("POST api/tokens", held);
    await choose(page, "Basil");
    await page.click("#place");
    await page.until("window.letGo");
    await page.tap("Don’t send");
    await page.run("letGo()");
    await page.until(`Object.keys(localStorage).some((name) => name.endsWith("/token"))`);
    await page.until(`${message}.startsWith("Stopped. Your order is kept.")`);
    // The stream opens anew for the guest: whatever was to be sent would have been.
    await shop.change({ notice: "Hello" });
    await page.says("Hello");
    assert.deepEqual(await orders(shop), []);
    await page.click("#place");
    const number = await placedNumber(page);
    assert.deepEqual(await holdings(shop), [[number, "basilico"]]);
  });

shopTest("whatever stops an order lies nowhere near the place of Place order", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", `throw new TypeError("lost on the way");`);
  for (const pizzas of [1, 3]) {
    if (pizzas === 1) await choose(page, "Basil");
    else await chooseThree(page);
    for (const [width, height] of [[320, 568], [390, 844], [768, 1024], [1280, 640]] as const) {
      for (const size of ["100%", "200%"]) {
        await page.resize(width, height, size);
        await page.run(`window.was = boxOf("#place"); $("#place").click();`);
        await page.until(`$(".waits")`);
        assert.ok(await page.run(`const stop = boxOf("[data-do=stop]");
          return stop.bottom <= was.top || stop.top >= was.bottom
            || stop.right <= was.left || stop.left >= was.right;`),
        `${pizzas} pizzas at ${width} × ${height}, ${size}`);
        await page.run(`$("[data-do=stop]").click();`);
        await page.until(`$("#place")`);
      }
    }
    await page.resize(1280, 900);
  }
});

shopTest("when the network stalls, what is not placed can be kept for later, at once",
  async (shop) => {
    const page = await shop.orderPage({ width: 390, height: 844, before: hasty });
    const number = await chooseThree(page);
    await page.intercept("POST", `if (count === 2) ${held}`);
    await page.click("#place");
    await page.says("1 of 3 placed");
    await page.is(holdUp, ["No answer from the shop yet.", "Keep the other 2 for later"]);
    await setOffline(page, true);
    await page.is(holdUp, ["You’re offline.", "Keep the other 2 for later"]);
    await page.is(`texts(".sending li > :last-child")`, ["Placed", "No answer yet", "Waiting"]);
    await page.is(`texts(".visits .stage")`, ["Received"]);
    await page.tap("Keep the other 2 for later");
    await page.is(message, "One is placed, the rest is kept.\n"
      + "You can place the order once you’re online.");
    await page.is(`$$(".pizzas .place").map((one) => one.textContent)`, ["2", "3"]);
    await setOffline(page, false);
    await page.click("#place");
    await threeArePlaced(shop, page, number);
    await page.complaints(/ERR_INTERNET_DISCONNECTED/);
  });

shopTest("a number that is somebody else's is left to them", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  const number = await numberOf(page);
  await shop.place(number);
  await page.click("#place");
  const own = await placedNumber(page);
  assert.notEqual(own, number);
  assert.deepEqual((await orders(shop)).map(({ id }) => id), [number, own]);
  await page.complaints(/ 409 /);
});

shopTest("a pizza without toppings is ordered when that is meant, and none that was not begun",
  async (shop) => {
    const page = await shop.orderPage();
    await page.click("#place");
    await page.is("document.activeElement.name", "size");
    await page.click(".sizes label:nth-child(2)");
    await page.click("#place");
    await page.is("document.activeElement.textContent", "Choose toppings");
    await page.press(keys.enter);
    await page.is(`$("dialog")`, null);
    assert.deepEqual(await orders(shop), []);
    await page.click("[data-do=another]");
    await page.is(`$$(".pizzas .pizza").length`, 2);
    await page.tap("Place order");
    await page.tap("Order it plain");
    const number = await placedNumber(page);
    assert.deepEqual(await holdings(shop), [[number]]);
  });

shopTest("a pizza can be turned back to, removed once that is confirmed, and had twice",
  async (shop) => {
    const page = await shop.orderPage();
    await chooseThree(page);
    await page.is(`texts("#chosen h3").slice(0, 3)`,
      ["Pizza 1: Large", "Pizza 2: Large", "Pizza 3: Large"]);
    const act = (at: number, label: string) => page.run(`[...$$("#chosen section")[arguments[0]]
      .querySelectorAll("button")].find((one) => one.textContent.startsWith(arguments[1])).click()`,
    at, label);
    await act(0, "Change");
    await page.is(`$("[aria-current=true] .words, [aria-current=true] .unseen").textContent`,
      "Pizza 1: Large1 topping");
    await page.run(`${topping("Rocket")}.click()`);
    for (const label of ["Keep it", "Remove"]) {
      await act(1, "Remove");
      await page.until(`$("dialog[open]")`);
      await page.tap(label);
      await page.until(`!$("dialog")`);
    }
    await act(1, "Another like this");
    await page.click("#place");
    await page.is(`$$(".part").length`, 3);
    assert.deepEqual((await holdings(shop)).map(([, ...items]) => items),
      [["funghi", "rucola", "acqua", "frizzante"], ["acciughe"], ["acciughe"]]);
  });

shopTest("a table is shown as people write it, and stands in ids before the number",
  async (shop) => {
    const page = await shop.orderPage();
    const name = "Zoë & José";
    await page.go(`${shop.forno.origin}/?for=${encodeURIComponent(name)}`);
    await page.says(name);
    const number = await order(page, "Basil");
    await page.says(name);
    assert.equal(await shop.statusOf(`zoe-jose-${number}`), "Pending");
    await page.tap("Order something else");
    await page.says("Your orders today", name);
  });

/** The middle of an element where a finger finds it: in the window, and with nothing above it. */
function reach(page: Window, selector: string): Promise<[x: number, y: number] | undefined> {
  return page.run(`const { left, right, top, bottom } = boxOf(arguments[0]);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const isInside = left >= 0 && top >= 0 && right <= visualViewport.width
      && bottom <= visualViewport.height;
    return isInside && $(arguments[0]).contains(document.elementFromPoint(x, y)) ? [x, y]
      : undefined;`, selector);
}

async function touch(page: Window, selector: string): Promise<void> {
  const [x, y] = await reach(page, selector) ?? assert.fail(`${selector} is out of reach`);
  await page.devtools("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  await page.devtools("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

shopTest("nine pizzas of twelve toppings are ordered by touch, on screens of any size",
  async (shop) => {
    const page = await shop.orderPage();
    await page.devtools("Emulation.setTouchEmulationEnabled", { enabled: true });
    for (let pizza = 1; pizza <= 9; pizza += 1) {
      if (pizza > 1) await page.run(`$("[data-do=another]").click()`);
      await page.run(`$(".sizes label:nth-child(3) input").click();
        $$("[aria-labelledby=toppings] .more").slice(0, 12).forEach((one) => one.click());`);
      if (![1, 9].includes(pizza)) continue;
      for (const [width, height] of [
        [320, 640], [390, 844], [768, 1024], [1280, 640],
      ] as const) {
        const about = `${pizza} pizzas at ${width} × ${height}`;
        await page.resize(width, height);
        await page.run("scrollTo(0, 0)");
        await page.is("document.documentElement.scrollWidth <= innerWidth", true, about);
        assert.ok(await reach(page, "#place"), `${about}: Place order is in reach`);
        if (width < 900) await touch(page, ".unfold");
        await page.until(`document.getAnimations().length === 0 && $("#chosen").checkVisibility()`);
        const last = "#chosen section:last-child p";
        await page.run("$(arguments[0]).scrollIntoView()", last);
        assert.ok(await reach(page, last), `${about}: the last pizza is in reach`);
        assert.ok(await reach(page, "#place"), `${about}: Place order stays in reach`);
        if (width < 900) await page.press(keys.escape);
      }
    }
    await page.resize(320, 640);
    await touch(page, "#place");
    await page.is(`$$(".part").length`, 9);
    assert.deepEqual((await orders(shop)).map(({ toppings }) => toppings.length),
      Array(9).fill(12));
  });

shopTest("what a closed page had sent in vain is kept, and so it says", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", held);
  const number = await chooseThree(page);
  await page.click("#place");
  await page.until("window.letGo");
  await page.reload();
  await page.until(`${message}.startsWith("Stopped. Your order is kept.")`);
  assert.deepEqual(await orders(shop), []);
  await page.click("#place");
  await threeArePlaced(shop, page, number);
});

test("an order placed while the server is killed is there once it is back", async (t) => {
  const browser = findBrowser(t);
  if (browser === undefined) return;
  const first = await spawnForno(t);
  const page = await shopOf(first, browser).orderPage({ before: hasty });
  const number = await chooseThree(page);
  await first.end("SIGKILL");
  await page.says("The shop doesn’t answer. Your pizzas are kept.");
  await page.click("#place");
  await page.is(holdUp, ["The shop doesn’t answer.", "Don’t send"]);
  const env = { PORT: String(first.port) };
  const again = await spawnForno(t, { dataDir: first.dataDir, env });
  await threeArePlaced(shopOf(again, browser), page, number);
  await page.complaints(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE/);
});
