import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import { test, type TestContext } from "node:test";
import { Connections } from "../../dist/http/connection.js";

const keepAliveMs = 1_000;

class FakeSocket extends EventEmitter {
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
  isDestroyed = false;

  destroy(): void {
    this.isDestroyed = true;
    this.emit("close");
  }
}

/** A server that never listens, and a clock that stands still until it is told. */
function watch(t: TestContext): {
  readonly connections: Connections;
  readonly connect: () => FakeSocket;
  readonly pass: (ms: number) => void;
} {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const server = createServer();
  const connections = new Connections(server, {
    keepAliveMs,
    bodyLimitBytes: 1,
    bodyMs: 1,
    serve: () => assert.fail("nothing was asked"),
    refusalText: () => assert.fail("nothing was refused"),
  });
  const connect = (): FakeSocket => {
    const socket = new FakeSocket();
    server.emit("connection", socket);
    return socket;
  };
  t.after(() => server.emit("close"));
  return { connections, connect, pass: (ms) => t.mock.timers.tick(ms) };
}

test("at the end of its patience a close destroys every connection that was made", (t) => {
  const { connections, connect, pass } = watch(t);
  const socket = connect();
  socket.bytesRead = 1;
  void connections.close(10);
  assert.equal(socket.isDestroyed, false);
  pass(10);
  assert.equal(socket.isDestroyed, true);
});

test("a connection that carries nothing is dropped later than it was said, not before", (t) => {
  const { connect, pass } = watch(t);
  const socket = connect();
  pass(keepAliveMs);
  assert.equal(socket.isDestroyed, false);
  pass(keepAliveMs / 5);
  assert.equal(socket.isDestroyed, true);
});

for (const way of ["bytesRead", "bytesWritten"] as const) {
  test(`a connection whose ${way} rises is kept for as long as it does`, (t) => {
    const { connect, pass } = watch(t);
    const socket = connect();
    for (let round = 0; round < 20; round += 1) {
      socket[way] += 1;
      pass(keepAliveMs);
    }
    assert.equal(socket.isDestroyed, false);
    pass(2 * keepAliveMs);
    assert.equal(socket.isDestroyed, true);
  });
}

test("a long answer that waits to be read buys time, but not forever", (t) => {
  const { connect, pass } = watch(t);
  const socket = connect();
  socket.bytesWritten = 1_310_720;
  socket.writableLength = 1_310_720;
  pass(keepAliveMs * 3);
  assert.equal(socket.isDestroyed, false);
  pass(keepAliveMs);
  assert.equal(socket.isDestroyed, true);
});

test("a closed connection is forgotten", (t) => {
  const { connect, pass } = watch(t);
  const [gone, idle] = [connect(), connect()];
  gone.emit("close");
  pass(2 * keepAliveMs);
  assert.deepEqual([gone.isDestroyed, idle.isDestroyed], [false, true]);
});
