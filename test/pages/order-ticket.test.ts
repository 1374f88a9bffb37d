/** Placed orders, followed on the page that ordered them and on others (contract part 7). */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { choose, placedNumber, topping } from "./customer.ts";
import { shopTest, type Shop } from "./shop.ts";

async function move(shop: Shop, id: string, status: string): Promise<void> {
  const { staff: token } = shop.forno;
  await shop.forno.call("PATCH", `/api/orders/${id}`, { token, body: { status } });
}

async function orderAsGuest(shop: Shop): Promise<Window> {
  const page = await shop.browser.open(`${shop.forno.origin}/`);
  await page.until(topping("Mushrooms"));
  await choose(page, "Mushrooms");
  await page.click("#place");
  await placedNumber(page);
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
    await move(shop, number, "Preparing");
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
  await page.until(topping("Mushrooms"));
  await choose(page, "Mushrooms");
  await page.click("#place");
  const id = await placedNumber(page);
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
  await move(shop, id, "Preparing");
  await page.until(`document.title.startsWith("Being made")`);
  assert.deepEqual(await page.run("return told"), []);
  await move(shop, id, "Ready");
  await page.until("told.length === 2");
  assert.deepEqual(await page.run("return told"),
    [[300, 150, 300], ["Ready! Come and get it.", id]]);
  assert.match(await page.run(`return document.querySelector("#page > [role=status]").textContent`), /: Ready!/);
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
    await move(shop, id, "Ready");
    await page.until("told.length > 0");
    assert.deepEqual(await page.run("return told"),
      [["Ready! Come and get it.", id, "/pages/current/ready-worker.js"]]);
    assert.deepEqual(await page.complaints(), []);
  });

shopTest("an order that is not there, or was cancelled, says so", async (shop) => {
  await shop.place();
  await move(shop, "AAA111", "Cancelled");
  const page = await shop.browser.open(`${shop.forno.origin}/?order=AAA111&order=NOBODY`);
  await page.until(`document.querySelectorAll("article").length === 2`);
  assert.match(await page.text(), /AAA111\n+This order was cancelled/);
  assert.match(await page.text(), /NOBODY\n+We can’t find this order/);
  await page.complaints(/ 404 /);
});

shopTest("pizzas of one number share a ticket, which says how many are ready", async (shop) => {
  const ids = [1, 2, 3].map((at) => `K7QX3M-${at}`);
  for (const id of ids) await shop.place({ id });
  await move(shop, "K7QX3M-1", "Ready");
  const query = ids.map((id) => `order=${id}`).join("&");
  const page = await shop.browser.open(`${shop.forno.origin}/?${query}`);
  await page.until(`document.querySelector("article")`);
  assert.match(await page.text(), /K7QX3M\n+1 of 3 pizzas is ready\./);
  const states = `[...document.querySelectorAll(".part .state")]
    .map((one) => one.textContent.split(",")[0]).join(" ")`;
  assert.equal(await page.run(`return ${states}`), "Ready Received Received");
  await move(shop, "K7QX3M-2", "Cancelled");
  await page.until(`${states} === "Ready Cancelled Received"`);
  await move(shop, "K7QX3M-3", "Ready");
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
    await move(shop, "AAA111", status);
    const rest = status === "Preparing" ? "Tell me when it is ready," : "";
    await page.until(`${offers} === "${rest}Order something else,Copy link,Order again"`);
  }
  assert.match(await page.text(), /This order was cancelled\.\n+Nothing will be made\./);
});

shopTest("ordering again begins with the same pizzas and drinks", async (shop) => {
  await shop.place();
  const page = await shop.orderPage();
  await page.go(`${shop.forno.origin}/?order=AAA111`);
  await page.until(`document.querySelector("article")`);
  await page.click("[data-do=again]");
  await page.until(`document.querySelector("#chosen")`);
  assert.deepEqual(await page.run(`return [...document.querySelectorAll("#chosen :is(h3, .soft)")]
    .map((one) => one.textContent)`), ["Large", "Mushrooms, 2× Mozzarella", "1 drink", "Chinotto"]);
});
