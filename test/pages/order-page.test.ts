/** From the menu to a placed order, and who may place it (contract part 7). */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { answer, choose, chosen, message, order, orders, placedNumber, topping } from "./customer.ts";
import { cardIn, held, shopTest } from "./shop.ts";

shopTest("an order goes from the customer's page to the board and every step comes back",
  async (shop) => {
    const [page, board] = await Promise.all([shop.orderPage(), shop.board()]);
    await choose(page, "Mushrooms", "Mozzarella", "Mozzarella");
    await page.click("[aria-labelledby=beverages] li:nth-child(3) .more");
    const basket = ["Large", "Mushrooms, 2× Mozzarella", "1 drink", "Chinotto"];
    await page.is(chosen, basket);
    await page.reload();
    await page.is(chosen, basket);
    await page.click("#place");
    const number = await placedNumber(page);
    const { placedAt, updatedAt, statusSince, ...placed } = (await orders(shop))[0] ?? {};
    assert.deepEqual(placed, {
      id: number,
      pizzaSize: { id: "grande" },
      toppings: [{ id: "funghi" }, { id: "mozzarella" }, { id: "mozzarella" }],
      beverages: [{ id: "chinotto" }],
      status: "Pending",
    });
    assert.deepEqual([updatedAt, statusSince], [placedAt, placedAt]);
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

shopTest("an answer about another order changes nothing on the one that is shown", async (shop) => {
  await shop.place();
  const page = await shop.orderPage();
  await page.intercept("NOBODY", `const { ok, status, headers } = await send();
    ${held}
    // Later than what the page does with it.
    setTimeout(() => { window.isTaken = true; });
    return { ok, status, headers, json: async () => ({}) };`);
  await page.run(`window.goTo = (id) => {
      history.pushState(null, "", "?order=" + id);
      dispatchEvent(new PopStateEvent("popstate"));
    };
    goTo("NOBODY");`);
  await page.until("window.letGo");
  await page.run(`goTo("AAA111")`);
  await page.until(`$(".steps .now")`);
  await page.run("letGo()");
  await page.until("window.isTaken");
  assert.match(await page.text(), /The kitchen has your order/);
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

shopTest("an order under way survives a reload, even when the kitchen has begun", async (shop) => {
  const page = await shop.orderPage();
  await page.intercept("POST", `await send(); ${held}`);
  await choose(page, "Mushrooms");
  await page.click("#place");
  await page.until("window.letGo");
  const [placed] = await orders(shop);
  await shop.update(placed?.["id"], { status: "Preparing" });
  await page.reload();
  assert.equal(await placedNumber(page), placed?.["id"]);
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
  assert.deepEqual((await orders(shop)).map(({ pizzaSize, toppings }) => [pizzaSize, toppings]),
    [[{ id: "normale" }, [{ id: "pomodoro" }]]]);
});

shopTest("when what has the focus leaves the menu, what takes its place has it", async (shop) => {
  const page = await shop.orderPage();
  for (const [kind, at] of [["toppings", 0], ["beverages", -1]] as const) {
    const item = (await shop.forno.call("GET", `/api/${kind}`)).json.at(at);
    await page.run(`$$("[aria-labelledby=${kind}] .more").at(${at}).focus()`);
    await shop.forno.asStaff("DELETE", `/api/${kind}/${item.id}`);
    await page.until(`!$("[aria-labelledby=${kind}]").textContent.includes(arguments[0])`,
      item.name);
    await page.is(`$$("[aria-labelledby=${kind}] .more").at(${at}) === document.activeElement`,
      true);
  }
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
  await tab.run(`const real = Storage.prototype.setItem;
    window.written = [];
    Storage.prototype.setItem = function (...entry) {
      window.written.push(entry);
      real.apply(this, entry);
    };`);
  await choose(page, "Basil");
  await tab.is(chosen, ["Large", "Basil"]);
  await tab.is("window.written", [], "it never writes that back");
  await tab.click("#place");
  await placedNumber(tab);
});

shopTest("a link with no token in it, or with one that is refused, signs nobody out",
  async (shop) => {
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
    const old = token({ role: "customer", sub: "carla", exp: 1_700_000_000 });
    const late = await shop.browser.open(`${origin}/#token=${old}`);
    await late.until(`${topping("Mushrooms")} && $("#access")`);
    assert.deepEqual(await page.complaints(/ 401 /), []);
  });

const owner = `JSON.parse(atob(Object.entries(localStorage)
  .find(([name]) => name.endsWith("/token"))[1].split(".")[1])).sub`;

shopTest("somebody else's sign-in takes the place of one only when that is wanted",
  { ORDER_READS: "own" }, async (shop) => {
    const bruno = shop.forno.token({ role: "customer", sub: "bruno" });
    const page = await shop.orderPage();
    for (const [label, sub] of [["Stay carla", "carla"], ["Sign in as bruno", "bruno"]] as const) {
      await page.go(`${shop.forno.origin}/#token=${bruno}`);
      await page.says("You are signed in as carla. Sign in as bruno instead?");
      await answer(page, label);
      await page.is(owner, sub);
    }
  });

shopTest("what the device kept is dropped where it does not fit", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  const old = { number: "K7QX3M", pizzas: [{ size: "grande" }], current: 0, at: Date.now() };
  for (const value of ['{"number":"K7', "null", "[]", JSON.stringify(old)]) {
    await page.run(`for (const name of ["basket", "visits"]) {
      localStorage.setItem("/" + name, arguments[0]);
    }`, value);
    await page.reload();
    await page.is(`$("#chosen section p").textContent`, "No toppings yet");
  }
  await order(page, "Basil");
  assert.deepEqual(await page.complaints(), []);
});

shopTest("a late 401 of an old token does not sign out the new one", async (shop) => {
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
