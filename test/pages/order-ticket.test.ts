/** Placed orders, followed on the page that ordered them and on others (contract part 7). */

import assert from "node:assert/strict";
import { order, placedNumber, topping } from "./customer.ts";
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
    await shop.update(number, { status: "Preparing" });
    for (const one of [page, tab]) await one.until(`document.title.startsWith("Being made")`);
    assert.deepEqual(await page.complaints(), []);
    const stranger = await shop.browser.open(address);
    await stranger.says("This phone can’t open this order");
    await tab.run(`const [name, value] = Object.entries(localStorage)
        .find(([name]) => name.endsWith("/visits"));
      const [visit] = JSON.parse(value);
      localStorage.setItem(name, JSON.stringify([{ ...visit, at: visit.at - 24 * 3600000 }]));`);
    await tab.go(`${shop.forno.origin}/`);
    await tab.until(topping("Mushrooms"));
    await tab.is(`$(".visits")`, null);
    await stranger.complaints(/ 401 /);
  });

shopTest("an order that is not there is told so, and so is one of somebody else",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place("AAA111");
    const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111`);
    await page.says("AAA111\n\nThis phone can’t open this order.");
    await page.complaints(/ 401 /);
    const other = shop.forno.token({ role: "customer", sub: "bruno" });
    await page.go(`${shop.forno.origin}/?order=AAA111#token=${other}`);
    await page.says("AAA111\n\nWe can’t find this order.\n\nCheck the number");
    await page.is(`texts("main a, main button")`, ["Order a pizza"]);
  });

shopTest("the visits of the day are rows with state and time, three until more are asked for",
  async (shop) => {
    const page = await shop.orderPage();
    const visits = [["AAA111"], ["AAA222-1", "AAA222-2"], ["AAA333"], ["AAA444"]];
    await shop.place(...visits.flat());
    for (const id of ["AAA222-1", "AAA333"]) await shop.update(id, { status: "Ready" });
    await page.run(`localStorage.setItem("/visits", JSON.stringify(arguments[0].map((ids) =>
      ({ ids, at: Date.now() }))))`, visits);
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
  await shop.place("table-7-AAA111");
  await shop.update("table-7-AAA111", { status: "Ready" });
  const page = await shop.browser.open(`${shop.forno.origin}/?order=table-7-AAA111`);
  await page.says("Ready! We’re bringing it.");
  assert.match(await page.text(), /Table 7\n+AAA111\n+Ready![^]*Served/);
});

shopTest("a placed order is welcomed once", async (shop) => {
  const page = await shop.orderPage();
  await order(page, "Mushrooms");
  await page.says("Thank you! The kitchen has it.");
  await page.reload();
  await page.says("The kitchen has your order and starts soon.");
});

shopTest("pizzas of one number share a ticket, which says how many are ready", async (shop) => {
  const ids = [1, 2, 3].map((at) => `K7QX3M-${at}`);
  await shop.place(...ids.map((id) => ({ id, note: `For ${id.at(-1)}` })));
  await shop.update("K7QX3M-1", { status: "Ready" });
  const query = ids.map((id) => `order=${id}`).join("&");
  const page = await shop.browser.open(`${shop.forno.origin}/?${query}`);
  await page.says("K7QX3M\n\n1 of 3 pizzas is ready.");
  const states = `$$(".part .state").map((one) => one.textContent.split(",")[0])`;
  await page.is(states, ["Ready", "Received", "Received"]);
  await page.is(`texts(".part .note")`, ["For 1", "For 2", "For 3"]);
  await shop.update("K7QX3M-2", { status: "Cancelled" });
  await page.is(states, ["Ready", "Cancelled", "Received"]);
  await shop.update("K7QX3M-3", { status: "Ready" });
  await page.is(`$(".news").textContent`, "Ready! Come and get it.");
});

shopTest("an order that was cancelled is told so, and another one can begin", async (shop) => {
  await shop.place("AAA111");
  const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111`);
  await shop.update("AAA111", { status: "Cancelled" });
  await page.says("AAA111\n\nThis order was cancelled.\n\nNothing will be made.");
  await page.tap("Order something else");
  await page.until(topping("Mushrooms"));
});
