/** The options of node's server, and how it stops. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Backlog } from "../../dist/http/backlog.js";
import type { Exchange } from "../../dist/http/request.js";
import { defaultTimeouts, HttpServer, serverOptions } from "../../dist/http/server.js";
import { openWire, parseResponses } from "../helpers/raw-http.ts";

test("node is told how long slow senders have, and to look each second", () => {
  assert.deepEqual(defaultTimeouts, { headersMs: 10_000, bodyMs: 30_000, keepAliveMs: 120_000 });
  assert.deepEqual(serverOptions(defaultTimeouts), {
    maxHeaderSize: 16_384,
    headersTimeout: 10_000,
    requestTimeout: 42_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 120_000,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
  });
  const short = serverOptions({ ...defaultTimeouts, headersMs: 50 });
  assert.equal(short.connectionsCheckingInterval, 50);
});

interface Listening {
  readonly server: HttpServer;
  readonly port: number;
}

/** A server whose every request is answered by `serve`. */
async function listen(t: TestContext, serve: (exchange: Exchange) => void): Promise<Listening> {
  const server = new HttpServer({
    ...defaultTimeouts,
    bodyLimitBytes: 1,
    serve,
    refuse: () => assert.fail("nothing is refused"),
    refusal: () => assert.fail("nothing is refused"),
    backlog: new Backlog(),
  });
  server.server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => server.stop(0));
  return { server, port: (server.server.address() as AddressInfo).port };
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const responseClosing = ({ response }: Exchange): void => {
  response.writeHead(200, ["Content-Length", "2", "Connection", "close"]);
  response.end("ok");
};

test("a request is handled after the one before it was answered", async (t) => {
  const handled: Exchange[] = [];
  const { server, port } = await listen(t, (exchange) => handled.push(exchange));
  const wire = openWire(t, port);
  wire.send(get + get + get.replace("/", "/last"));
  await once(server.server, "request");
  for (let count = 1; count < 3; count += 1) {
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
    assert.equal(handled.length, count);
    handled.at(-1)?.response.end();
    await wire.responses(count);
  }
  await setImmediate();
  assert.equal(handled[2]?.path, "/last");
  wire.destroy();
});

test("a connection that is established but not accepted at the stop gets its answer", async (t) => {
  const { server, port } = await listen(t, responseClosing);
  const socket = connect(port, "127.0.0.1");
  socket.write(get);
  // In this process: the kernel has it in its queue, and nothing has accepted it yet.
  const stopped = server.stop(1_000);
  const [response] = parseResponses(Buffer.concat(await socket.toArray()));
  assert.equal(response?.body, "ok");
  await stopped;
});

test("an answer that is ended but not yet sent is sent whole at a stop", async (t) => {
  const length = 30_000_000;
  const { server, port } = await listen(t, ({ response }) => {
    response.writeHead(200, ["Content-Length", `${length}`]);
    response.end("x".repeat(length));
  });
  const socket = connect(port, "127.0.0.1");
  socket.write(get);
  await once(socket, "readable");
  const stopped = server.stop(10_000);
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  const [response] = parseResponses(Buffer.concat(await socket.toArray()));
  assert.equal(response?.body.length, length);
  await stopped;
});

test("a stop closes idle connections at once, and the rest by force at its end", async (t) => {
  const { server, port } = await listen(t, ({ response }) => response.flushHeaders());
  const [idle, never, endless] = [openWire(t, port), openWire(t, port), openWire(t, port)];
  endless.send(get);
  await once(server.server, "request");
  await server.stop(50);
  assert.deepEqual([...(await idle.closed()), ...(await never.closed())], []);
});
