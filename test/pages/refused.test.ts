/** A shop that refuses a sign-in for a while: what the pages show, keep and ask (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type FornoProcess, spawnForno } from "../helpers/forno.ts";
import { findBrowser, type Window } from "./browser.ts";
import { choose, holdings, message, order, orders, placedNumber, topping } from "./customer.ts";
import { cardIn, cardOf, type Shop, shopOf, shopTest } from "./shop.ts";

type Start = (wrong?: Readonly<Record<string, string>>) => Promise<FornoProcess>;
type Act = (shop: Shop, start: Start) => Promise<void>;

const hourMs = 3_600_000;
const env = { GUEST_ORDERS: "on", ORDER_READS: "own" };

/** A test in a shop whose server `start` ends and starts again, with other settings or as it was. */
function restartTest(name: string, act: Act): void {
  test(name, async (t) => {
    const browser = findBrowser(t);
    if (browser === undefined) return;
    let server = await spawnForno(t, { env });
    const { dataDir } = server;
    const start: Start = async (wrong = {}) => {
      await server.end("SIGKILL");
      const { DATA_DIR = dataDir, ...others } = wrong;
      server = await spawnForno(t, {
        dataDir: DATA_DIR, env: { ...env, PORT: String(server.port), ...others },
      });
      return server;
    };
    await act(shopOf(server, browser), start);
    assert.deepEqual(browser.faults, []);
  });
}

/** For the environment: a clock that is so far ahead, also in the Date header. */
function clockAhead(ms: number): Readonly<Record<string, string>> {
  const script = `import http from "node:http";
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...parts) { super(...parts.length === 0 ? [Real.now() + ${ms}] : parts); }
      static now() { return Real.now() + ${ms}; }
    };
    const { writeHead } = http.ServerResponse.prototype;
    http.ServerResponse.prototype.writeHead = function (...head) {
      this.setHeader("date", new Date().toUTCString());
      return writeHead.apply(this, head);
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
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

for (const [fault, wrong, why] of [
  ["its clock 40 days ahead", () => clockAhead(960 * hourMs), "By its clock, this sign-in has ended."],
  ["another key", () => anotherKey, "It doesn’t know this sign-in now."],
] as const) {
  restartTest(`a board whose server starts with ${fault} goes on where it was once it is right`,
    async (shop, start) => {
      await shop.place("AAA111");
      const device = await shop.device("Pass");
      const board = await shop.board({}, device);
      await board.until(cardIn("Pending", "AAA111"));
      const stored = await board.run("return JSON.stringify(localStorage)");
      await start(wrong());
      await board.says(since, why, "1 was waiting then.", "This page asks again");
      await board.is(`[$(".badge").textContent, ${cardOf("AAA111", ".main")}.ariaDisabled]`,
        ["1?", "true"]);
      await board.run(`return ${asked}`);
      await untilAsked(board, `${asked}.includes("/api")`);
      await untilAsked(board, `(({ length }) => length > 0)(window.all = ${asked})`);
      await board.is("all", ["/api"], "it asks nothing else");
      await start();
      await shop.place("BBB222");
      await untilAsked(board, cardIn("Pending", "BBB222"));
      await board.tap("Start AAA111");
      await board.until(cardIn("Preparing", "AAA111"));
      await board.is("JSON.stringify(localStorage)", stored);
    });
}

restartTest("a board whose server starts without its disk shows nothing meanwhile, and comes back",
  async (shop, start) => {
    await shop.place("AAA111");
    const board = await shop.board({}, await shop.device("Pass"));
    await board.until(cardIn("Pending", "AAA111"));
    await start({ DATA_DIR: `${shop.forno.dataDir}-unmounted` });
    await board.says("This device was removed.");
    await board.is(`[document.body.innerText.includes("AAA111"), document.title]`,
      [false, "Forno: kitchen"]);
    await start();
    await untilAsked(board, cardIn("Pending", "AAA111"));
  });

restartTest("a server that starts with its clock an hour behind signs nobody out",
  async (shop, start) => {
    const page = await shop.browser.open(shop.forno.origin);
    const board = await shop.board({}, await shop.device("Pass"));
    const number = await order(page, "Basil");
    await board.until(cardIn("Pending", number));
    for (const [wrong, status] of [[clockAhead(-hourMs), "Preparing"], [{}, "Ready"]] as const) {
      await start(wrong);
      const [{ id }] = await orders(shop) as [{ id: string }];
      await shop.update(id, { status });
      await board.until(cardIn(status, number));
      await page.until(`$(".now .step").textContent === ${JSON.stringify(
        status === "Ready" ? status : "Being made")}`);
    }
  });

restartTest("a guest's page follows its orders again once the server knows it again",
  async (shop, start) => {
    const page = await shop.browser.open(shop.forno.origin);
    const number = await order(page, "Basil");
    const token = await page.run(`return localStorage.getItem("/token")`);
    await start(anotherKey);
    await page.says(since, "It doesn’t know this sign-in now.", number, "Basil");
    await page.reload();
    await page.says(since, `${number}\n\nThe shop doesn’t accept this sign-in now.`);
    await start();
    await untilAsked(page, `$(".number")?.textContent === ${JSON.stringify(number)}
      && document.body.innerText.includes("Basil")`);
    await page.is(`localStorage.getItem("/token")`, token);
  });

restartTest("a guest whom the server does not know orders as another, who sees that order alone",
  async (shop, start) => {
    const page = await shop.browser.open(shop.forno.origin);
    const number = await order(page, "Basil");
    await page.tap("Order something else");
    await page.until(topping("Rocket"));
    await start(anotherKey);
    const other = await order(page, "Rocket");
    await page.go(`${shop.forno.origin}/?group=${number}`);
    await page.says("This phone can’t open this order.");
    await page.go(`${shop.forno.origin}/?group=${other}`);
    await page.says("Rocket");
  });

shopTest("while an order of the basket is unanswered, a guest keeps the token that can tell of it",
  env, async (shop) => {
    // Neither an event nor a list tells that it has arrived.
    const before = `const real = fetch;
      window.fetch = (path, request) => path !== "api/events" ? real(path, request)
        : new Promise((_, reject) => { request.signal.onabort = reject; });`;
    const page = await shop.browser.open(shop.forno.origin, { before });
    await choose(page, "Basil");
    await page.intercept("POST api/orders", `if (count > 2) return;
      if (count === 2) return new Response("{}", { status: 401 });
      await send();
      throw new TypeError("lost on the way");`);
    await page.intercept("GET api/orders", `if (!window.isHeard) return new Response("[]");`);
    await page.run(`window.tokens = [];
      const save = Storage.prototype.setItem;
      Storage.prototype.setItem = function (name, text) {
        if (name.endsWith("/token")) tokens.push(text);
        save.call(this, name, text);
      };`);
    await page.click("#place");
    await page.says("The shop doesn’t accept this sign-in now.", "Don’t send");
    await page.run("window.isHeard = true;");
    await untilAsked(page, `$("article .now")`);
    await placedNumber(page);
    await page.is("tokens.length", 1);
    assert.deepEqual(await holdings(shop), [["Basil"]]);
  });

shopTest("an order page beside the board takes nothing from it when both are refused",
  { ORDER_READS: "own", GUEST_ORDERS: "on" }, async (shop) => {
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
    await untilAsked(board, `${cardOf("AAA111", ".main")}.ariaDisabled === "false"
      || !${cardOf("AAA111", ".main")}.ariaDisabled`);
    await untilAsked(page, `$("#place").textContent === "Place order"
      && $("#place").ariaDisabled !== "true"`);
  });
