/** Placed orders on the order page: on the device that placed them and on others (part 7). */

import assert from "node:assert/strict";
import { deaf } from "./browser.ts";
import { choose, order, orders, pizza, placedNumber, topping } from "./customer.ts";
import { held, shopTest } from "./shop.ts";

const guests = { GUEST_ORDERS: "on", ORDER_READS: "own" };

shopTest("the device of a guest finds its orders again, by link and from the menu, for a day",
  guests, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin);
    const number = await order(page, "Mushrooms");
    const address = await page.run<string>("return location.href");
    const tab = await shop.browser.open(address, { beside: page });
    assert.equal(await placedNumber(tab), number);
    await tab.tap("Order something else");
    await tab.click(".own-orders a");
    assert.equal(await placedNumber(tab), number);
    await tab.is("location.href", address);
    const stranger = await shop.browser.open(address);
    await stranger.says("This phone can’t open this order.\n\nUse the phone that placed it.");
    await stranger.tap("Order a pizza");
    // Now that guest has a sign-in of its own.
    await order(stranger, "Basil");
    await stranger.go(address);
    await stranger.says("This phone can’t open this order.");
    await tab.run(`const [ownOrder] = JSON.parse(localStorage.getItem("/visits"));
      ownOrder.placedAt -= 86_400_000;
      localStorage.setItem("/visits", JSON.stringify([ownOrder]));`);
    await tab.go(`${shop.forno.origin}/`);
    await tab.until(topping("Mushrooms"));
    await tab.is(`$(".own-orders")`, null);
  });

shopTest("a number is that of several orders, or the id of one, as it was typed or meant",
  async (shop) => {
    await shop.place("AAA111", "order-1017", "A+B", { id: "BBB222", group: "K7QX0M" });
    const page = await shop.browser.open("about:blank");
    for (const [typed, shown] of [
      ["AAA111", "AAA111"], ["k7qxom", "K7QX0M"], ["aaalil", "AAA111"], ["order-1017", "…r-1017"],
      ["A+B", "A+B"],
    ]) {
      await page.go(`${shop.forno.origin}/?group=${typed}`);
      await page.is(`texts(".tracker-number")`, [shown]);
    }
  });

shopTest("the orders of today are rows with state and time", async (shop) => {
  const page = await shop.orderPage();
  const ownOrders = [["AAA111"], ["AAA222", "AAA223"], ["AAA333"], ["AAA444"]];
  for (const [group = "", ...others] of ownOrders) {
    for (const id of [group, ...others]) await shop.place({ id, group });
  }
  for (const id of ["AAA222", "AAA333"]) await shop.update(id, { status: "Ready" });
  // Cancelled pizzas are not named.
  await shop.place({ id: "AAA112", group: "AAA111", pizza: "Funghi" });
  await shop.update("AAA112", { status: "Cancelled" });
  await page.run(`localStorage.setItem("/visits", JSON.stringify(arguments[0]
    .map((group) => ({ group, placedAt: Date.now(), by: "", seen: [] }))))`,
  ownOrders.map(([group]) => group));
  await page.reload();
  await page.is(`$$(".own-orders li").map((one) =>
    one.innerText.replace(/\\d+:\\d+\\sPM/, "PM").replace(/\\s+/g, " "))`,
  ["AAA111 Received Large PM", "AAA222 1 of 2 pizzas is ready. Large PM",
    "AAA333 Ready Large PM", "AAA444 Received Large PM"]);
  await page.tapOn(`$$(".own-orders a").find((one) => one.innerText.includes("AAA222"))`);
  await page.says("1 of 2 pizzas is ready.");
});

shopTest("at a table the number is what is large, and the order is brought", async (shop) => {
  await shop.place({ id: "AAA111", table: "طاولة ٧", name: "Anna" });
  await shop.update("AAA111", { status: "Ready" });
  const page = await shop.browser.open(`${shop.forno.origin}/?group=AAA111`);
  await page.says("Ready! We bring it to");
  assert.match(await page.text(), /طاولة ٧\n+AAA111\n+Ready![^]*Anna[^]*Served/);
});

shopTest("pizzas of one number share a tracker, and equal ones of them a row", async (shop) => {
  const ids = ["AAA111", "AAA222", "AAA333"];
  for (const id of ids) {
    await shop.place({
      id, group: "K7QX3M", pizza: "Funghi", note: id === "AAA333" ? "no salt" : "",
    });
  }
  // A number is what its sender says: those of another table are none of theirs.
  await shop.place({ id: "AAA444", group: "K7QX3M", table: "Bar" });
  const page = await shop.browser.open(`${shop.forno.origin}/?group=K7QX3M`);
  const rows = `[...$("article").querySelectorAll(".pizza-row")].map((one) =>
    [one.querySelector("h2").innerText, one.querySelector(".state").innerText.split(",")[0]])`;
  const news = `$(".headline").innerText`;
  await page.is(rows, [["2×\u00a0Funghi, Large", "Received"], ["Funghi, Large", "Received"]]);
  await page.says("no salt", "without Tomato sauce, + Mozzarella");
  await page.is(`$$("article").length`, 2);
  await shop.update("AAA111", { status: "Preparing" });
  await page.is(news, "1 of 3 pizzas is being made.");
  await shop.update("AAA222", { status: "Preparing" });
  await shop.update("AAA333", { status: "Preparing" });
  await page.is(news, "3 of 3 pizzas are being made.");
  await shop.update("AAA111", { status: "Ready" });
  await page.is(news, "1 of 3 pizzas is ready.");
  await shop.update("AAA222", { status: "Cancelled" });
  await page.is(rows, [["Funghi, Large", "Ready"], ["Funghi, Large", "Cancelled"],
    ["Funghi, Large", "Being made"]]);
  await shop.update("AAA333", { status: "Ready" });
  await page.is(news, "Ready! Come and get it.");
  await page.is("document.title", "Ready: K7QX3M");
  await shop.update("AAA111", { status: "Delivered" });
  await page.is(news, "The rest is ready. Come and get it.");
});

shopTest("a tracker says what the kitchen did, until the guest has read it", async (shop) => {
  const page = await shop.orderPage();
  for (const name of ["Diavola", "Funghi"]) {
    await page.run(`${pizza(name)}.querySelector(".tile-button").click()`);
    await page.tapIn(pizza(name), "Large");
  }
  await page.tap("Note Diavola, Large");
  await page.type("#note-text", "no nuts");
  await page.tap("Place order");
  const number = await page.until<string>(`$(".tracker-number")?.textContent`);
  const [diavola, funghi] = (await orders(shop)).map(({ id }) => id);
  await shop.update(diavola, { note: "hot", toppings: [{ id: "mozzarella" }] });
  await shop.update(funghi, { status: "Cancelled" });
  const told = `texts(".changes p")`;
  const changes = ["The shop has changed Diavola: "
    + "without Tomato sauce, without Spicy salami, without “no nuts”, and + “hot”.",
  "Funghi was cancelled. Ask the shop."];
  await page.is(told, changes);
  await page.is(`$(".changes").closest("[role=status]") !== null`, true, "it is read out");
  await page.reload();
  await page.is(told, changes);
  await page.tap("OK");
  await page.is(told, []);
  await page.reload();
  await page.says(number, "hot");
  await page.is(told, []);
  await shop.update(funghi, { status: "Preparing" });
  await page.is(told, ["Funghi is made after all."]);
  await page.tap("OK");
  await shop.update(funghi, { status: "Cancelled" });
  await page.is(told, ["Funghi was cancelled. Ask the shop."]);
  await page.is(`boxOf(".changes button").bottom < boxOf(".changes").bottom - 5`, true);
  await page.tap("OK");
  await page.run("letPass(15 * 60_000)");
  await shop.change({ notice: "Hello" });
  await page.says("The kitchen has your order since");
});

shopTest("what the kitchen did before the page heard of its order is told, too", async (shop) => {
  const page = await shop.orderPage({ before: deaf });
  await page.intercept("POST", `await send();
    ${held}
    throw new TypeError("lost on the way");`);
  await choose(page, "Basil");
  await page.tap("Place order");
  await page.until("window.letGo");
  const [placed] = await orders(shop);
  await shop.update(placed?.["id"], { note: "no basil left" });
  await page.reload();
  await page.is(`texts(".changes p")`, ["The shop has changed Large: + “no basil left”."]);
});

shopTest("an order that is deleted does not come back with an answer, on the phone that placed it",
  { ORDER_READS: "own" }, async (shop) => {
    const page = await shop.orderPage();
    await choose(page, "Basil");
    await page.intercept("GET api/orders?", `const answer = await send();
      await new Promise((resolve) => { (window.held ??= []).push(resolve); });
      return answer;`);
    await page.click("#place");
    await page.until("window.held");
    const [placed] = await orders(shop);
    await shop.forno.write("DELETE", `/api/orders/${placed?.["id"]}`);
    await page.says("Loading…");
    await page.run("held.forEach((letGo) => letGo());");
    await page.says("The shop no longer has this order.");
    await page.reload();
    await page.says("The shop no longer has this order.");
  });

shopTest("a tracker says how to change or cancel while that is possible, and what has become of it",
  async (shop) => {
    await shop.place("AAA111");
    const page = await shop.browser.open(`${shop.forno.origin}/?group=AAA111`);
    await page.says("The kitchen has your order and starts soon.",
      "Ask the shop to change or cancel it.");
    await shop.update("AAA111", { status: "Cancelled" });
    await page.says("This order was cancelled.\n\nNothing will be made.");
    await page.is(`document.body.innerText.includes("to change or cancel")`, false);
    await shop.forno.write("DELETE", "/api/orders/AAA111");
    await page.says("AAA111\n\nWe can’t find this order.\n\nCheck the number");
    await page.is(`texts("main a, main button")`, ["Order a pizza"]);
    await page.tap("Order a pizza");
    await page.until(topping("Mushrooms"));
  });
