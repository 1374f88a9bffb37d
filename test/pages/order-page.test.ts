/** From the menu to a placed order, and who may place it (contract part 7). */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { choose, chosen, message, order, orders, placedNumber, topping } from "./customer.ts";
import { cardIn, held, shopTest } from "./shop.ts";

shopTest("an order goes from the customer's page to the board and every step comes back",
  async (shop) => {
    const [page, board] = await Promise.all([shop.orderPage(), shop.board()]);
    await choose(page, "Mushrooms", "Mozzarella", "Mozzarella");
    await page.click("[aria-labelledby=beverages] li:nth-child(3) .more");
    const basket = ["Large", "Mushrooms, 2×\u00a0Mozzarella", "1 drink", "Chinotto"];
    await page.is(chosen, basket);
    await page.reload();
    await page.is(chosen, basket);
    await page.click("#place");
    const number = await placedNumber(page);
    const mozzarella = { id: "mozzarella", name: "Mozzarella" };
    const { placedAt, updatedAt, statusSince, ...placed } = (await orders(shop))[0] ?? {};
    assert.deepEqual(placed, {
      id: number,
      pizzaSize: { id: "grande", name: "Large" },
      toppings: [{ id: "funghi", name: "Mushrooms" }, mozzarella, mozzarella],
      beverages: [{ id: "chinotto", name: "Chinotto" }],
      status: "Pending",
    });
    await page.is("location.href", `${shop.forno.origin}/?order=${number}`);
    await page.reload();
    const friend = await shop.browser.open(`${shop.forno.origin}/?order=${number}`);
    await friend.says("Mozzarella");
    await board.until(cardIn("Pending", number));
    for (const [column, title] of [
      ["Preparing", "Being made"], ["Ready", "Ready"], ["Out for Delivery", "On its way"],
    ] as const) {
      await board.click(".card .main");
      await board.until(cardIn(column, number));
      for (const one of [page, friend]) await one.is(`$(".now .step")?.textContent`, title);
    }
    await board.click(".card .main");
    await page.until(`document.title.startsWith("Delivered")`);
    assert.deepEqual(await page.complaints(), []);
  });

for (const [name, press] of [
  ["a double click", (page: Window) => page.click("#place", 2)],
  ["Enter pressed twice", async (page: Window) => {
    await page.run(`$("#place").focus();`);
    await page.press(keys.enter, keys.enter);
  }],
] as const) {
  shopTest(`${name} makes one order, and does not take it back`, async (shop) => {
    const page = await shop.orderPage();
    await choose(page, "Mushrooms");
    await page.intercept("POST", held);
    await press(page);
    await page.until("window.letGo");
    await page.run("letGo()");
    const number = await placedNumber(page);
    assert.deepEqual((await orders(shop)).map(({ id }) => id), [number]);
  });
}

shopTest("an order can be put together and placed by keyboard alone", async (shop) => {
  const page = await shop.orderPage();
  await tabTo(page, "input[type=radio]");
  await page.press(keys.space, keys.down);
  await tabTo(page, ".more");
  await page.press(keys.enter, keys.enter);
  await tabTo(page, ".less");
  await page.press(keys.space);
  await tabTo(page, "#place");
  await page.press(keys.enter);
  await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ pizzaSize, toppings: [topping] }) =>
    [pizzaSize.id, topping.id]), [["normale", "pomodoro"]]);
});

async function tabTo(page: Window, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    if (await page.run("return document.activeElement.matches(arguments[0])", selector)) return;
    await page.press(keys.tab);
  }
  assert.fail(`Expected Tab to reach ${selector}, got past 60 stops`);
}

shopTest("a tab has the sign-in of another and shows what that chooses", async (shop) => {
  const page = await shop.orderPage();
  await page.is("location.href", `${shop.forno.origin}/`, "without the token");
  const tab = await shop.browser.open(`${shop.forno.origin}/`, { beside: page });
  await tab.until(topping("Basil"));
  await choose(page, "Basil");
  await tab.is(chosen, ["Large", "Basil"]);
  await tab.click("#place");
  await placedNumber(tab);
});

shopTest("a link with no token in it, or with one that is refused, signs nobody out",
  { GUEST_ORDERS: "off" }, async (shop) => {
    const { origin, token } = shop.forno;
    const page = await shop.orderPage();
    const forged = `${token({ role: "customer", sub: "bruno" }).slice(0, -4)}AAAA`;
    for (const value of ["garbage", "a.b.c", forged]) {
      await page.go(`${origin}/#token=${value}`);
      await page.is("location.hash", "");
    }
    await page.until(`performance.getEntriesByType("resource")
      .some(({ name, responseStatus }) => name.endsWith("/api") && responseStatus === 401)`);
    await order(page, "Basil");
    assert.deepEqual(await page.complaints(/ 401 /), []);
  });

shopTest("what a stranger wrote into the device's storage does no harm", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  const good = await page.run<object>(`return JSON.parse(localStorage.getItem("/basket"))`);
  const baskets = ['{"number":"K7', "null", "[]", ...[
    { pizzas: [{ size: "grande" }] }, { pizzas: [] }, { current: 7 }, { current: 0.5 },
    { number: "../x" }, { note: { a: 1 } }, { at: 9e15 }, { unanswered: [{ id: "A" }] },
    { beverages: Array(10_000).fill("x") }, { number: "K".repeat(1_000_000) },
  ].map((part) => JSON.stringify({ ...good, ...part }))];
  const visits = ['[{"ids":["A"],"at":1e300}]', '[{"ids":[],"at":0}]', "[{}]",
    JSON.stringify(Array.from({ length: 400 }, (_, at) =>
      ({ ids: [`${"x".repeat(120)}${at}`], at: Date.now() })))];
  const tokens = ["x".repeat(1_000_000), `a.${"b".repeat(9000)}.c`, "a\nb", "☃"];
  for (const [at, basket] of baskets.entries()) {
    await page.run(`["basket", "visits", "token"].forEach((name, at) =>
      localStorage.setItem("/" + name, arguments[at]));`,
    basket, visits[at % 4], tokens[at % 4]);
    await page.reload();
    await page.is(`$("#chosen section p")?.textContent`, "No toppings yet", basket.slice(0, 60));
  }
  await page.go(`${shop.forno.origin}/#token=${shop.forno.customer}`);
  await page.run(`localStorage.removeItem("/visits")`);
  await page.reload();
  await order(page, "Basil");
  assert.deepEqual(await page.complaints(), []);
});

shopTest("one note goes with each pizza of an order, and all who see the order read it",
  async (shop) => {
    const page = await shop.orderPage({ width: 390, height: 844 });
    await page.is(`$(".note-button").innerText`, "Name or note");
    await page.click(".note-button");
    await page.is("document.activeElement.labels[0].innerText", "Name, or a note for the kitchen");
    // A phone's keyboard covers the lower half.
    await page.is(`boxOf("#note-text").bottom < 0.6 * innerHeight`, true);
    await page.type("#note-text", "Anna,\tno salt\nplease ");
    await page.is(`$("#note-text").value`, "Anna, no salt please ");
    await page.press(keys.enter);
    await page.is("document.activeElement === document.body", true, "Enter closes the keyboard");
    await page.press(keys.escape);
    await page.is(`$(".note-button bdi").innerText`, "Anna, no salt please");
    await choose(page, "Basil");
    await page.run(`$("[data-do=another]").click()`);
    await choose(page, "Rocket");
    await page.reload();
    await page.is(`$("#note-text")?.value`, "Anna, no salt please ");
    await page.click("#place");
    await page.is(`texts("article > .note")`, ["Anna, no salt please"]);
    await page.is(`$$(".part").length`, 2);
    assert.deepEqual((await orders(shop)).map((one) => one["note"]),
      ["Anna, no salt please", "Anna, no salt please"]);
    await page.tap("Order something else");
    await page.is(`$(".note-button").innerText`, "Name or note", "the next order has none yet");
  });

shopTest("a note is never cut off, however long, and tells how much room is left", async (shop) => {
  const page = await shop.browser.open(`${shop.forno.origin}/?for=Table 7`, { width: 320 });
  await choose(page, "Basil");
  await page.is(`$(".note-button")`, null, "at a table its name stands there");
  await page.run(`$(".unfold").click()`);
  await page.is(`texts(".note-field .head > *")`, ["A note for the kitchen", "optional"]);
  const letters = "m".repeat(200);
  await page.type("#note-text", letters.slice(0, 136));
  await page.is(`texts(".note-field .head > *")[1]`, "64 left");
  await page.type("#note-text", letters);
  await page.is(`$("#note-text").value.length`, 200);
  await page.is(`$("#note-text").scrollHeight <= $("#note-text").offsetHeight`, true);
  await page.is("document.documentElement.scrollWidth <= innerWidth", true);
  await page.run(`$("#place").click()`);
  await page.is(`$("article > .note")?.innerText`, letters);
  await page.is("document.documentElement.scrollWidth <= innerWidth", true);
  assert.deepEqual((await orders(shop)).map((one) => one["note"]), [letters]);
});

const closed = { GUEST_ORDERS: "off" };

shopTest("a late 401 of an old token does not sign out the new one", closed, async (shop) => {
  const page = await shop.orderPage();
  const renewed = shop.forno.token({ role: "customer", sub: "carla", exp: 4e9 });
  await choose(page, "Basil");
  await page.intercept("POST", `if (count > 1) return;
    ${held}
    return new Response("{}", { status: 401 });`);
  await page.click("#place");
  await page.until("window.letGo");
  await page.go(`${shop.forno.origin}/#token=${renewed}`);
  await page.is(`localStorage.getItem("/token")`, renewed);
  await page.run("letGo()");
  await page.until(`${message}.startsWith("You are signed out.")`);
  await page.is(`localStorage.getItem("/token")`, renewed);
  await page.click("#place");
  await placedNumber(page);
});
