/** Proxies that do not pass a stream on, and a shop that falls silent (contract part 7). */

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { cleanUp } from "../helpers/forno.ts";
import type { Window } from "./browser.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

/** The treatment of a request, before it is sent on to the shop. False: it is sent on. */
type Way = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

const isStream = ({ url }: IncomingMessage): boolean => url === "/api/events";
const passes: Way = () => false;

function answers(type: string, text: string): Way {
  return (incoming, outgoing) => {
    if (isStream(incoming)) outgoing.writeHead(200, { "content-type": type }).end(text);
    return isStream(incoming);
  };
}

const ways: Readonly<Record<string, Way>> = {
  "holds the stream back": isStream,
  "holds its lines back": (incoming, outgoing) => {
    if (!isStream(incoming)) return false;
    outgoing.writeHead(200, { "content-type": "application/x-ndjson" }).flushHeaders();
    return true;
  },
  "ends it at once": answers("application/x-ndjson", ""),
  "cuts it after a line": (incoming, outgoing) => {
    if (!isStream(incoming)) return false;
    outgoing.writeHead(200, { "content-type": "application/x-ndjson" });
    outgoing.write("\n", () => outgoing.destroy());
    return true;
  },
  "answers it with HTML": answers("text/html", "<!doctype html>\n<h1>Sign in</h1>\n"),
  "refuses it": (incoming, outgoing) => {
    if (isStream(incoming)) outgoing.writeHead(502).end("<h1>Bad gateway</h1>");
    return isStream(incoming);
  },
};

/**
 * A proxy before the shop, whose way may change. `paths`: of the requests that it has seen. Frozen,
 * it is as a pulled cable: connections stay open, and what is sent comes once it thaws.
 */
async function startProxy(t: TestContext, { forno: { port } }: Shop) {
  const frozen: { sent: (() => void)[] | undefined } = { sent: undefined };
  const send = (work: () => void): void => {
    if (frozen.sent === undefined) work();
    else frozen.sent.push(work);
  };
  const proxy = {
    origin: "", way: passes, paths: [] as string[],
    freeze: () => { frozen.sent = []; },
    thaw: () => {
      const sent = frozen.sent ?? [];
      frozen.sent = undefined;
      for (const work of sent) work();
    },
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method, url: path = "", headers } = incoming;
    if (path.startsWith("/api")) proxy.paths.push(path);
    if (proxy.way(incoming, outgoing)) return;
    const onward = request({ port, method, headers, path }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      answer.on("data", (piece) => { send(() => outgoing.write(piece)); });
      answer.on("end", () => { send(() => outgoing.end()); });
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer((incoming, outgoing) => {
    send(() => { handle(incoming, outgoing); });
  });
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is one.
  proxy.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

/** For `before`: time passes for the page by `letPass` alone. `pending`: what it still reads. */
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
  window.letPass = (ms) => {
    passed.ms += ms;
    for (const [id, { at, act }] of timers) {
      if (at <= passed.ms && timers.delete(id)) act();
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

/** Lets a second pass for the page. */
async function letSecondPass(page: Window, isAnswered = true): Promise<void> {
  await page.run("letPass(1000);");
  if (isAnswered) await page.until("pending === 0");
  await page.painted();
}

/** Seconds until the expression is true in the page. Fails after ten. */
async function secondsUntil(page: Window, expression: string, isAnswered = true): Promise<number> {
  for (let seconds = 0; seconds <= 10; seconds += 1) {
    if (await page.run(`return Boolean(${expression});`)) return seconds;
    await letSecondPass(page, isAnswered);
  }
  return assert.fail(`not within ten seconds: ${expression}`);
}

const isLost = `seen(".lost").length > 0`;

/** The board and the page of an order, which come through the proxy. */
async function openBoth({ browser, forno }: Shop, origin: string): Promise<[Window, Window]> {
  const board = await browser.open(`${origin}/board#token=${forno.staff}`, { before: byHand });
  await board.until(cardIn("Pending", "AAA111"));
  const page = await browser.open(`${origin}/?group=AAA111#token=${forno.customer}`,
    { before: byHand });
  await page.is(`$(".now .step")?.textContent`, "Received");
  return [board, page];
}

for (const [name, way] of Object.entries(ways)) {
  shopTest(`through a proxy that ${name}, orders come within ten seconds, with few requests`,
    async (shop, t) => {
      const proxy = await startProxy(t, shop);
      proxy.way = way;
      await shop.place("AAA111");
      const [board, page] = await openBoth(shop, proxy.origin);
      await shop.place("BBB222");
      await shop.update("AAA111", { status: "Ready" });
      const seconds = [
        await secondsUntil(board, cardIn("Pending", "BBB222")),
        await secondsUntil(page, `$(".now .step").textContent === "Ready"`),
      ];
      const rates: number[] = [];
      for (const window of [board, page]) {
        proxy.paths.length = 0;
        for (let second = 0; second < 60; second += 1) {
          await letSecondPass(window);
          await window.is(isLost, false);
        }
        rates.push(proxy.paths.length / 60);
        // After 1, 2, 4, 8, 16 and 30 seconds.
        assert.ok(proxy.paths.filter((path) => path === "/api/events").length <= 6);
      }
      t.diagnostic(`seconds: ${seconds}; requests a second: ${rates}`);
      assert.ok(rates.every((rate) => rate > 0 && rate <= 2), `${rates}`);
      proxy.way = passes;
      proxy.paths.length = 0;
      while (!proxy.paths.includes("/api/events")) await letSecondPass(board);
      await shop.place("CCC333");
      // By the stream: no time passes any more.
      await board.until(cardIn("Pending", "CCC333"));
    });
}

shopTest("a silent shop is missed within ten seconds, and found again within ten",
  async (shop, t) => {
    const proxy = await startProxy(t, shop);
    await shop.place("AAA111");
    for (const window of await openBoth(shop, proxy.origin)) {
      await window.until("pending === 0");
      proxy.freeze();
      const missed = await secondsUntil(window, isLost, false);
      proxy.thaw();
      const found = await secondsUntil(window, `!${isLost}`);
      t.diagnostic(`missed after ${missed} s, found after ${found} s`);
    }
  });

shopTest("a shop that is busy is left alone for as long as it asks, and is not lost",
  async (shop, t) => {
    const proxy = await startProxy(t, shop);
    proxy.way = isStream;
    await shop.place("AAA111");
    const [board] = await openBoth(shop, proxy.origin);
    proxy.way = (incoming, outgoing) => {
      if (!isStream(incoming)) outgoing.writeHead(429, { "retry-after": "40" }).end("{}");
      return true;
    };
    proxy.paths.length = 0;
    for (let second = 0; second < 60; second += 1) {
      await letSecondPass(board);
      await board.is(isLost, false);
    }
    const reads = proxy.paths.filter((path) => path.startsWith("/api/orders?status="));
    t.diagnostic(`${reads.length} reads`);
    assert.ok(reads.length <= 3, `${reads}`);
  });

shopTest("a page that nobody sees reads nothing, and everything once it is seen",
  async (shop, t) => {
    const proxy = await startProxy(t, shop);
    proxy.way = isStream;
    await shop.place("AAA111");
    const [board] = await openBoth(shop, proxy.origin);
    const hide = (isHidden: boolean): Promise<void> => board.run(`
      Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`);
    await hide(true);
    await shop.place("BBB222");
    await board.until("pending === 0");
    proxy.paths.length = 0;
    for (let second = 0; second < 60; second += 1) await letSecondPass(board);
    assert.deepEqual([...new Set(proxy.paths)], ["/api/events"]);
    await hide(false);
    await board.until(cardIn("Pending", "BBB222"));
  });
