/** The customers' page in a real browser (contract part 7). */

import assert from "node:assert/strict";
import { choose, note, orders, placedNumber } from "./customer.ts";
import { cardIn, holdBack, shopTest } from "./shop.ts";
import { keys, type Window } from "./browser.ts";

shopTest("an order goes from the customer's page to the board and every step comes back",
  async (shop) => {
    const [page, board] = await Promise.all([shop.orderPage(), shop.board()]);
    await choose(page, "Mushrooms", "Mozzarella", "Mozzarella");
    await page.click("[aria-labelledby=beverages] li:nth-child(3) .more");
    assert.deepEqual(await page.run(`return [...document.querySelectorAll(
      "#chosen :is(h3, .soft)")].map((one) => one.textContent)`),
      ["Large", "Mushrooms, 2× Mozzarella", "1 drink", "Chinotto"]);
    await page.click("#place");
    const number = await placedNumber(page);
    const { placedAt, updatedAt, statusSince, ...order } = (await orders(shop))[0] ?? {};
    assert.deepEqual(order, {
      id: number,
      pizzaSize: { id: "grande" },
      toppings: [{ id: "funghi" }, { id: "mozzarella" }, { id: "mozzarella" }],
      beverages: [{ id: "chinotto" }],
      status: "Pending",
    });
    assert.deepEqual([updatedAt, statusSince], [placedAt, placedAt]);
    await board.until(cardIn("Pending", number));
    for (const [column, title] of [
      ["Preparing", "Being made"], ["Ready", "Ready"], ["Out for Delivery", "On its way"],
    ] as const) {
      await board.click(".card .main");
      await board.until(cardIn(column, number));
      await page.until(`document.querySelector(".now .step")?.textContent === "${title}"`);
    }
    await board.click(".card .main");
    await page.until(`document.title.startsWith("Delivered")`);
    assert.deepEqual(await page.complaints(), []);
  });

shopTest("an answer about another order changes nothing on the one that is shown", async (shop) => {
  await shop.place();
  const page = await shop.orderPage();
  await page.run(`${holdBack("NOBODY")}
    window.goTo = (id) => {
      history.pushState(null, "", "?order=" + id);
      dispatchEvent(new PopStateEvent("popstate"));
    };
    goTo("NOBODY");`);
  await page.until("window.letGo");
  await page.run(`goTo("AAA111")`);
  await page.until(`document.querySelector(".steps .now")`);
  await page.run("letGo()");
  await page.until("window.isTaken");
  assert.ok(await page.run(`return document.querySelector(".steps .now") !== null`));
  assert.match(await page.text(), /The kitchen has your order/);
});

shopTest("a double click makes one order", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Mushrooms");
  await page.doubleClick("#place");
  const number = await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ id }) => id), [number]);
  assert.deepEqual(await page.complaints(), []);
});

shopTest("Enter pressed twice makes one order, and does not take it back", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Mushrooms");
  await page.intercept("POST", "await new Promise((resolve) => { window.goOn = resolve; });");
  await page.run(`document.querySelector("#place").focus();`);
  await page.press(keys.enter, keys.enter);
  await page.until("window.goOn");
  await page.run("goOn()");
  const number = await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ id }) => id), [number]);
});

shopTest("a page that a proxy puts in the answer's place is no answer", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  await page.intercept("POST", `if (count === 1) {
    return new Response("<h1>Sign in to the network</h1>", { status: 200 });
  }`);
  await page.click("#place");
  await page.until(`${note}.includes("sent again by itself")`);
  const number = await placedNumber(page);
  assert.deepEqual((await orders(shop)).map((one) => one["id"]), [number]);
});

shopTest("an order under way survives a reload, even when the kitchen has begun", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", `await send();
    await new Promise(() => { window.sent = true; });`);
  await choose(page, "Mushrooms");
  await page.click("#place");
  await page.until("window.sent");
  const [order] = await orders(shop);
  await shop.update(order?.["id"], { status: "Preparing" });
  await page.reload();
  assert.equal(await placedNumber(page), order?.["id"]);
  assert.equal((await orders(shop)).length, 1);
});

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
  const [order] = await orders(shop);
  assert.deepEqual([order?.["pizzaSize"], order?.["toppings"]],
    [{ id: "normale" }, [{ id: "pomodoro" }]]);
});

shopTest("when what has the focus leaves the menu, what takes its place has it", async (shop) => {
  const page = await shop.orderPage();
  await tabTo(page, ".more");
  const first = await page.run<string>("return document.activeElement.textContent");
  const [{ id }] = (await shop.forno.call("GET", "/api/toppings?limit=1")).json;
  await shop.forno.call("DELETE", `/api/toppings/${id}`, { token: shop.forno.staff });
  await page.until(`document.querySelector(".more").textContent !== arguments[0]`, first);
  assert.equal(await page.run("return document.activeElement.matches('.more')"), true);
  const last = (await shop.forno.call("GET", "/api/beverages")).json.at(-1);
  const drinks = "[aria-labelledby=beverages]";
  await page.run(`document.querySelector("${drinks} li:last-child .more").focus()`);
  await shop.forno.call("DELETE", `/api/beverages/${last.id}`, { token: shop.forno.staff });
  await page.until(`!document.querySelector("${drinks}").textContent.includes(arguments[0])`,
    last.name);
  assert.ok(await page.run(`return document.activeElement.matches("${drinks} .more")`));
});

async function tabTo(page: Window, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    if (await page.run("return document.activeElement.matches(arguments[0])", selector)) return;
    await page.press(keys.tab);
  }
  assert.fail(`Expected Tab to reach ${selector}, got past 60 stops`);
}
