/** A shop that refuses a sign-in for a while: what the pages show, keep and ask (part 7). */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { deaf, findBrowser, hasty, type Window } from "./browser.ts";
import {
  choose, holdings, message, order, orders, placedNumber, topping,
} from "./customer.ts";
import { cardIn, cardOf, type Shop, shopOf, shopTest } from "./shop.ts";

/** Ends the server and starts it again, as it was but for these settings. */
type Restart = (wrong?: Readonly<Record<string, string>>) => Promise<void>;

const env = { GUEST_ORDERS: "on", ORDER_READS: "own" };

function restartTest(
  name: string, act: (shop: Shop, restart: Restart, t: TestContext) => Promise<void>,
): void {
  test(name, async (t) => {
    const browser = findBrowser(t);
    if (browser === undefined) return;
    let server = await startForno(t, { env });
    const { dataDir, port } = server;
    await act(shopOf(server, browser), async (wrong = {}) => {
      await server.close();
      server = await startForno(t, { dataDir, env: { ...env, PORT: `${port}`, ...wrong } });
    }, t);
    assert.deepEqual(browser.faults, []);
  });
}

const anotherKey = { TOKEN_SECRET: "another secret of the tests, of forty bytes" };

/** Lets ten seconds pass until the expression is true. */
function untilAsked(page: Window, expression: string): Promise<unknown> {
  return page.until(`endTen() || (${expression})`);
}

/** The paths that the page has asked for since the last call. */
const asked = `(() => {
  const entries = performance.getEntriesByType("resource");
  performance.clearResourceTimings();
  return [...new Set(entries.map(({ name }) => new URL(name).pathname))];
})()`;

const since = "The shop hasn’t accepted this sign-in since";

restartTest("a board whose server starts with a fault goes on where it was once that is mended",
  async (shop, restart, t) => {
    const board = await shop.board({}, await shop.device("Pass"));
    const move = cardOf("AAA111", ".move-button");
    const stored = await board.run("return JSON.stringify(localStorage)");
    const { now } = Date;
    let ahead = 0;
    t.mock.method(Date, "now", () => now() + ahead);
    for (const [fault, settings, why] of [
      ["another key", anotherKey, "It doesn’t know this sign-in now."],
      ["its clock 40 days ahead", {}, "By its clock, this sign-in has ended."],
      ["an empty disk", { DATA_DIR: `${shop.forno.dataDir}-unmounted` },
        "This device was removed."],
    ] as const) {
      await shop.place("AAA111");
      await board.until(cardIn("New", "AAA111"));
      ahead = fault.includes("clock") ? 40 * 86_400_000 : 0;
      await restart(settings);
      await board.says(why);
      // A device that was removed has no order in memory.
      const isShown = fault !== "an empty disk";
      await board.is(`document.body.innerText.includes("AAA111")`, isShown, fault);
      if (isShown) {
        await board.says(since, "1 was waiting then.");
        // It promises nothing about a sign-in that has ended.
        await board.is(`document.body.innerText.includes("This page asks again")`,
          fault === "another key");
        await board.is(`[$(".badge-number").textContent, ${move}.ariaDisabled]`, ["1?", "true"]);
      } else {
        await board.is("document.title", "Forno: kitchen");
      }
      await board.run(`return ${asked}`);
      await untilAsked(board, `${asked}.includes("/api")`);
      await untilAsked(board, `(({ length }) => length > 0)(window.all = ${asked})`);
      await board.is("all", ["/api"], "it asks nothing else");
      ahead = 0;
      await restart();
      await untilAsked(board, `${move}?.ariaDisabled === null`);
      await board.tap("Start AAA111");
      await board.until(cardIn("Making", "AAA111"));
      await board.is("JSON.stringify(localStorage)", stored);
      await shop.forno.write("DELETE", "/api/orders/AAA111");
      await board.tap("OK AAA111");
    }
  });

restartTest("a guest's page follows its orders again once the server knows it again",
  async (shop, restart) => {
    const page = await shop.browser.open(shop.forno.origin);
    const number = await order(page, "Basil");
    const token = await page.run(`return localStorage.getItem("/token")`);
    await restart(anotherKey);
    await page.says(since, "It doesn’t know this sign-in now.", number, "Basil");
    await page.reload();
    await page.says(since, `${number}\n\nThe shop doesn’t accept this sign-in now.`);
    await restart();
    await untilAsked(page, `$(".tracker-number")?.textContent === ${JSON.stringify(number)}
      && document.body.innerText.includes("Basil")`);
    await page.is(`localStorage.getItem("/token")`, token);
  });

restartTest("a guest whom the server does not know orders as another, who sees that order alone",
  async (shop, restart) => {
    const page = await shop.browser.open(shop.forno.origin);
    const number = await order(page, "Basil");
    await page.tap("Order something else");
    await page.until(topping("Rocket"));
    await restart(anotherKey);
    const other = await order(page, "Rocket");
    await page.go(`${shop.forno.origin}/?group=${number}`);
    await page.says(`We have your order ${number}. This phone can’t follow it; ask the shop.`);
    await page.go(`${shop.forno.origin}/?group=${other}`);
    await page.says("Rocket");
  });

shopTest("a guest whose token is refused while an answer is missing orders once",
  env, async (shop) => {
    // Neither an event nor a list tells that it has arrived.
    const page = await shop.browser.open(shop.forno.origin, { before: `${deaf} ${hasty}` });
    await choose(page, "Basil");
    await page.intercept("POST api/orders", `if (count > 2) return;
      if (count === 2) return new Response("{}", { status: 401 });
      await send();
      throw new TypeError("lost on the way");`);
    await page.intercept("GET api/orders", `return new Response("[]");`);
    await page.tap("Place order");
    await page.says("We have your order", "This phone can’t follow it; ask the shop.");
    assert.deepEqual(await holdings(shop), [["Basil"]]);
  });

shopTest("a link that the shop does not accept is not stored, and what it refuses can be forgotten",
  { GUEST_ORDERS: "off" }, async (shop) => {
    const { origin, customer, token } = shop.forno;
    const made = `${token({ role: "staff", sub: "mallory" }).slice(0, -4)}AAAA`;
    const page = await shop.browser.open(`${origin}/#token=${made}`);
    await page.says("The shop doesn’t accept this sign-in now.");
    await page.tap("Close");
    await choose(page, "Basil");
    await page.says("A link is needed to order");
    await page.is(`localStorage.getItem("/token")`, null);
    await page.go(`${origin}/#token=${customer}`);
    await page.is(`localStorage.getItem("/token")`, customer);
    await page.intercept("", `return new Response("{}", { status: 401 });`);
    await page.run(`dispatchEvent(new Event("offline"));`);
    await page.says(since, "A link is needed to order", "Forget this sign-in");
    await page.tap("Forget this sign-in");
    await page.is(`localStorage.getItem("/token")`, null);
  });

shopTest("a customer's sign-in that has ended does not hide the board's beside it",
  { GUEST_ORDERS: "off" }, async (shop) => {
    const { origin, customer } = shop.forno;
    const board = await shop.board();
    await board.run(`localStorage.setItem("/token", arguments[0]);`, customer);
    const before = `const real = fetch;
      window.fetch = (path, init) => new Headers(init?.headers).get("authorization")
        ?.includes(${JSON.stringify(customer)})
        ? Promise.resolve(new Response("{}", { status: 401 })) : real(path, init);`;
    const tab = await shop.browser.open(origin, { beside: board, before });
    await choose(tab, "Basil");
    await tab.fill("#table", "7");
    await tab.tap("Place order");
    await placedNumber(tab);
    assert.equal((await orders(shop))[0]?.["table"], "Table 7");
  });

shopTest("an order page beside the board takes nothing from it when both are refused",
  env, async (shop) => {
    await shop.place("AAA111");
    const board = await shop.board();
    const page = await shop.browser.open(shop.forno.origin, { beside: board });
    await choose(page, "Basil");
    const stored = await board.run(`return localStorage.getItem("/board-token")`);
    for (const one of [page, board]) {
      await one.intercept("", `if (window.isRight) return;
        return new Response("{}", { status: 401 });`);
      await one.run(`dispatchEvent(new Event("offline"));`);
      await one.says(since);
    }
    await page.is(message, "The shop doesn’t accept this sign-in now.");
    await board.until(cardOf("AAA111"));
    await board.is(`localStorage.getItem("/board-token")`, stored);
    for (const one of [page, board]) await one.run("isRight = true;");
    await untilAsked(board, `${cardOf("AAA111", ".move-button")}.ariaDisabled !== "true"`);
    await untilAsked(page, `$("#place").textContent === "Place order"
      && $("#place").ariaDisabled !== "true"`);
  });
