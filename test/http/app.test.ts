/** The pipeline with handlers and answers that fail, as none of Forno's is known to. */

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createApp } from "../../dist/http/app.js";
import type { Handler } from "../../dist/http/route.js";
import type { Response } from "../../dist/http/response.js";
import { Metrics } from "../../dist/http/metrics.js";
import { record } from "../helpers/recorded-log.ts";
import { rawExchange } from "../helpers/raw-http.ts";

const ok: Response = { status: 200, headers: [], body: "fine\n" };

interface Served {
  readonly responses: string[];
  /** Resolves when so many lines of the log are like this. */
  logged(count: number, line: RegExp): Promise<void>;
}

const tag = { name: "service", description: "The service." };
const success = { description: "It." };
const operation = { id: "get", tag, summary: "Get", description: "Get it.", success };

/** The answers of a server with these handlers to a GET of each, in turn, and its log. */
async function responsesOf(t: TestContext, handlers: readonly Handler[]): Promise<Served> {
  const { log, text } = record(t);
  const app = createApp({
    routes: handlers.map((handle, index) => (
      { method: "GET", path: `/${index}`, rule: "anyone", handle, operation })),
    verify: () => assert.fail("no token was sent"),
    rateLimit: null, guestLimit: null, cors: null, trustProxy: false,
    bodyLimitBytes: 1, isServing: () => true, metrics: new Metrics(), log,
  });
  app.server.listen(0, "127.0.0.1");
  await once(app.server, "listening");
  t.after(() => app.stop(0));
  const { port } = app.server.address() as AddressInfo; // TCP's is never a string.
  const responses: string[] = [];
  for (const index of handlers.keys()) {
    const head = `GET /${index} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    responses.push(await rawExchange(port, head));
  }
  const logged = async (count: number, line: RegExp): Promise<void> => {
    while (text().split("\n").filter((one) => line.test(one)).length < count) await setImmediate();
  };
  return { responses, logged };
}

function* brokenAt(count: number): Generator<Buffer> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(1_000_000, "x");
  throw new Error("no more of it");
}

test("any error or value that a handler throws is a 500 that says nothing of it", async (t) => {
  const { responses, logged } = await responsesOf(t, [
    () => { throw new Error("a secret"); },
    async () => { throw new TypeError("a secret"); },
    () => { throw "a secret"; },
  ]);
  for (const response of responses) {
    assert.match(response, /^HTTP\/1\.1 500 [^]*"type":"\/problems\/internal"/);
    assert.doesNotMatch(response, /secret/);
  }
  await logged(3, /"msg":"unexpected error"/);
});

test("a reply that cannot be sent is a 500 too", async (t) => {
  const unsendable = { ...ok, get headers(): string[] { throw new Error("there is none"); } };
  const { responses } = await responsesOf(t, [() => unsendable, async () => unsendable, () => ok]);
  assert.deepEqual(responses.map((response) => response.slice(9, 12)), ["500", "500", "200"]);
});

test("an answer that breaks off half-way costs its connection alone, and is logged", async (t) => {
  const broken = [0, 1, 20].map((count) => () => ({ ...ok, body: brokenAt(count) }));
  const { responses, logged } = await responsesOf(t, [...broken, () => ok]);
  assert.match(responses.pop() ?? "", /fine\n$/);
  // A chunked body that lacks its end.
  for (const response of responses) assert.doesNotMatch(response, /\r\n0\r\n\r\n$/);
  await logged(3, /"msg":"a response broke off".*no more of it/);
});
