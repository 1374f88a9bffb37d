/** Proxies that do not pass a stream on, and a shop that falls silent (contract part 7). */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { hasty, type Window } from "./browser.ts";
import { startProxy } from "./proxy.ts";
import { until } from "../helpers/patience.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

/** The treatment of the event stream. Undefined: it is sent on, as all else. */
type Way = ((outgoing: ServerResponse) => void) | undefined;

const begin = (outgoing: ServerResponse, type = "application/x-ndjson"): ServerResponse =>
  outgoing.writeHead(200, { "content-type": type });

const ways: Readonly<Record<string, Way>> = {
  "holds the stream back": () => {},
  "holds its lines back": (outgoing) => begin(outgoing).flushHeaders(),
  "ends it at once": (outgoing) => begin(outgoing).end(),
  "cuts it after a line": (outgoing) => {
    begin(outgoing).write("\n", () => outgoing.destroy());
  },
  "answers it with HTML": (outgoing) => begin(outgoing, "text/html").end("<h1>Sign in</h1>\n"),
  "refuses it": (outgoing) => outgoing.writeHead(502).end("<h1>Bad gateway</h1>"),
};

/**
 * `paths`: of the requests that the proxy has seen. `wrong`: the next answer at such a path has
 * that body, and then it is away. Frozen, the proxy is as a pulled cable: connections stay open,
 * and what is sent comes once it thaws.
 */
async function proxyBefore({ forno: { port } }: Shop, t: TestContext) {
  const frozen: { sent: (() => void)[] | undefined } = { sent: undefined };
  const state = {
    way: undefined as Way, isBusy: false, paths: [] as string[],
    wrong: undefined as { readonly path: string; readonly body: string } | undefined,
    freeze: () => { frozen.sent = []; },
    thaw: () => {
      const sent = frozen.sent ?? [];
      frozen.sent = undefined;
      for (const work of sent) work();
    },
  };
  const proxy = await startProxy(t, port, ({ url: path = "" }, outgoing, sendOn) => {
    if (path.startsWith("/api")) state.paths.push(path);
    if (path === "/api/events" && state.way !== undefined) state.way(outgoing);
    else if (state.wrong !== undefined && path.startsWith(state.wrong.path)) {
      outgoing.writeHead(200, { "content-type": "application/json" }).end(state.wrong.body);
      state.wrong = undefined;
    } else if (state.isBusy) outgoing.writeHead(429, { "retry-after": "40" }).end("{}");
    else sendOn(path);
  }, (work) => {
    if (frozen.sent === undefined) work();
    else frozen.sent.push(work);
  });
  return Object.assign(state, proxy);
}

/**
 * For `before`: time passes for the page by `pass` alone, in steps of a second, each until the page
 * has what it reads then. `pending`: its reads under way. `wasLost`: it has said that the shop is
 * lost.
 */
const byHand = `{
  const passed = { ms: 0 };
  performance.now = () => passed.ms;
  const [timers, wait, clear] = [new Map(), setTimeout, clearTimeout];
  window.setTimeout = (act, ms = 0, ...more) => {
    if (ms < 1000) return wait(act, ms, ...more);
    const id = \`timer \${timers.size} \${Math.random()}\`;
    timers.set(id, { at: passed.ms + ms, act: () => act(...more) });
    return id;
  };
  window.clearTimeout = (id) => timers.delete(id) || clear(id);
  window.pass = async (seconds, isAnswered = true, step = 1) => {
    for (let second = 0; second < seconds; second += step) {
      passed.ms += step * 1000;
      for (const [id, { at, act }] of timers) {
        if (at <= passed.ms && timers.delete(id)) act();
      }
      do await new Promise((resolve) => { wait(resolve, 1); }); while (isAnswered && pending > 0);
      window.wasLost ||= seen(".lost-bar").length > 0;
    }
  };
  window.pending = 0;
  const count = async (work) => {
    window.pending += 1;
    return work.finally(() => { window.pending -= 1; });
  };
  const [real, { json }] = [fetch, Response.prototype];
  window.fetch = (path, init) => path === "api/events" ? real(path, init)
    : count(real(path, init));
  Response.prototype.json = function () { return count(json.call(this)); };
}`;

/** Fails unless the expression is true in the page within ten seconds. */
async function within10(page: Window, expression: string, isAnswered = true): Promise<void> {
  for (let second = 0; second < 10; second += 1) {
    if (await page.run(`return Boolean(${expression});`)) return;
    await page.run(`return pass(1, ${isAnswered});`);
  }
  assert.ok(await page.run(`return Boolean(${expression});`), expression);
}

const isLost = `seen(".lost-bar").length > 0`;

async function openBoard({ browser, forno }: Shop, origin: string): Promise<Window> {
  const board = await browser.open(`${origin}/board#token=${forno.staff}`, { before: byHand });
  await board.until(`${cardIn("New", "AAA111")} && pending === 0`);
  return board;
}

async function openOrder({ browser, forno }: Shop, origin: string): Promise<Window> {
  const url = `${origin}/?group=AAA111#token=${forno.customer}`;
  const page = await browser.open(url, { before: byHand });
  await page.until(`$(".now .step")?.textContent === "Received" && pending === 0`);
  return page;
}

shopTest("where no stream gets through, orders come within ten seconds, by few requests", async (
  shop, t,
) => {
  const proxy = await proxyBefore(shop, t);
  await shop.place("AAA111");
  const [board, page] = [await openBoard(shop, proxy.origin), await openOrder(shop, proxy.origin)];
  // The pages take turns: what listens is the same in both.
  for (const [index, [what, way]] of Object.entries(ways).entries()) {
    proxy.way = way;
    proxy.cut();
    const [window, status, step] = index % 2 === 0 ? [board, "Ready", "Ready"] as const
      : [page, "Preparing", "Being made"] as const;
    proxy.paths.length = 0;
    await window.run("return pass(60);");
    const { length } = proxy.paths;
    assert.ok(length > 0 && length <= 120, `it ${what}: ${length} requests in a minute`);
    // After 1, 2, 4, 8, 16 and 30 seconds.
    const tries = proxy.paths.filter((path) => path === "/api/events");
    assert.ok(tries.length > 0 && tries.length <= 6, `it ${what}: ${tries.length} tries`);
    await shop.place(`NEW${index}`);
    await shop.update("AAA111", { status });
    await within10(board, cardIn("New", `NEW${index}`));
    await within10(page, `$(".now .step").textContent === "${step}"`);
    for (const window of [board, page]) await window.is("wasLost", false, `it ${what}`);
  }
  proxy.way = undefined;
  proxy.cut();
  proxy.paths.length = 0;
  while (!proxy.paths.includes("/api/events")) await board.run("return pass(1);");
  await shop.place("LATER");
  // By the stream: no time passes any more.
  await board.until(cardIn("New", "LATER"));
});

shopTest("a silent shop is missed within ten seconds, and found again within ten",
  async (shop, t) => {
    const proxy = await proxyBefore(shop, t);
    await shop.place("AAA111");
    for (const open of [openBoard, openOrder]) {
      const window = await open(shop, proxy.origin);
      proxy.freeze();
      await within10(window, isLost, false);
      proxy.thaw();
      await within10(window, `!${isLost}`);
    }
  });

shopTest("a shop that is busy is left alone for as long as it asks, and is not lost",
  async (shop, t) => {
    const proxy = await proxyBefore(shop, t);
    await shop.place("AAA111");
    const board = await openBoard(shop, proxy.origin);
    proxy.isBusy = true;
    proxy.way = ways["holds the stream back"];
    proxy.cut();
    proxy.paths.length = 0;
    await board.run("return pass(60);");
    await board.is("wasLost", false);
    const reads = proxy.paths.filter((path) => path.startsWith("/api/orders?status="));
    assert.ok(reads.length > 0 && reads.length <= 3, `${reads}`);
  });

shopTest("a page that nobody sees reads nothing, and everything once it is seen",
  async (shop, t) => {
    const proxy = await proxyBefore(shop, t);
    await shop.place("AAA111");
    proxy.way = ways["holds the stream back"];
    const board = await openBoard(shop, proxy.origin);
    const hide = (isHidden: boolean): Promise<void> => board.run(`
      Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`);
    await hide(true);
    await shop.place("BBB222");
    await board.until("pending === 0");
    proxy.paths.length = 0;
    await board.run("return pass(60);");
    assert.deepEqual([...new Set(proxy.paths)], ["/api/events"]);
    await hide(false);
    await board.until(cardIn("New", "BBB222"));
  });

shopTest("after a reset the board shows what the shop has, also where that is older",
  async (shop) => {
    await shop.place("AAA111");
    await shop.update("AAA111", { status: "Preparing" });
    const board = await shop.board({ before: hasty });
    await board.until(cardIn("Making", "AAA111"));
    // As after a backup that somebody has brought back.
    await board.run(`const real = fetch;
      window.fetch = async (path, request) => {
        const headers = { "content-type": "application/x-ndjson", etag: '"older"' };
        if (path === "api/events") return new Response('{"event":"reset"}\\n', { headers });
        const answer = await real(path, request);
        if (!\`\${path}\`.startsWith("api/orders?status=")) return answer;
        const older = { status: "Pending", updatedAt: "2020-01-01T00:00:00.000Z" };
        const orders = (await answer.json()).map((order) => ({ ...order, ...older }));
        return new Response(JSON.stringify(orders), { headers });
      };
      for (const event of ["offline", "online"]) dispatchEvent(new Event(event));`);
    await board.until(cardIn("New", "AAA111"));
  });

shopTest("an answer of another shape counts as none, and a stale one is right within a minute",
  async (shop, t) => {
    const proxy = await proxyBefore(shop, t);
    await shop.place("AAA111");
    const onBoard = cardIn("New", "AAA111");
    const onPage = `$(".now .step")?.textContent === "Received"`;
    for (const [open, isRight] of [[openBoard, onBoard], [openOrder, onPage]] as const) {
      const window = await open(shop, proxy.origin);
      let count = 0;
      /** Lets a minute pass, and a line of the stream come, with which the page reads anew. */
      const readAnew = async (): Promise<void> => {
        await window.run("return pass(60, true, 60);");
        await shop.change({ notice: `Line ${count += 1}` });
      };
      for (const path of ["/api/shop", "/api/toppings", "/api/orders"]) {
        proxy.wrong = { path, body: "[null]" };
        await readAnew();
        await until(() => proxy.wrong === undefined);
        await window.until(`${isRight} && pending === 0`);
      }
      proxy.wrong = { path: "/api/orders", body: "[]" };
      await readAnew();
      await until(() => proxy.wrong === undefined);
      await readAnew();
      await window.until(isRight);
    }
  });

shopTest("a page that comes up with a wrong answer tries again", async (shop, t) => {
  const proxy = await proxyBefore(shop, t);
  await shop.place("AAA111");
  for (const page of ["/", "/board"]) {
    proxy.wrong = { path: "/api/shop", body: "[]" };
    const token = page === "/" ? shop.forno.customer : shop.forno.staff;
    const url = `${proxy.origin}${page}#token=${token}`;
    const window = await shop.browser.open(url, { before: hasty });
    await window.until(page === "/" ? `$(".tiles li")` : cardIn("New", "AAA111"));
  }
});
