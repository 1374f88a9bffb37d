/** The feed without sockets: what HTTP cannot show of slow, silent and many clients. */

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Feed, type Piece, type Source } from "../../dist/api/feed.js";

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

/** Numbers from 1 to `last`, one a piece, for any number of clients. */
class Numbers {
  last = 0;
  pieces = 0;
  /** Positions up to this one are forgotten. */
  floor = 0;
  closed = 0;

  source(isSlow: boolean): Pick<Source, "next" | "close"> {
    let position = 0;
    const next = (): Piece => {
      if (position < this.floor) return "lost";
      if (position >= this.last) return undefined;
      this.pieces += 1;
      position += 1;
      return Buffer.from(`${position} `);
    };
    return {
      next: isSlow ? () => setImmediate().then(next) : next,
      close: () => void (this.closed += 1),
    };
  }
}

function open(
  feed: Feed,
  numbers: Numbers,
  { isSlow = false, caller }: { isSlow?: boolean; caller?: Source["caller"] } = {},
): Client {
  const client = new Client({ highWaterMark: 1 });
  const body = feed.subscribe(() => ({ ...numbers.source(isSlow), heartbeat: ". ", caller }));
  body(client);
  return client;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    assert.ok(turns < 100_000, "it never came");
    await setImmediate();
  }
}

for (const isSlow of [false, true]) {
  test(`a subscriber gets what there is, and what comes (read later: ${isSlow})`, async () => {
    const [feed, source] = [new Feed(), new Numbers()];
    source.last = 3;
    const client = open(feed, source, { isSlow });
    await until(() => client.text === "1 2 3 ");
    // Woken in the middle of a read, it looks again.
    for (source.last = 4; source.last < 20; source.last += 1) {
      feed.wake();
      await setImmediate();
    }
    feed.wake();
    await until(() => client.text.endsWith(" 19 20 "));
    client.destroy();
    await until(() => source.closed === 1);
  });
}

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

test("a client that falls behind what is remembered is dropped when it reads", async () => {
  const [feed, source] = [new Feed(), new Numbers()];
  const client = open(feed, source);
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

test("a heartbeat goes to every client that has taken what it was sent", async () => {
  const feed = new Feed({ heartbeatMs: 1 });
  const source = new Numbers();
  const [client, stuck] = [open(feed, source), open(feed, source)];
  stuck.isReading = false;
  await until(() => client.text.length > 10);
  assert.match(client.text, /^(\. )+$/);
  assert.equal(stuck.text, ". ");
});

test("an answer ends when its caller may not go on, and carries nothing more", async () => {
  const over = new Set<unknown>();
  const feed = new Feed({ heartbeatMs: 1, mayGoOn: (caller) => !over.has(caller) });
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

test("a stream that opens after the last one has closed gets heartbeats too", async () => {
  const feed = new Feed({ heartbeatMs: 1 });
  const source = new Numbers();
  const first = open(feed, source);
  await until(() => first.text.length > 2);
  first.destroy();
  await until(() => source.closed === 1);
  const second = open(feed, source);
  await until(() => second.text.length > 2);
});
