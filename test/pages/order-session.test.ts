/** The order page keeps baskets and sign-ins, and knows who may order (contract part 7). */

import assert from "node:assert/strict";
import { answer, choose, order, orders, placedNumber, setOffline, topping } from "./customer.ts";
import { shopTest } from "./shop.ts";

shopTest("what was chosen survives a reload", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Mushrooms", "Mozzarella", "Mozzarella");
  const summary = `document.querySelector("#chosen").textContent`;
  const chosen = await page.run(`return ${summary}`);
  await page.reload();
  await page.until(`document.querySelectorAll(".tiles .chosen").length === 2`);
  assert.equal(await page.run(`return ${summary}`), chosen);
});

shopTest("a tab has the sign-in of another and shows what that chooses", async (shop) => {
  const page = await shop.orderPage();
  assert.equal(await page.address(), `${shop.forno.origin}/`, "without the token");
  const tab = await shop.browser.open(`${shop.forno.origin}/`, { beside: page });
  await tab.until(topping("Basil"));
  await tab.run(`const real = Storage.prototype.setItem;
    window.written = [];
    Storage.prototype.setItem = function (...entry) {
      window.written.push(entry);
      real.apply(this, entry);
    };`);
  await choose(page, "Basil");
  await tab.until(`document.querySelector("#chosen").textContent.includes("Basil")`);
  assert.deepEqual(await tab.run("return window.written"), [], "it never writes that back");
  await tab.click("#place");
  await placedNumber(tab);
});

shopTest("the order's link survives a reload and works for anyone it is sent to", async (shop) => {
  const page = await shop.orderPage();
  const number = await order(page, "Basil");
  const address = await page.address();
  assert.equal(address, `${shop.forno.origin}/?order=${number}`);
  await page.reload();
  assert.equal(await placedNumber(page), number);
  const friend = await shop.browser.open(address);
  assert.equal(await placedNumber(friend), number);
  assert.match(await friend.text(), /Basil/);
});

shopTest("a link with no token in it, or with one that is refused, signs nobody out",
  async (shop) => {
    const page = await shop.orderPage();
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const forged = shop.forno.token({ role: "customer", sub: "bruno", exp }).slice(0, -4) + "AAAA";
    for (const value of ["garbage", "a.b.c", forged]) {
      await page.go(`${shop.forno.origin}/#token=${value}`);
      await page.until(`location.hash === ""`);
    }
    await page.until(`performance.getEntriesByType("resource")
      .some(({ name, responseStatus }) => name.endsWith("/api") && responseStatus === 401)`);
    await order(page, "Basil");
    await page.complaints(/ 401 /);
  });

shopTest("somebody else's sign-in takes the place of one only when that is wanted",
  { ORDER_READS: "own" }, async (shop) => {
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const bruno = shop.forno.token({ role: "customer", sub: "bruno", exp });
    const page = await shop.orderPage();
    const owner = async (): Promise<string> => page.run(`return JSON.parse(
      atob(Object.entries(localStorage).find(([name]) => name.endsWith("/token"))[1].split(".")[1])
    ).sub`);
    for (const [label, sub] of [["Stay carla", "carla"], ["Sign in as bruno", "bruno"]] as const) {
      await page.go(`${shop.forno.origin}/#token=${bruno}`);
      await page.until(`document.querySelector("dialog[open]")`);
      assert.match(await page.text(), /You are signed in as carla\. Sign in as bruno instead\?/);
      await answer(page, label);
      assert.equal(await owner(), sub);
    }
  });

/** The order's button as people see it: what it says, whether it does nothing, and why. */
const step = `(() => {
  const button = document.querySelector("#place");
  const why = document.getElementById(button.getAttribute("aria-describedby"));
  return [button.textContent, button.ariaDisabled === "true", why.innerText].join("; ");
})()`;

shopTest("the button says what a press does, and why nothing can be ordered", async (shop) => {
  const page = await shop.browser.open(shop.forno.origin);
  await page.until(topping("Mushrooms"));
  await choose(page, "Mushrooms");
  await page.until(`${step} === "Show me; false; A link is needed to order"`);
  await page.tap("Show me");
  assert.equal(await page.run("return document.activeElement.id"), "access");
  await page.go(`${shop.forno.origin}/#token=${shop.forno.customer}`);
  await page.until(`${step} === "Place order; false; "`);
  await shop.change({ isOpen: false });
  await page.until(`${step}
    === "Place order; true; The shop is closed and takes no orders right now."`);
  await page.tap("Place order");
  await shop.change({ isOpen: true });
  await page.until(`${step} === "Place order; false; "`);
  await setOffline(page, true);
  await page.until(`${step}
    === "Check again; false; You can place the order once you’re online."`);
  assert.match(await page.text(), /You’re offline. Your pizza is kept\./);
  await page.tap("Check again");
  await setOffline(page, false);
  await page.until(`${step} === "Place order; false; "`);
  assert.doesNotMatch(await page.text(), /offline/);
  assert.deepEqual(await orders(shop), []);
  await page.complaints(/ERR_INTERNET_DISCONNECTED/);
});

shopTest("guests are never told that they need a link, not even for a moment",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const page = await shop.browser.open("about:blank");
    await page.devtools("Page.addScriptToEvaluateOnNewDocument", {
      source: `addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
        window.wasTold ||= document.querySelector("#access") !== null
          || (document.querySelector("#note")?.textContent ?? "") !== "";
      }).observe(document, { attributes: true, childList: true, subtree: true }));`,
    });
    await page.go(shop.forno.origin);
    await page.until(topping("Mushrooms"));
    await choose(page, "Mushrooms");
    assert.equal(await page.run(`return window.wasTold || ${step}`), "Place order; false; ");
  });

shopTest("a token that has run out is dropped and the page reads on without it", async (shop) => {
  const old = shop.forno.token({ role: "customer", sub: "carla", exp: 1_700_000_000 });
  const page = await shop.browser.open(`${shop.forno.origin}/#token=${old}`);
  await page.until(topping("Mushrooms"));
  await page.until(`document.querySelector("#access")`);
  assert.deepEqual(await page.complaints(/ 401 /), []);
});

shopTest("what the device kept is dropped where it does not fit", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  const old = { number: "K7QX3M", pizzas: [{ size: "grande" }], current: 0, at: Date.now() };
  const broken = ['{"number":"K7', "null", "[]", JSON.stringify(old)];
  for (const value of broken) {
    await page.run(`for (const name of ["basket", "visits"]) {
      localStorage.setItem("/" + name, arguments[0]);
    }`, value);
    await page.reload();
    await page.until(topping("Basil"));
    assert.equal(await page.run(`return document.querySelector("#chosen p").textContent`),
      "No toppings yet");
  }
  await order(page, "Basil");
  assert.deepEqual(await page.complaints(), []);
});

shopTest("a late 401 of an old token does not sign out the new one", async (shop) => {
  const page = await shop.orderPage();
  const exp = Math.floor(Date.now() / 1_000) + 7_200;
  const renewed = shop.forno.token({ role: "customer", sub: "carla", exp });
  await choose(page, "Basil");
  await page.intercept("POST", `if (window.refuse) return;
    await new Promise((resolve) => { window.refuse = resolve; });
    return new Response("{}", { status: 401 });`);
  await page.click("#place");
  await page.until("window.refuse");
  await page.go(`${shop.forno.origin}/#token=${renewed}`);
  await page.until(`localStorage.getItem("/token") === arguments[0]`, renewed);
  await page.run("window.refuse()");
  await page.until(`document.querySelector("#note").textContent === "You are signed out."`);
  assert.equal(await page.run(`return localStorage.getItem("/token")`), renewed);
  await page.click("#place");
  await placedNumber(page);
});
