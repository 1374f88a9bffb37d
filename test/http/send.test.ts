/** How answers go out, without sockets. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Response } from "../../dist/http/response.js";
import { Metrics } from "../../dist/http/metrics.js";
import type { Exchange } from "../../dist/http/request.js";
import { Sender } from "../../dist/http/send.js";
import { record } from "../helpers/recorded-log.ts";

/** A response that records its calls, as far as Sender uses one. */
class FakeResponse extends EventEmitter {
  readonly calls: unknown[][] = [];
  readonly socket = { destroyed: false };
  headersSent = false;
  writableLength = 0;

  writeHead(...given: unknown[]): void {
    this.headersSent = true;
    this.calls.push(["writeHead", ...given]);
  }

  write(piece: unknown): boolean {
    this.calls.push(["write", String(piece)]);
    return true;
  }

  cork(): void {}

  uncork(): void {}

  end(): void {
    this.calls.push(["end"]);
  }
}

function send(t: TestContext, response: Response, method = "GET", out = new FakeResponse()) {
  const { log } = record(t);
  const sender = new Sender({ log, metrics: new Metrics(), cors: null, isServing: () => true });
  const { socket } = out;
  // As much of an Exchange as is used.
  const request = { socket };
  const exchange = { request, response: out, method, path: "/", headers: {}, requestId: "r" };
  sender.send(exchange as unknown as Exchange, response);
  return { out, again: () => sender.send(exchange as unknown as Exchange, response) };
}

const own = ["X-A", "b"];
const every = [...own, "X-Content-Type-Options", "nosniff", "X-Request-Id", "r"];

test("an answer is its own fields, those that all answers have, and its length in bytes", (t) => {
  const { out } = send(t, { status: 200, headers: own, vary: "Accept", body: "né\n" });
  assert.deepEqual(out.calls, [
    ["writeHead", 200, [...every, "Vary", "Accept", "Content-Length", "4"]],
    ["write", "né\n"],
    ["end"],
  ]);
});

test("204 and 304 have no length", (t) => {
  for (const status of [204, 304]) {
    const { out } = send(t, { status, headers: own });
    assert.deepEqual(out.calls, [["writeHead", status, every], ["end"]]);
  }
});

test("an answer that closes the connection says so", (t) => {
  const { out } = send(t, { status: 200, headers: own, closes: true, body: "" });
  const headers = [...every, "Connection", "close", "Content-Length", "0"];
  assert.deepEqual(out.calls[0], ["writeHead", 200, headers]);
});

test("a request is answered once", (t) => {
  const { out, again } = send(t, { status: 200, headers: own, body: "" });
  again();
  assert.equal(out.calls.length, 2);
});

test("HEAD asks a long answer for no piece, and starts no stream", (t) => {
  function* pieces(): Generator<Buffer> {
    yield assert.fail("a piece was made");
  }
  for (const body of [pieces(), () => assert.fail("it was started")]) {
    const { out } = send(t, { status: 200, headers: own, body }, "HEAD");
    assert.deepEqual(out.calls, [["writeHead", 200, every], ["end"]]);
  }
});

test("the pieces of a long answer go out one a turn, however fast they are taken", async (t) => {
  const pieces = Array.from({ length: 50 }, (_, index) => `${index}`);
  const body = pieces.map((piece) => Buffer.from(piece));
  const { out } = send(t, { status: 200, headers: own, body });
  for (let most = 0; out.calls.at(-1)?.[0] !== "end"; ) {
    const before = out.calls.length;
    await setImmediate();
    most = Math.max(most, out.calls.length - before);
    assert.ok(most <= 2, `${most} calls in a turn`);
  }
  const written = out.calls.filter(([call]) => call === "write").map(([, piece]) => piece);
  assert.deepEqual(written, pieces);
});

test("a client that has gone is sent no more pieces, and none are made", async (t) => {
  const out = new FakeResponse();
  let made = 0;
  function* pieces(): Generator<Buffer> {
    for (; made < 100; made += 1) {
      out.socket.destroyed = made === 3;
      yield Buffer.from("piece");
    }
  }
  send(t, { status: 200, headers: own, body: pieces() }, "GET", out);
  for (let turns = 0; turns < 20; turns += 1) await setImmediate();
  assert.equal(made, 3);
});
