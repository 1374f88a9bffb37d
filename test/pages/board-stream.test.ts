/** What a board shows while others change it, and when it hears nothing (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnForno } from "../helpers/forno.ts";
import { cardIn, cardOf, holdBack, openShop, shopOf } from "./shop.ts";
import { findBrowser } from "./browser.ts";

const id = "AAA111";
const card = cardOf(id);

test("of two tablets on one order the slower changes nothing and sees the newer", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  // The other tablet's tap lands between this one's tap and its write.
  await board.run(`
    const real = fetch;
    window.fetch = async (path, request) => {
      if (request.method !== "PATCH" || window.overtaken) return real(path, request);
      window.overtaken = true;
      const headers = { authorization: request.headers.get("authorization") };
      await real(path, { method: "PATCH", headers, body: '{"status":"Out for Delivery"}' });
      return real(path, request);
    };`);
  await board.click(`${card} .main`);
  await board.until(cardIn("Out for Delivery", id));
  await board.until(`document.querySelector("#notices").textContent.includes("another screen")`);
  assert.equal(await shop.statusOf(id), "Out for Delivery");
  assert.deepEqual(await board.complaints(/ 412 /), []);
});

test("what one tablet does shows on the other", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const [one, other] = await Promise.all([shop.board(), shop.board()]);
  await other.until(cardIn("Pending", id));
  await one.click(`${card} .main`);
  await other.until(cardIn("Preparing", id));
  await other.click(`${card} .main`);
  await one.until(cardIn("Ready", id));
});

test("a new order is announced in words, once; what was there or has changed is not", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  await board.run(`window.heard = [];
    for (const region of document.querySelectorAll("[role=status], [aria-live=polite]")) {
      new MutationObserver(() => window.heard.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });
    }`);
  await shop.place({ id: "K7QX3M" });
  await board.until(cardIn("Pending", "K7QX3M"));
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  const [token, path] = [shop.forno.staff, "/api/orders/K7QX3M"];
  for (const status of ["Preparing", "Delivered", "Ready"]) {
    await shop.forno.call("PATCH", path, { token, body: { status } });
  }
  await board.until(cardIn("Ready", "K7QX3M"));
  await shop.place({ id: "BBB222" });
  await board.until(cardIn("Pending", "BBB222"));
  assert.deepEqual(await board.run("return heard"), ["New order K7QX3M", "New order BBB222"]);
});

test("a list that arrives late takes no newer order away", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: holdBack("api/orders?embed"),
  });
  await board.reload();
  await board.until("window.letGo");
  await shop.place();
  await board.run("window.letGo()");
  await board.until(cardIn("Pending", id));
  assert.ok(await board.run("return window.isTaken"));
});

test("a server that is killed and started again is missed, and caught up with", async (t) => {
  const browser = await findBrowser(t);
  if (browser === undefined) return;
  const first = await spawnForno(t);
  const shop = shopOf(first, browser);
  await shop.place();
  const [board, page] = await Promise.all([
    shop.board(), browser.open(`${first.origin}/?order=${id}#token=${first.customer}`),
  ]);
  await page.until(`document.querySelector(".steps .now")`);
  first.child.kill("SIGKILL");
  for (const window of [board, page]) {
    await window.until(`!document.querySelector("#offline").hidden`);
    await window.until(`/update [1-9]\\d* s/.test(document.querySelector("#offline").innerText)`);
  }
  const env = { PORT: String(first.port), TOKEN_SECRET: first.secret };
  const second = await spawnForno(t, { dataDir: first.dataDir, env });
  const [token, body] = [second.staff, { status: "Ready" }];
  await second.call("PATCH", `/api/orders/${id}`, { token, body });
  await board.until(cardIn("Ready", id));
  await page.until(`document.querySelector(".steps .now").textContent === "Ready"`);
  for (const window of [board, page]) {
    await window.until(`document.querySelector("#offline").hidden`);
    assert.deepEqual(await window.complaints(/net::ERR_/), []);
  }
});

test("a server that answers no more is missed within ten seconds", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const board = await shop.board();
  shop.forno.child.kill("SIGSTOP");
  t.after(() => shop.forno.child.kill("SIGCONT"));
  await board.run("window.since = performance.now();");
  await board.until(`!document.querySelector("#offline").hidden`);
  assert.ok(await board.run<number>("return performance.now() - since") < 10_000);
  shop.forno.child.kill("SIGCONT");
  await board.until(`document.querySelector("#offline").hidden`);
});

/** What the bars at the top say and does not fit in them. */
const spilled = `
  const range = document.createRange();
  return [...document.querySelectorAll("#bars > *")].filter((one) => {
    range.selectNodeContents(one);
    return one.checkVisibility()
      && range.getBoundingClientRect().height > one.getBoundingClientRect().height;
  }).map((one) => one.textContent);`;

for (const width of [320, 768]) {
  test(`a lost board says so whole, ${width} px wide and in German`, async (t) => {
    const shop = await openShop(t);
    if (shop === undefined) return;
    const { origin, token, child } = shop.forno;
    // Its sign-in ends soon, nobody has tapped for sound: each of them would say so too.
    const staff = token({ role: "staff", exp: Math.floor(Date.now() / 1_000) + 600 });
    const view = { width, height: 1024, language: "de" };
    const board = await shop.browser.open(`${origin}/board#token=${staff}`, view);
    await board.until(`document.querySelector(".amount").textContent === "0"`);
    child.kill("SIGSTOP");
    t.after(() => child.kill("SIGCONT"));
    await board.until(`document.querySelector("#offline").innerText.includes("Verbindung")`);
    assert.deepEqual(await board.run(spilled), []);
    assert.equal(await board.run("return document.documentElement.scrollWidth"), width);
    child.kill("SIGCONT");
  });
}

test("a board signed out and lost at once says both whole, however narrow", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const { origin, child } = shop.forno;
  for (let index = 0; index < 12; index += 1) await shop.place({ id: `order${index}` });
  const boards = await Promise.all(["en", "it", "de", "fr", "es", "ar"].map((language) =>
    shop.browser.open(`${origin}/board`, { language })));
  for (const board of boards) await board.until(`document.querySelectorAll(".card").length === 12`);
  child.kill("SIGSTOP");
  t.after(() => child.kill("SIGCONT"));
  for (const board of boards) {
    await board.until(`!document.querySelector("#offline").hidden`);
    for (const width of [320, 390, 700, 768, 1280]) {
      await board.resize(width, 800);
      assert.deepEqual(await board.run(spilled), [], `${width} px`);
      for (const bar of ["#sign-in-bar", "#offline-alert", "#offline-age"]) {
        const isSeen = `return document.querySelector("${bar}").checkVisibility()`;
        assert.ok(await board.run(isSeen), `${bar}, ${width} px`);
      }
      assert.equal(await board.run("return document.documentElement.scrollWidth"), width);
    }
  }
  child.kill("SIGCONT");
});
