/** The feed without sockets: what HTTP cannot show of slow, silent and many clients. */

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Feed, type Source, type Subscription } from "../../dist/api/feed.js";

/** Takes everything at once, or, while `isReading` is false, nothing. */
class Client extends Writable {
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

/** Numbers from 1 to `last`, one a piece; those up to `floor` are forgotten. */
class Numbers implements Source {
  floor = 0;
  last = 0;
  pieces = 0;

  after(position: number): ReturnType<Source["after"]> {
    if (position < this.floor) return "unknown";
    if (position >= this.last) return undefined;
    this.pieces += 1;
    return { bytes: Buffer.from(`${position + 1} `), last: position + 1 };
  }
}

function open(feed: Feed, source: Source, options: Partial<Subscription> = {}): Client {
  const client = new Client({ highWaterMark: 1 });
  const body = feed.subscribe(() => ({
    source,
    position: 0,
    opening: [],
    needsOpening: false,
    heartbeat: ". ",
    caller: undefined,
    ...options,
  }));
  body(client);
  return client;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    assert.ok(turns < 100_000, "it never came");
    await setImmediate();
  }
}

test("a subscriber gets the opening, what it missed, and what comes", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  source.last = 3;
  const opening = [Buffer.from("a "), Buffer.from("b ")];
  const client = open(feed, source, { position: 1, opening });
  await until(() => client.text === "a b 2 3 ");
  source.last = 4;
  feed.wake();
  await until(() => client.text === "a b 2 3 4 ");
});

test("a client that does not read costs one piece, and goes on where it was", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const [slow, quick] = [open(feed, source), open(feed, source)];
  slow.isReading = false;
  source.last = 100;
  feed.wake();
  await until(() => quick.text.endsWith(" 100 "));
  assert.equal(slow.text, "1 ");
  slow.read();
  await until(() => slow.text === quick.text);
});

test("a client that falls behind what is remembered is dropped", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const client = open(feed, source);
  client.isReading = false;
  source.last = 1;
  feed.wake();
  await until(() => client.text === "1 ");
  source.last = 100;
  feed.wake();
  await setImmediate();
  assert.equal(client.destroyed, false);
  source.floor = 50;
  feed.wake();
  await until(() => client.destroyed);
  assert.equal(client.text, "1 ");
});

test("of thousands of clients a few are served in each turn, each before any again", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const clients = Array.from({ length: 2_000 }, () => open(feed, source));
  source.last = 2;
  feed.wake();
  for (let served = 0; served < 4_000; ) {
    const before = source.pieces;
    await setImmediate();
    served += source.pieces - before;
    assert.ok(source.pieces - before <= 16, `${source.pieces - before} in one turn`);
    if (served < 2_000) assert.ok(clients.every(({ text }) => text.length <= "1 ".length));
  }
  assert.ok(clients.every(({ text }) => text === "1 2 "));
});

test("a heartbeat goes to every client that has taken what it was sent", async (t) => {
  const feed = new Feed({ heartbeatMs: 1 });
  t.after(() => feed.close());
  const source = new Numbers();
  const [client, stuck] = [open(feed, source), open(feed, source)];
  stuck.isReading = false;
  await until(() => client.text.length > 10);
  assert.match(client.text, /^(\. )+$/);
  assert.equal(stuck.text, ". ");
});

test("an answer ends when its caller may not go on, and carries nothing more", async (t) => {
  const over = new Set<unknown>();
  const feed = new Feed({ heartbeatMs: 1, mayGoOn: (caller) => !over.has(caller) });
  t.after(() => feed.close());
  const source = new Numbers();
  const caller = { role: "reader", exp: 1 } as const;
  const [client, other] = [open(feed, source, { caller }), open(feed, source)];
  source.last = 1;
  feed.wake();
  await until(() => client.text.includes("1 "));
  over.add(caller);
  source.last = 2;
  await until(() => client.writableEnded);
  assert.doesNotMatch(client.text, /2/);
  assert.equal(other.writableEnded, false);
});

test("closing sends what is left and ends every answer, and later ones at once", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const client = open(feed, source);
  source.last = 3;
  feed.close();
  assert.ok(client.writableEnded);
  await until(() => client.text === "1 2 3 ");
  const late = open(feed, source);
  assert.deepEqual([late.writableEnded, late.text], [true, ""]);
  feed.close();
});

test("an opening that must be whole is cut off when it is not", () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const opening = [Buffer.from("a"), Buffer.from("b")];
  const client = open(feed, source, { opening, needsOpening: true });
  feed.close();
  assert.deepEqual([client.destroyed, client.writableEnded], [true, false]);
});
