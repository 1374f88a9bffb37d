/** The bound for what waits in memory, without sockets. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { Backlog } from "../../dist/http/backlog.js";

class FakeSocket {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
  }
}

/** As much of a Socket as is used. */
const socket = (): Socket => new FakeSocket() as unknown as Socket;

function destroyedOf(sockets: readonly Socket[]): number[] {
  return [...sockets.keys()].filter((index) => sockets[index]?.destroyed);
}

test("within the bound nobody is closed", () => {
  const backlog = new Backlog(100);
  const sockets = [socket(), socket()] as const;
  backlog.add(sockets[0], 50);
  backlog.add(sockets[1], 50);
  assert.deepEqual(destroyedOf(sockets), []);
});

test("beyond it the connection that has waited longest is closed, and then the next", () => {
  const backlog = new Backlog(100);
  const sockets = [socket(), socket(), socket(), socket()] as const;
  for (const one of sockets.slice(0, 3)) backlog.add(one, 30);
  backlog.add(sockets[3], 30);
  assert.deepEqual(destroyedOf(sockets), [0]);
  backlog.add(sockets[3], 45);
  assert.deepEqual(destroyedOf(sockets), [0, 1, 2]);
});

test("a connection that waits for more and more keeps its place, and is closed for it", () => {
  const backlog = new Backlog(100);
  const sockets = [socket(), socket()] as const;
  backlog.add(sockets[0], 10);
  backlog.add(sockets[1], 10);
  for (let times = 0; times < 10; times += 1) backlog.add(sockets[0], 10);
  assert.deepEqual(destroyedOf(sockets), [0]);
});

test("a connection that reads goes to the end of the queue", () => {
  const backlog = new Backlog(100);
  const [reader, stuck, other] = [socket(), socket(), socket()];
  backlog.add(reader, 40);
  backlog.add(stuck, 40);
  backlog.remove(reader, 20);
  backlog.add(other, 60);
  assert.deepEqual(destroyedOf([reader, stuck, other]), [1]);
});

test("bytes that were taken, or whose connection closed, no longer count", () => {
  const backlog = new Backlog(100);
  const [reader, gone, other] = [socket(), socket(), socket()];
  for (let times = 0; times < 50; times += 1) {
    backlog.add(reader, 100);
    backlog.remove(reader, 100);
    backlog.add(gone, 100);
    backlog.forget(gone);
    backlog.remove(gone, 100);
  }
  backlog.add(other, 100);
  assert.deepEqual(destroyedOf([reader, gone, other]), []);
});

test("a connection that has closed already holds nothing", () => {
  const backlog = new Backlog(100);
  const [gone, other] = [socket(), socket()];
  gone.destroy();
  backlog.add(gone, 90);
  backlog.add(other, 90);
  assert.equal(other.destroyed, false);
});

test("the bytes waiting in an open stream are counted each second, until it closes", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const backlog = new Backlog(100);
  const [streamed, other] = [socket(), socket()];
  const response = Object.assign(new EventEmitter(), { writableLength: 0 });
  // As much of a ServerResponse as is used.
  backlog.watch(response as unknown as ServerResponse, streamed);
  response.writableLength = 80;
  t.mock.timers.tick(1_000);
  response.writableLength = 30;
  t.mock.timers.tick(1_000);
  backlog.add(other, 60);
  assert.deepEqual(destroyedOf([streamed, other]), []);
  response.writableLength = 50;
  t.mock.timers.tick(1_000);
  assert.deepEqual(destroyedOf([streamed, other]), [0]);
  response.emit("close");
  backlog.add(other, 40);
  assert.equal(other.destroyed, false);
});
