import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Exchange } from "../../dist/http/exchange.js";
import type { Answer } from "../../dist/http/answer.js";
import { closingAnswer, headLines, send } from "../../dist/http/send.js";
import { rawExchange } from "../helpers/forno.ts";

const headers = ["X-A", "b"];
const sending = {
  keepAlive: headLines(["Keep-Alive", "timeout=9"]),
  onBroken: (_: Exchange, error: unknown) => assert.ifError(error),
};

/** Sends the reply. `exchange`: as much of one as is used. */
function sendTo(exchange: object, reply: Answer): void {
  const asked = { method: "GET", closes: false, body: undefined, ...exchange } as Exchange;
  send(asked, reply, headLines(reply.headers), sending);
}

/** What a client gets who sends this request head, and then a last GET on the same connection. */
async function answersTo(
  t: TestContext, request: string, reply: Answer, closes = false,
): Promise<string> {
  const server = createServer((asked, response) => {
    sendTo({ response, method: asked.method, closes: closes || !response.shouldKeepAlive }, reply);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo; // TCP's is never a string
  const last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  const bytes = await rawExchange(port, `${request}\r\nHost: a\r\n\r\n${last}`);
  return Buffer.from(bytes, "latin1").toString();
}

const bodies: Readonly<Record<string, string>> = {
  ASCII: "plain",
  "Latin-1": "Jalapeño",
  "more than that": "€ 🍕",
  "a long one": "ü".repeat(40_000),
  "a longer one": "x".repeat(200_000),
};

for (const [name, body] of Object.entries(bodies)) {
  test(`a body of ${name} arrives byte for byte, and the connection goes on`, async (t) => {
    const text = await answersTo(t, "GET / HTTP/1.1", { status: 200, headers, body });
    const bytes = Buffer.byteLength(body);
    const answers = text.split(/(?=HTTP\/1\.1 200 OK\r\n)/);
    assert.equal(answers.length, 2);
    assert.match(answers[0] ?? "", /^Keep-Alive: timeout=9\r$/m);
    assert.match(answers[1] ?? "", /^Connection: close\r$/m);
    for (const answer of answers) {
      assert.match(answer, new RegExp(`^Content-Length: ${bytes}\r$`, "m"));
      assert.match(answer, /^X-A: b\r$/m);
      assert.equal(answer.slice(answer.indexOf("\r\n\r\n") + 4), body);
    }
  });
}

test("HEAD gets the length and no body", async (t) => {
  const text = await answersTo(t, "HEAD / HTTP/1.1", { status: 200, headers, body: "four" });
  const [first = "", second = ""] = text.split(/(?=HTTP\/1\.1 200 OK\r\n)/);
  assert.match(first, /^Content-Length: 4\r\n(?:.+\r\n)*\r\n$/m);
  assert.ok(second.endsWith("\r\n\r\nfour"));
});

test("204 and 304 have neither body nor length", async (t) => {
  for (const status of [204, 304]) {
    const text = await answersTo(t, "GET / HTTP/1.1", { status, headers });
    assert.equal(text.match(new RegExp(`^HTTP/1\\.1 ${status} `, "gm"))?.length, 2);
    assert.doesNotMatch(text, /Content-Length|Transfer-Encoding/i);
  }
});

test("an answer that closes the connection says so, and is the last", async (t) => {
  const text = await answersTo(t, "GET / HTTP/1.1", { status: 200, headers, body: "last" }, true);
  assert.equal(text.match(/^HTTP\/1\.1/gm)?.length, 1);
  assert.match(text, /^Connection: close\r$/im);
});

test("an answer in pieces is not ended before what comes first is over", async (t) => {
  const reply = { status: 200, headers, body: ["one", "two"] };
  let goOn = (_: boolean): void => assert.fail("it was never waited for");
  const server = createServer((request, response) => {
    const drop = (): Promise<boolean> => {
      assert.equal(response.writableEnded, false);
      void setImmediate().then(() => goOn(true));
      return new Promise((resolve) => (goOn = resolve));
    };
    sendTo({ request, response, body: { isUnread: true, drop } }, reply);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo; // TCP's is never a string
  const last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  assert.match(await rawExchange(port, last), /one(?:\r\n3\r\n)?two\r\n0\r\n\r\n$/);
});

test("the pieces of an answer go out in turns, however fast they are taken", async () => {
  let turns = 0;
  let isOver = false;
  const turnOf: number[] = [];
  // As much of a ServerResponse as is used, of a client that takes all at once: node says so
  // before anything else has a turn.
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writeHead: () => {},
    write: () => {
      turnOf.push(turns);
      process.nextTick(() => response.emit("drain"));
      return false;
    },
    end: () => {
      isOver = true;
    },
  });
  const body = Array.from({ length: 50 }, (_, index) => `${index}`);
  sendTo({ response }, { status: 200, headers, body });
  for (; !isOver; turns += 1) await setImmediate();
  assert.equal(turnOf.length, 50);
  assert.equal(new Set(turnOf).size, 50);
});

test("a client that has gone is sent no more, and asked for no more", async () => {
  let made = 0;
  function* pieces(): Generator<string> {
    for (; made < 100; made += 1) yield "piece";
  }
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writeHead: () => {},
    write: () => {
      response.destroyed = made === 3;
      return true;
    },
    end: () => assert.fail("it was ended"),
  });
  sendTo({ response }, { status: 200, headers, body: pieces() });
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  assert.equal(made, 3);
});

test("the header is a status line, the fields, the date and an empty line", () => {
  const lines = headLines(["A", "b", "C", "d", "E", "f"]);
  const text = closingAnswer({ status: 404, headers: [], body: "é" }, lines);
  const expected =
    "HTTP/1.1 404 Not Found\r\nA: b\r\nC: d\r\nE: f\r\nContent-Length: 2\r\n" +
    "Connection: close\r\n";
  assert.ok(text.startsWith(expected), text);
  const [, date = ""] = /^Date: ([^\r]*)\r\n\r\né$/.exec(text.slice(expected.length)) ?? [];
  assert.equal(new Date(date).toUTCString(), date);
  assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000);
});

test("a node that knows no _header is given the header as it asks for it", () => {
  const calls: unknown[] = [];
  const response = {
    shouldKeepAlive: true,
    headersSent: false,
    statusCode: 0,
    writeHead: (...given: unknown[]) => calls.push(["writeHead", ...given]),
    end: (...given: unknown[]) => calls.push(["end", ...given]),
  };
  // As much of a ServerResponse as is used.
  sendTo({ response }, { status: 200, headers, body: "é" });
  const odd = ["Location", "http://a/?b: c", "Allow", ""];
  sendTo({ response, closes: true }, { status: 204, headers: odd });
  assert.deepEqual(calls, [
    ["writeHead", 200, ["X-A", "b", "Content-Length", "2", "Keep-Alive", "timeout=9"]],
    ["end", "é"],
    ["writeHead", 204, ["Location", "http://a/?b: c", "Allow", "", "Connection", "close"]],
    ["end", undefined],
  ]);
});
