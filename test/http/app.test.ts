/** The pipeline with handlers and responses that fail, as none of Forno's is known to. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Callers } from "../../src/auth/callers.ts";
import { App } from "../../src/http/app.ts";
import type { Handler } from "../../src/http/router.ts";
import type { Response } from "../../src/http/response.ts";
import { until } from "../helpers/patience.ts";
import { record } from "../helpers/recorded-log.ts";
import { rawExchange, requestText } from "../helpers/raw-http.ts";

const ok: Response = { status: 200, headers: {}, body: "fine\n" };

const get = (index: number): string => requestText(`GET /${index}`, "Connection: close\r\n");

interface Served {
  readonly port: number;
  /** The responses to a request to each handler, in turn. */
  responses(): Promise<string[]>;
  /** Resolves when so many lines of the log are like this. */
  logged(count: number, line: RegExp): Promise<void>;
}

/** A server with these handlers at /0, /1 … */
async function serve(t: TestContext, handlers: readonly Handler[]): Promise<Served> {
  const { log, text } = record(t);
  const app = new App({
    routes: handlers.map((handle, index) => (
      { method: "GET", path: `/${index}`, rule: "anyone", handle })),
    callers: new Callers([]),
    rateLimit: null, servesGuests: false, corsOrigins: null, ownMachine: null, trustProxy: false,
    onAnswer: () => {}, log,
  });
  app.server.listen(0, "127.0.0.1");
  await once(app.server, "listening");
  t.after(() => app.stop(0));
  const { port } = app.server.address() as AddressInfo; // TCP's is never a string.
  const responses = async (): Promise<string[]> => {
    const all: string[] = [];
    for (const index of handlers.keys()) all.push(await rawExchange(port, get(index)));
    return all;
  };
  const logged = (count: number, line: RegExp): Promise<void> =>
    until(() => text().split("\n").filter((one) => line.test(one)).length >= count);
  return { port, responses, logged };
}

test("an error of a handler, or an unsendable answer, is a 500 without details", async (t) => {
  const unsendable = { ...ok, headers: { "X-Bad": "a secret\nb" } };
  const { responses, logged } = await serve(t, [
    () => { throw new Error("a secret"); },
    async () => { throw new TypeError("a secret"); },
    () => { throw "a secret"; },
    () => unsendable,
    async () => unsendable,
  ]);
  for (const response of await responses()) {
    assert.match(response, /^HTTP\/1\.1 500 [^]*"type":"\/problems#internal"/);
    assert.doesNotMatch(response, /secret/);
  }
  await logged(3, /"msg":"unexpected error"/);
});

test("a response that breaks off costs its connection alone, and is logged", async (t) => {
  const { responses, logged } = await serve(t, [
    () => ({ ...ok, body: brokenAt(2) }),
    () => ({ ...ok, body: () => { throw new Error("no more of it"); } }),
    () => ok,
  ]);
  const [broken, stream, fine] = await responses();
  for (const response of [broken, stream]) {
    assert.match(response ?? "", /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(response ?? "", /0\r\n\r\n$/);
  }
  assert.match(fine ?? "", /fine\n$/);
  await logged(1, /"msg":"a response broke off".*no more of it/);
  await logged(1, /"msg":"unexpected error".*no more of it/);
});

function* brokenAt(count: number): Generator<Buffer> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(1_000_000, "x");
  throw new Error("no more of it");
}

test("a client that does not read costs one piece, and its end ends the response", async (t) => {
  let made = 0;
  let isOver = false;
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (; made < 10_000; made += 1) yield Buffer.alloc(65_536);
    } finally {
      isOver = true;
    }
  }
  const { port } = await serve(t, [() => ({ ...ok, body: pieces() })]);
  const stuck = connect(port, "127.0.0.1");
  stuck.write(get(0));
  await once(stuck, "readable");
  // Until the kernel takes no more.
  for (let before = -1; before < made; ) {
    before = made;
    for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  }
  assert.ok(made < 1_000, `${made} pieces`);
  stuck.destroy();
  await until(() => isOver);
});
