/** Placed orders, followed on the page that ordered them and on others (contract part 7). */

import assert from "node:assert/strict";
import { choosePizzas, order, placedNumber, topping } from "./customer.ts";
import { shopTest } from "./shop.ts";

const guests = { GUEST_ORDERS: "on", ORDER_READS: "own" };

shopTest("the device of a guest finds its orders again, by link and from the menu, for a day",
  guests, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin);
    const number = await order(page, "Mushrooms");
    const address = await page.run<string>("return location.href");
    const tab = await shop.browser.open(address, { beside: page });
    assert.equal(await placedNumber(tab), number);
    await tab.tap("Order something else");
    await tab.click(".visits a");
    assert.equal(await placedNumber(tab), number);
    await tab.is("location.href", address);
    const stranger = await shop.browser.open(address);
    await stranger.says("This phone can’t open this order.\n\nUse the phone that placed it.");
    await stranger.tap("Order a pizza");
    // Now that guest has a sign-in of its own.
    await order(stranger, "Basil");
    await stranger.go(address);
    await stranger.says("This phone can’t open this order.");
    await tab.run(`const [visit] = JSON.parse(localStorage.getItem("/visits"));
      visit.placedAt -= 86_400_000;
      localStorage.setItem("/visits", JSON.stringify([visit]));`);
    await tab.go(`${shop.forno.origin}/`);
    await tab.until(topping("Mushrooms"));
    await tab.is(`$(".visits")`, null);
  });

shopTest("an order that is not there is told so", async (shop) => {
  const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111`);
  await page.says("AAA111\n\nWe can’t find this order.\n\nCheck the number");
  await page.is(`texts("main a, main button")`, ["Order a pizza"]);
});

shopTest("what the shop changes or removes is told, also after a reload, and on other phones",
  async (shop) => {
    const page = await shop.orderPage();
    const number = await choosePizzas(page, "Mushrooms", "Basil");
    await page.click("#place");
    await page.is(`$$(".part").length`, 2);
    const friend = await shop.browser.open(`${shop.forno.origin}/?group=${number}`);
    await friend.is(`$$(".part").length`, 2);
    const [first, second] = (await shop.forno.asStaff("GET", "/api/orders")).json;
    await shop.update(first.id, { toppings: [{ id: "rucola" }] });
    await shop.forno.write("DELETE", `/api/orders/${second.id}`);
    const told = `$("main").innerText.replace(/\\s+/g, " ")`;
    for (const one of [page, friend, page]) {
      await one.until(`${told}.includes("The shop has changed this. Ordered: Large, Mushrooms, "
        + "Still water, Sparkling water Rocket")`);
      await one.until(`${told}.includes("The shop has removed this. Large, Basil")`);
      if (one === friend) await page.reload();
    }
    await shop.forno.write("DELETE", `/api/orders/${first.id}`);
    await page.says("The shop has removed this order.");
    await page.is(`texts(".part.over .state")`,
      ["The shop has removed this.", "The shop has removed this."]);
    await page.tap("Order something else");
    await page.is(`$(".visits .stage")?.innerText`, "Removed");
  });

shopTest("an order of another sign-in was not removed, whoever asks now", guests, async (shop) => {
  const page = await shop.browser.open(shop.forno.origin);
  await order(page, "Basil");
  await page.go(`${await page.run<string>("return location.href")}#token=${shop.forno.customer}`);
  await page.tap("Sign in as carla");
  await page.says("This phone can’t open this order.");
});

shopTest("the visits of the day are rows with state and time, three until more are asked for",
  async (shop) => {
    const page = await shop.orderPage();
    const visits = [["AAA111"], ["AAA222", "AAA223"], ["AAA333"], ["AAA444"]];
    for (const [group = "", ...others] of visits) {
      for (const id of [group, ...others]) await shop.place({ id, group });
    }
    for (const id of ["AAA222", "AAA333"]) await shop.update(id, { status: "Ready" });
    const item = { id: "", name: "" };
    await page.run(`localStorage.setItem("/visits", JSON.stringify(arguments[0]
      .map((visit) => ({ ...visit, placedAt: Date.now() }))))`, visits.map((ids) => ({
      group: ids[0], by: "carla", ordered: ids.map((id) => ({
        id, group: ids[0], table: "", note: "", pizzaSize: item, toppings: [], beverages: [],
      })),
    })));
    await page.reload();
    const rows = `$$(".visits li").map((one) =>
      one.innerText.replace(/\\d+:\\d+\\sPM/, "PM").replace(/\\s+/g, " "))`;
    const first = ["AAA111 Received PM", "AAA222 1 of 2 ready PM", "AAA333 Ready PM"];
    await page.is(rows, [...first, "All 4 today"]);
    await page.tap("All 4 today");
    await page.is(rows, [...first, "AAA444 Received PM"]);
    await page.click(".visits li:nth-child(2) a");
    await page.says("1 of 2 pizzas is ready.");
  });

shopTest("at a table the number is what is large, and the order is brought", async (shop) => {
  await shop.place({ id: "AAA111", table: "طاولة ٧" });
  await shop.update("AAA111", { status: "Ready" });
  const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111`);
  await page.says("Ready! We’re bringing it.");
  assert.match(await page.text(), /طاولة ٧\n+AAA111\n+Ready![^]*Served/);
});

shopTest("pizzas of one number share a tracker, which says how many are ready", async (shop) => {
  const ids = ["AAA111", "AAA222", "AAA333"];
  await shop.place(...ids.map((id) => ({ id, group: "K7QX3M", note: `For ${id}` })));
  // A number is what its sender says: those of another table are none of theirs.
  await shop.place({ id: "AAA444", group: "K7QX3M", table: "Bar" });
  await shop.update("AAA111", { status: "Ready" });
  const page = await shop.browser.open(`${shop.forno.origin}/?group=K7QX3M`);
  await page.says("K7QX3M\n\n1 of 3 pizzas is ready.");
  await page.is(`$$("article").length`, 2);
  const states = `$$(".part .state").map((one) => one.textContent.split(",")[0])`;
  await page.is(states, ["Ready", "Received", "Received"]);
  await page.is(`texts(".part .note")`, ids.map((id) => `For ${id}`));
  await shop.update("AAA222", { status: "Cancelled" });
  await page.is(states, ["Ready", "Cancelled", "Received"]);
  await shop.update("AAA333", { status: "Ready" });
  await page.is(`$(".news").innerText`, "Ready");
});

shopTest("orders of other clients are shown by their ids, a long one by its end", async (shop) => {
  await shop.place("AAA111", "01JDXQ8V2M3N4P5Q6R7S8T9VWX");
  const page = await shop.browser.open(
    `${shop.forno.origin}/?order=AAA111&order=01JDXQ8V2M3N4P5Q6R7S8T9VWX`);
  await page.is(`texts(".number")`, ["AAA111", "…8T9VWX"]);
  await shop.update("AAA111", { status: "Cancelled" });
  await page.says("AAA111\n\nThis order was cancelled.\n\nNothing will be made.");
  await page.tap("Order something else");
  await page.until(topping("Mushrooms"));
});
