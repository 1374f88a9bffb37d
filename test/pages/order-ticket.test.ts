/** Placed orders, followed on the page that ordered them and on others (contract part 7). */

import assert from "node:assert/strict";
import type { View } from "./browser.ts";
import { answer, choose, chosen, order, placedNumber, topping } from "./customer.ts";
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

const notifying = `window.told = [];
  navigator.vibrate = (pattern) => { told.push(pattern); };
  window.Notification = class extends EventTarget {
    static permission = "default";
    static async requestPermission() { return Notification.permission = "granted"; }
    constructor(title, { body }) { super(); told.push([title, body]); }
  };`;
/** As on phones. */
const byWorker = `${notifying}
  window.Notification = class extends Notification {
    constructor() { throw new TypeError("Illegal constructor. Use the worker."); }
  };
  ServiceWorkerRegistration.prototype.showNotification = async function (title, { body }) {
    told.push([title, body, new URL(this.active.scriptURL).pathname]);
  };`;

for (const [name, before, worker] of [
  ["at Ready the phone shakes and says so, once", notifying, []],
  ["where a page itself shows no notification, its worker does", byWorker,
    ["/pages/current/ready-worker.js"]],
] as const) {
  shopTest(name, { GUEST_ORDERS: "on" }, async (shop) => {
    const view: View = { width: 320, height: 700, before };
    const page = await shop.browser.open(shop.forno.origin, view);
    const id = await order(page, "Mushrooms");
    await page.click("[data-do=notify]");
    await page.is(`$("[data-do=notify]")`, null);
    if (worker.length > 0) {
      await page.until(`navigator.serviceWorker.getRegistration("pages/current/")
        .then((one) => one?.active != null)`);
    }
    await shop.update(id, { status: "Preparing" });
    await page.until(`document.title.startsWith("Being made")`);
    await page.is("told", []);
    await shop.update(id, { status: "Ready" });
    await page.is("told", [[300, 150, 300], ["Ready! Come and get it.", id, ...worker]]);
    await page.until(`$("#page > [role=status]").textContent.includes(": Ready!")`);
    await page.reload();
    await placedNumber(page);
    await page.is("told", []);
    assert.deepEqual(await page.complaints(), []);
  });
}

shopTest("an order that is not there gets another look", async (shop) => {
  await shop.place();
  const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA112`);
  await page.until(`$("article")`);
  assert.match(await page.text(), /AAA112\n+We can’t find this order\.\n+Check the number/);
  await page.run(`$("article input").value = "aaa111"`);
  await page.tap("Look again");
  await page.says("AAA111\n\nThe kitchen has your order");
  assert.deepEqual(await page.complaints(), []);
});

shopTest("a stranger's device opens an order with the link that the shop gave out",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place();
    const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111`);
    await page.type("article input", `${shop.forno.origin}/#token=${shop.forno.customer}`);
    await page.tap("Open");
    await page.says("The kitchen has your order");
    await page.complaints(/ 401 /);
  });

shopTest("the visits of the day are rows with state and time, three until more are asked for",
  async (shop) => {
    const page = await shop.orderPage();
    const visits = [["AAA111"], ["AAA222-1", "AAA222-2"], ["AAA333"], ["AAA444"]];
    for (const id of visits.flat()) await shop.place({ id });
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
  await shop.place({ id: "table-7-AAA111" });
  await shop.update("table-7-AAA111", { status: "Ready" });
  const page = await shop.browser.open(`${shop.forno.origin}/?order=table-7-AAA111`);
  await page.says("Ready! We’re bringing it.");
  assert.match(await page.text(), /Table 7\n+AAA111\n+Ready![^]*Served/);
});

shopTest("a placed order is welcomed once, and with less motion nothing moves",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin);
    await order(page, "Mushrooms");
    await page.says("Thank you! The kitchen has it.");
    const lasts = `getComputedStyle($(".thanks .pizza")).animationDuration`;
    await page.is(lasts, "0.4s");
    await page.emulateMedia({ "prefers-reduced-motion": "reduce" });
    await page.is(lasts, "0s");
    await page.reload();
    await page.says("The kitchen has your order and starts soon.");
    await page.is(`$(".thanks")`, null);
  });

shopTest("pizzas of one number share a ticket, which says how many are ready", async (shop) => {
  const ids = [1, 2, 3].map((at) => `K7QX3M-${at}`);
  for (const id of ids) await shop.place({ id });
  await shop.update("K7QX3M-1", { status: "Ready" });
  const query = ids.map((id) => `order=${id}`).join("&");
  const page = await shop.browser.open(`${shop.forno.origin}/?${query}`);
  await page.says("K7QX3M\n\n1 of 3 pizzas is ready.");
  const states = `$$(".part .state").map((one) => one.textContent.split(",")[0])`;
  await page.is(states, ["Ready", "Received", "Received"]);
  await shop.update("K7QX3M-2", { status: "Cancelled" });
  await page.is(states, ["Ready", "Cancelled", "Received"]);
  await shop.update("K7QX3M-3", { status: "Ready" });
  await page.is(`$(".news").textContent`, "Ready! Come and get it.");
});

shopTest("an order that is over offers nothing more to wait for", async (shop) => {
  await shop.place();
  // Some browsers without a window refuse notifications from the start.
  const before = `window.Notification = class { static permission = "default"; };`;
  const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111`, { before });
  for (const status of ["Pending", "Delivered", "Preparing", "Cancelled"]) {
    await shop.update("AAA111", { status });
    const wait = ["Pending", "Preparing"].includes(status) ? ["Tell me when it is ready"] : [];
    await page.is(`$$(".ticket > .actions > *").map((one) => one.textContent)`,
      [...wait, "Order something else", "Copy link", "Order again"]);
  }
  await page.says("AAA111\n\nThis order was cancelled.\n\nNothing will be made.");
});

shopTest("ordering again begins with the same, in place of what was begun if that is meant",
  async (shop) => {
    await shop.place();
    const page = await shop.orderPage();
    await choose(page, "Basil");
    await page.go(`${shop.forno.origin}/?order=AAA111`);
    for (const label of ["Keep mine", "Begin with this one"]) {
      await page.tap("Order again");
      await answer(page, label);
    }
    await page.is(chosen, ["Large", "Mushrooms, 2× Mozzarella", "1 drink", "Chinotto"]);
  });
