/** The feed of events without sockets: slow, silent and many clients, which HTTP cannot show. */

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type EventPiece, Feed, type Subscription } from "../../src/api/feed.ts";
import { until } from "../helpers/patience.ts";

/** Takes everything at once, or, while `isReading` is false, nothing. */
class Reader extends Writable {
  text = "";
  isReading = true;
  #taken: (() => void) | undefined;

  override _write(piece: Buffer, _encoding: string, taken: () => void): void {
    this.text += piece.toString();
    if (this.isReading) taken();
    else this.#taken = taken;
  }

  read(): void {
    this.isReading = true;
    this.#taken?.();
  }
}

/** Numbers from 1 to `last`, one a piece, for any number of clients. */
class Numbers {
  last = 0;
  pieces = 0;
  /** Positions up to this one are forgotten. */
  floor = 0;

  open(feed: Feed, caller?: Subscription["caller"]): Reader {
    const client = new Reader({ highWaterMark: 1 });
    const pieces = this.#piecesOf();
    feed.subscribe(() => ({ pieces, heartbeat: ". ", caller, holder: "" }))(client);
    return client;
  }

  *#piecesOf(): Generator<EventPiece, void> {
    for (let position = 0; position >= this.floor; ) {
      if (position < this.last) {
        this.pieces += 1;
        position += 1;
        yield `${position} `;
      } else yield undefined;
    }
  }
}

test("a client that does not read costs one piece, and goes on where it was", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const [slow, quick] = [source.open(feed), source.open(feed)];
  slow.isReading = false;
  source.last = 100;
  feed.wake();
  await until(() => quick.text.endsWith(" 100 "));
  assert.deepEqual([slow.text, source.pieces], ["1 ", 101]);
  slow.read();
  await until(() => slow.text === quick.text);
});

test("a client that falls behind what is remembered is dropped when it reads", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const client = source.open(feed);
  client.isReading = false;
  source.last = 1;
  feed.wake();
  await until(() => client.text === "1 ");
  source.floor = 50;
  feed.wake();
  client.read();
  await until(() => client.destroyed);
  assert.equal(client.text, "1 ");
});

test("a turn serves a few of thousands of clients, and all of them before any again", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const clients = Array.from({ length: 2_000 }, () => source.open(feed));
  source.last = 2;
  feed.wake();
  for (let served = 0; served < 4_000; ) {
    const before = source.pieces;
    await setImmediate();
    served += source.pieces - before;
    assert.ok(source.pieces - before <= 16, `${source.pieces - before} in one turn`);
    if (served < 2_000) assert.ok(clients.every(({ text }) => text.length <= "1 ".length));
  }
  await until(() => clients.every(({ text }) => text === "1 2 "));
});

test("a heartbeat goes to every client that has taken what it was sent", async () => {
  const [feed, source] = [new Feed({ heartbeatMs: 1 }), new Numbers()];
  const [client, stuck] = [source.open(feed), source.open(feed)];
  stuck.isReading = false;
  await until(() => client.text.length > 10);
  assert.match(client.text, /^(\. )+$/);
  assert.deepEqual([stuck.text, stuck.writableLength], [". ", 2]);
  for (const one of [client, stuck]) one.destroy();
  await until(() => feed.size === 0);
  const later = source.open(feed);
  await until(() => later.text.length > 2);
});

test("an answer ends when its caller may not go on, and carries nothing more", async () => {
  const over = new Set<unknown>();
  const feed = new Feed({ heartbeatMs: 1, mayGoOn: (caller) => !over.has(caller) });
  const source = new Numbers();
  const caller = { role: "reader", exp: 1 } as const;
  const [client, other] = [source.open(feed, caller), source.open(feed)];
  source.last = 1;
  feed.wake();
  await until(() => client.text.includes("1 "));
  over.add(caller);
  source.last = 2;
  await until(() => client.writableEnded);
  assert.doesNotMatch(client.text, /2/);
  assert.equal(other.writableEnded, false);
});
