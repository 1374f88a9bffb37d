/** Placed orders, followed on the page that ordered them and on others (contract part 7). */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { answer, choose, order, placedNumber, topping } from "./customer.ts";
import { shopTest, type Shop } from "./shop.ts";

async function orderAsGuest(shop: Shop): Promise<Window> {
  const page = await shop.browser.open(`${shop.forno.origin}/`);
  await order(page, "Mushrooms");
  return page;
}

shopTest("the device of a guest finds its orders again, by link and from the menu",
  { GUEST_ORDERS: "on", ORDER_READS: "own" }, async (shop) => {
    const page = await orderAsGuest(shop);
    const [number, address] = [await placedNumber(page), await page.address()];
    const tab = await shop.browser.open(address, { beside: page });
    assert.equal(await placedNumber(tab), number);
    await tab.tap("Order something else");
    await tab.until(`document.querySelector(".visits") !== null`);
    await tab.click(".visits a");
    assert.equal(await placedNumber(tab), number);
    assert.equal(await tab.address(), address);
    await shop.update(number, { status: "Preparing" });
    for (const one of [page, tab]) await one.until(`document.title.startsWith("Being made")`);
    assert.deepEqual(await page.complaints(), []);
    const stranger = await shop.browser.open(address);
    await stranger.until(`document.querySelector("article")`);
    assert.match(await stranger.text(), /This phone can’t open this order/);
    await stranger.complaints(/ 401 /);
  });

shopTest("orders of yesterday are no longer led back to", { GUEST_ORDERS: "on" }, async (shop) => {
  const page = await orderAsGuest(shop);
  await page.run(`const [name, value] = Object.entries(localStorage)
      .find(([name]) => name.endsWith("/visits"));
    const [visit] = JSON.parse(value);
    localStorage.setItem(name, JSON.stringify([{ ...visit, at: visit.at - 24 * 3600000 }]));`);
  await page.go(`${shop.forno.origin}/`);
  await page.until(topping("Mushrooms"));
  assert.equal(await page.run(`return document.querySelector(".visits") !== null`), false);
});

/** Places an order and asks to be told when it is ready. Resolves to its number. */
async function orderWithNews(shop: Shop, page: Window): Promise<string> {
  await page.go(`${shop.forno.origin}/`);
  const id = await order(page, "Mushrooms");
  await page.click("[data-do=notify]");
  await page.until(`!document.querySelector("[data-do=notify]")`);
  return id;
}

shopTest("at Ready the phone shakes and says so, once", { GUEST_ORDERS: "on" }, async (shop) => {
  const page = await shop.browser.open("about:blank", { width: 320, height: 700 });
  await page.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.told = [];
      navigator.vibrate = (pattern) => { told.push(pattern); };
      window.Notification = class extends EventTarget {
        static permission = "default";
        static async requestPermission() { return Notification.permission = "granted"; }
        constructor(title, { body }) { super(); told.push([title, body]); }
      };`,
  });
  const id = await orderWithNews(shop, page);
  await shop.update(id, { status: "Preparing" });
  await page.until(`document.title.startsWith("Being made")`);
  assert.deepEqual(await page.run("return told"), []);
  await shop.update(id, { status: "Ready" });
  await page.until("told.length === 2");
  assert.deepEqual(await page.run("return told"),
    [[300, 150, 300], ["Ready! Come and get it.", id]]);
  const heard = `return document.querySelector("#page > [role=status]").textContent`;
  assert.match(await page.run(heard), /: Ready!/);
  await page.reload();
  await placedNumber(page);
  assert.deepEqual(await page.run("return told"), []);
});

shopTest("on a phone, where a page itself shows no notification, its worker does",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open("about:blank");
    await page.devtools("Page.addScriptToEvaluateOnNewDocument", {
      source: `window.told = [];
        window.Notification = class {
          static permission = "default";
          static async requestPermission() { return Notification.permission = "granted"; }
          constructor() { throw new TypeError("Illegal constructor. Use the worker."); }
        };
        ServiceWorkerRegistration.prototype.showNotification = async function (title, { body }) {
          told.push([title, body, new URL(this.active.scriptURL).pathname]);
        };`,
    });
    const id = await orderWithNews(shop, page);
    await page.until(`navigator.serviceWorker.getRegistration("pages/current/")
      .then((one) => one?.active != null)`);
    await shop.update(id, { status: "Ready" });
    await page.until("told.length > 0");
    assert.deepEqual(await page.run("return told"),
      [["Ready! Come and get it.", id, "/pages/current/ready-worker.js"]]);
    assert.deepEqual(await page.complaints(), []);
  });

shopTest("an order that is not there gets another look, and a cancelled one says so",
  async (shop) => {
    await shop.place();
    await shop.update("AAA111", { status: "Cancelled" });
    const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA112`);
    await page.until(`document.querySelector("article")`);
    assert.match(await page.text(), /AAA112\n+We can’t find this order\.\n+Check the number/);
    await page.run(`document.querySelector("article input").value = "aaa111"`);
    await page.tap("Look again");
    await page.says("This order was cancelled");
    assert.match(await page.text(), /AAA111\n+This order was cancelled/);
    assert.deepEqual(await page.complaints(), []);
  });

shopTest("a stranger's device opens an order with the link that the shop gave out",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place();
    const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111`);
    await page.until(`document.querySelector("article")`);
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
    await shop.update("AAA222-1", { status: "Ready" });
    await shop.update("AAA333", { status: "Ready" });
    await page.run(`localStorage.setItem("/visits", JSON.stringify(arguments[0].map((ids) =>
      ({ ids, at: Date.now() }))))`, visits);
    await page.reload();
    const rows = `[...document.querySelectorAll(".visits li")]
      .map((one) => one.innerText.replace(/\\s*\\d+:\\d+\\sPM/, "").replace(/\\s+/g, " ")).join()`;
    await page.until(`${rows}
      === "AAA111 Received,AAA222 1 of 2 ready,AAA333 Ready,All 4 today"`);
    await page.tap("All 4 today");
    await page.until(`${rows}.endsWith("AAA333 Ready,AAA444 Received")`);
    await page.click(".visits li:nth-child(2) a");
    await page.says("1 of 2 pizzas is ready.");
  });

shopTest("at a table the number is what is large, and the order is brought", async (shop) => {
  await shop.place({ id: "table-7-AAA111" });
  await shop.update("table-7-AAA111", { status: "Ready" });
  const page = await shop.browser.open(`${shop.forno.origin}/?order=table-7-AAA111`);
  await page.says("Ready! We’re bringing it.");
  assert.match(await page.text(), /Table 7\n+AAA111\n+Ready!/);
  assert.match(await page.text(), /Served/);
});

shopTest("a placed order is welcomed once, and with less motion nothing moves",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await orderAsGuest(shop);
    const lasts = `getComputedStyle(document.querySelector(".thanks .pizza")).animationDuration`;
    assert.match(await page.text(), /Thank you! The kitchen has it\./);
    assert.equal(await page.run(`return ${lasts}`), "0.4s");
    await page.devtools("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-reduced-motion", value: "reduce" }],
    });
    assert.equal(await page.run(`return ${lasts}`), "0s");
    await page.reload();
    await placedNumber(page);
    assert.match(await page.text(), /The kitchen has your order and starts soon\./);
    assert.equal(await page.run(`return document.querySelector(".thanks")`), null);
  });

shopTest("pizzas of one number share a ticket, which says how many are ready", async (shop) => {
  const ids = [1, 2, 3].map((at) => `K7QX3M-${at}`);
  for (const id of ids) await shop.place({ id });
  await shop.update("K7QX3M-1", { status: "Ready" });
  const query = ids.map((id) => `order=${id}`).join("&");
  const page = await shop.browser.open(`${shop.forno.origin}/?${query}`);
  await page.until(`document.querySelector("article")`);
  assert.match(await page.text(), /K7QX3M\n+1 of 3 pizzas is ready\./);
  const states = `[...document.querySelectorAll(".part .state")]
    .map((one) => one.textContent.split(",")[0]).join(" ")`;
  assert.equal(await page.run(`return ${states}`), "Ready Received Received");
  await shop.update("K7QX3M-2", { status: "Cancelled" });
  await page.until(`${states} === "Ready Cancelled Received"`);
  await shop.update("K7QX3M-3", { status: "Ready" });
  await page.until(`document.querySelector(".news").textContent === "Ready! Come and get it."`);
});

shopTest("an order that is over offers nothing more to wait for", async (shop) => {
  await shop.place();
  const page = await shop.browser.open("about:blank");
  // Some browsers without a window refuse notifications from the start.
  await page.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.Notification = class { static permission = "default"; };`,
  });
  await page.go(`${shop.forno.origin}/?order=AAA111`);
  const offers = `[...document.querySelectorAll(".ticket > .actions > *")]
    .map((one) => one.textContent).join()`;
  await page.until(`${offers} === "Tell me when it is ready,Order something else,Copy link,Order again"`);
  for (const status of ["Delivered", "Preparing", "Cancelled"]) {
    await shop.update("AAA111", { status });
    const rest = status === "Preparing" ? "Tell me when it is ready," : "";
    await page.until(`${offers} === "${rest}Order something else,Copy link,Order again"`);
  }
  assert.match(await page.text(), /This order was cancelled\.\n+Nothing will be made\./);
});

shopTest("ordering again begins with the same, in place of what was begun if that is meant",
  async (shop) => {
    await shop.place();
    const page = await shop.orderPage();
    await choose(page, "Basil");
    await page.go(`${shop.forno.origin}/?order=AAA111`);
    await page.until(`document.querySelector("article")`);
    await page.tap("Order again");
    await answer(page, "Keep mine");
    await page.tap("Order again");
    await answer(page, "Begin with this one");
    await page.until(`document.querySelector("#chosen")`);
    assert.deepEqual(await page.run(`return [...document.querySelectorAll("#chosen :is(h3, .soft)")]
      .map((one) => one.textContent)`), ["Large", "Mushrooms, 2× Mozzarella", "1 drink", "Chinotto"]);
  });
