/**
 * The order of a connection's requests, how many may wait, and how the server stops; and handlers
 * and responses that fail, as none of Forno's is known to.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Callers } from "../../src/auth/callers.ts";
import { Pipeline } from "../../src/http/pipeline.ts";
import type { Exchange } from "../../src/http/request.ts";
import type { Response } from "../../src/http/response.ts";
import type { Handler } from "../../src/http/router.ts";
import { HttpServer, type Timeouts } from "../../src/http/server.ts";
import { patienceMs, until } from "../helpers/patience.ts";
import { openWire, parseResponses, rawExchange, requestText } from "../helpers/raw-http.ts";
import { record } from "../helpers/recorded-log.ts";

test("slow senders have 10 s for the header, 30 s for all, and are looked for each second", () => {
  const { server } = new HttpServer(() => {}, async () => {});
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server;
  assert.deepEqual([headersTimeout, requestTimeout], [10_000, 30_000]);
  assert.deepEqual([keepAliveTimeout, timeout], [300_000, 120_000]);
  assert.equal(Reflect.get(server, "connectionsCheckingInterval"), 1_000);
});

/** Resolves to the port. */
async function listenOn(t: TestContext, server: HttpServer | Pipeline): Promise<number> {
  server.server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => server.stop(0));
  return (server.server.address() as AddressInfo).port;
}

/** A server whose every request is answered by `serve`. */
async function listen(
  t: TestContext, serve: (exchange: Exchange) => void, timeouts: Partial<Timeouts> = {},
): Promise<{ server: HttpServer; port: number }> {
  const server = new HttpServer(() => {}, async (exchange) => serve(exchange), timeouts);
  return { server, port: await listenOn(t, server) };
}

/** A client that has asked, and reads none of the answer, whose first bytes have come. */
async function startStuck(t: TestContext, port: number, path = "/"): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(get.replace("/", path));
  await once(socket, "readable");
  return socket;
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const answerAndClose = ({ outgoing }: Exchange): void => {
  outgoing.writeHead(200, ["Content-Length", "2", "Connection", "close"]);
  outgoing.end("ok");
};

test("one request may wait; those behind it are dropped, and the connection ends", async (t) => {
  const handled: Exchange[] = [];
  const { port } = await listen(t, (exchange) => handled.push(exchange));
  const [patient, greedy, endless] = [openWire(t, port), openWire(t, port), openWire(t, port)];
  endless.send(get.repeat(19));
  assert.deepEqual(await endless.closed(), []);
  assert.equal(handled.length, 1);
  patient.send(get.repeat(2));
  for (const count of [2, 3]) {
    await until(() => handled.length === count);
    assert.equal(handled.at(-1)?.isLast, false);
    handled.at(-1)?.outgoing.end();
  }
  assert.equal((await patient.responses(2)).length, 2);
  patient.destroy();
  greedy.send(get.repeat(18));
  await until(() => handled.length === 4);
  assert.equal(handled.at(-1)?.isLast, false);
  handled.at(-1)?.outgoing.end();
  // There is room again, but those before it were dropped.
  await greedy.responses(1);
  greedy.send(get);
  const last = handled.at(-1) ?? assert.fail();
  assert.deepEqual([handled.length, last.isLast], [5, true]);
  answerAndClose(last);
  assert.equal((await greedy.closed()).length, 2);
  assert.equal(handled.length, 5);
});

test("a request that arrives while its connection is closing is not carried out", async (t) => {
  const handled: Exchange[] = [];
  const { port } = await listen(t, (exchange) => {
    const { incoming: { socket }, outgoing } = exchange;
    // Between the end of the response and that of the connection.
    if (handled.push(exchange) === 1) {
      outgoing.on("close", () => socket.emit("data", Buffer.from(get)));
    }
    answerAndClose(exchange);
  });
  const wire = openWire(t, port);
  wire.send(get);
  assert.equal((await wire.closed()).length, 1);
  assert.equal(handled.length, 1);
});

test("the body of a request that waits is dropped when its client goes", async (t) => {
  let arrived = 0;
  let dropped = 0;
  const arrive = ({ body }: Exchange): void => {
    arrived += 1;
    body.onDrop = () => (dropped += 1);
  };
  const port = await listenOn(t, new HttpServer(arrive, () => {}));
  const wire = openWire(t, port);
  wire.send(get + requestText("POST /", "", {}));
  await until(() => arrived === 2);
  assert.equal(dropped, 0);
  wire.destroy();
  await until(() => dropped === 1);
});

test("a stop lets nobody in, and answers what it has taken", async (t) => {
  const handled: Exchange[] = [];
  const { server, port } = await listen(t, (exchange) => {
    if (handled.push(exchange) > 2) exchange.outgoing.end("too late");
  });
  const [early, late] = [openWire(t, port), openWire(t, port)];
  early.send(get + get);
  await until(() => handled.length > 0);
  const stopped = server.stop(patienceMs);
  // It would put off the stop.
  early.send(get);
  assert.deepEqual(await late.closed(), []);
  const later = openWire(t, port);
  later.send(get);
  assert.equal(await later.text(), "");
  for (let count = 1; count <= 2; count += 1) {
    await until(() => handled.length >= count);
    handled.at(-1)?.outgoing.end("ok");
  }
  assert.equal((await early.closed()).length, 2);
  await stopped;
});

test("a response that is ended but not yet sent is sent whole at a stop", async (t) => {
  const length = 30_000_000;
  const { server, port } = await listen(t, ({ outgoing }) => {
    outgoing.writeHead(200, ["Content-Length", `${length}`]);
    outgoing.end("x".repeat(length));
  });
  const socket = await startStuck(t, port);
  const stopped = server.stop(patienceMs);
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  const [response] = parseResponses(await text(socket.setEncoding("latin1")));
  assert.equal(response?.text.length, length);
  await stopped;
});

test("a stop closes idle connections at once, and the rest by force at its end", async (t) => {
  const { server, port } = await listen(t, ({ outgoing }) => outgoing.flushHeaders());
  const [idle, never, endless] = [openWire(t, port), openWire(t, port), openWire(t, port)];
  endless.send(get);
  await once(server.server, "request");
  await server.stop(50);
  assert.deepEqual([...(await idle.closed()), ...(await never.closed())], []);
});

test("a connection with an unread response is closed sooner than an idle one", async (t) => {
  let closed: Promise<unknown> | undefined;
  const { port } = await listen(t, ({ outgoing, path }) => {
    closed = once(outgoing, "close");
    outgoing.end(path === "/" ? Buffer.alloc(30_000_000) : "ok");
  }, { unreadMs: 1_000, idleMs: 600_000 });
  const small = get.replace("/", "/small");
  const idle = openWire(t, port);
  idle.send(small);
  await idle.responses(1);
  await startStuck(t, port);
  await closed;
  // Idle for longer than that, it is still open.
  idle.send(small);
  await idle.responses(2);
  idle.destroy();
});

const ok: Response = { status: 200, headers: {}, body: "fine\n" };

interface Served {
  readonly port: number;
  /** The response to a request of each handler, in turn. */
  readonly responses: readonly string[];
  /** Resolves when so many lines of the log are like this. */
  logged(count: number, line: RegExp): Promise<void>;
}

/** A server with these handlers at /0, /1 …, and a request to each if they are `asked`. */
async function serve(
  t: TestContext, handlers: readonly Handler[], asked = handlers.length,
): Promise<Served> {
  const { log, text } = record(t);
  const pipeline = new Pipeline({
    rateLimit: null, servesGuests: false, corsOrigins: null, ownMachine: null, trustProxy: false,
    onAnswer: () => {}, log,
  });
  const routes = handlers.map((handle, index) => (
    { method: "GET", path: `/${index}`, rule: "anyone", handle } as const));
  pipeline.open(routes, new Callers([]));
  const port = await listenOn(t, pipeline);
  const responses: string[] = [];
  for (let index = 0; index < asked; index += 1) {
    const request = requestText(`GET /${index}`, "Connection: close\r\n");
    responses.push(await rawExchange(port, request));
  }
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
  for (const response of responses) {
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
  const [broken, stream, fine] = responses;
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
  const { port } = await serve(t, [() => ({ ...ok, body: pieces() })], 0);
  const stuck = await startStuck(t, port, "/0");
  // Until the kernel takes no more.
  for (let before = -1; before < made; ) {
    before = made;
    for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  }
  assert.ok(made < 1_000, `${made} pieces`);
  stuck.destroy();
  await until(() => isOver);
});

test("a client that holds a large answer unread is refused until it goes", async (t) => {
  const large = { ...ok, body: "x".repeat(30_000_000) };
  const { port } = await serve(t, [() => large, () => ok], 0);
  const stuck = await startStuck(t, port, "/0");
  const small = requestText("GET /1", "Connection: close\r\n");
  assert.match(await rawExchange(port, small), /^HTTP\/1\.1 429 /);
  stuck.destroy();
  await until(async () => /^HTTP\/1\.1 200 /.test(await rawExchange(port, small)));
});
