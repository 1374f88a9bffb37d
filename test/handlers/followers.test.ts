/** Followers without sockets: heartbeats, expiry, what one that does not read costs the others. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Claims } from "../../dist/auth/claims.js";
import { Followers } from "../../dist/api/followers.js";
import { createLog } from "../../dist/log/log.js";
import { openStore } from "../../dist/store/opening.js";
import type { Store } from "../../dist/store/store.js";
import { LiveClient } from "../helpers/live-client.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";

interface Setting {
  readonly store: Store;
  readonly followers: Followers;
  /** Lets so many milliseconds pass, and all that they bring happen. */
  pass(ms: number): Promise<void>;
  /** Stores so many orders of a kilobyte, in batches. */
  write(count: number): Promise<void>;
  open(client?: LiveClient, expSeconds?: number): Promise<LiveClient>;
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await turn();
}

async function setUp(t: TestContext): Promise<Setting> {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_000_000 });
  const store = await openStore({
    folder: "/store",
    kinds: [{ name: "orders" }],
    log: createLog({ level: "silent", terminal: false }),
    journalBytesLimit: 1e9,
    fileSystem: new SimulatedDisk(),
    lock: async () => ({ isHeld: async () => true, release: async () => {} }),
  });
  const followers = new Followers(store);
  let written = 0;
  const put = (): Promise<unknown> => {
    const id = `o${++written}`;
    const body = JSON.stringify({ id, note: "x".repeat(1_000) });
    return store.write("orders", id, () => ({ body, kept: "" }));
  };
  await settle();
  t.mock.timers.tick(1_000);
  await settle();
  return {
    store,
    followers,
    async pass(ms) {
      t.mock.timers.tick(ms);
      await settle();
    },
    async write(count) {
      for (let left = count; left > 0; left -= 500) {
        await Promise.all(Array.from({ length: Math.min(left, 500) }, put));
      }
    },
    async open(client = new LiveClient(), expSeconds = 2_000_000) {
      const caller: Claims = { role: "staff", exp: expSeconds };
      followers.follow(caller)(client.answer);
      await settle();
      return client;
    },
  };
}

/** The ids of the orders in a copy, in the document and behind it. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/\{"id":"(o\d+)","note"/g)].map(([, id = ""]) => id);
}

test("an empty line comes every 15 s, and not in the middle of anything", async (t) => {
  const { open, pass } = await setUp(t);
  const client = await open();
  const stuck = new LiveClient();
  stuck.isReading = false;
  await open(stuck);
  const { length } = client.text;
  await pass(15_000);
  assert.equal(client.text.slice(length), "\n");
  await pass(15_000);
  assert.equal(client.text.slice(length), "\n\n");
  assert.ok(!stuck.text.endsWith("\n\n"), "its document is still being sent");
});

test("the lines of a round are made once for all followers", async (t) => {
  const { open, pass, write } = await setUp(t);
  const clients = [await open(), await open(), await open()];
  await write(3);
  await pass(100);
  const last = clients.map(({ pieces }) => pieces.at(-1));
  assert.deepEqual(idsIn(Buffer.from(last[0] ?? []).toString()), ["o1", "o2", "o3"]);
  assert.ok(last.every((piece) => piece === last[0]));
});

test("what was written while the document was sent comes behind it, once", async (t) => {
  const { open, pass, write } = await setUp(t);
  await write(2);
  const slow = new LiveClient();
  slow.isReading = false;
  await open(slow);
  await write(2);
  await pass(100);
  await write(1);
  slow.isReading = true;
  slow.drain();
  await pass(100);
  assert.deepEqual(idsIn(slow.text), ["o1", "o2", "o3", "o4", "o5"]);
});

test("one that does not read is cut off at a bound, and the others are sent all", async (t) => {
  const { open, pass, write } = await setUp(t);
  const stuck = await open();
  const reading = await open();
  stuck.isReading = false;
  let written = 0;
  while (stuck.state === "open" && written < 40_000) {
    await write(2_000);
    written += 2_000;
    await pass(100);
  }
  assert.equal(stuck.state, "dropped");
  // Records of some 1,100 bytes: the bound is of 16 MiB.
  assert.ok(written > 12_000 && written < 20_000, `after ${written} writes`);
  const given = stuck.pieces.slice(-1).reduce((sum, { length }) => sum + length, 0);
  assert.ok(given < 5_000_000, "what waits in its socket is one round");
  assert.equal(reading.state, "open");
  assert.equal(idsIn(reading.text).length, written);
  const another = await open();
  while (!another.text.endsWith("\n}\n")) await settle();
  assert.equal(idsIn(another.text).length, written);
});

test("a copy ends when its token expires, at the next line", async (t) => {
  const { open, pass, write } = await setUp(t);
  // It would be accepted for another 60 s.
  const quiet = await open(new LiveClient(), 1_010);
  const busy = await open(new LiveClient(), 1_010);
  await pass(68_000);
  assert.deepEqual([quiet.state, busy.state], ["open", "open"]);
  await pass(2_000);
  await write(1);
  await pass(100);
  assert.deepEqual([quiet.state, busy.state], ["ended", "ended"]);
  assert.doesNotMatch(busy.text, /"id":"o1"/);
});

test("at the end a copy has what is durable; one without its document is broken off", async (t) => {
  const { followers, open, write } = await setUp(t);
  await write(1);
  const whole = await open();
  const partial = new LiveClient();
  partial.isReading = false;
  await open(partial);
  await write(1);
  followers.closeAll();
  assert.deepEqual([whole.state, partial.state], ["ended", "dropped"]);
  assert.deepEqual(idsIn(whole.text), ["o1", "o2"]);
  const late = await open();
  assert.deepEqual([late.state, late.text], ["ended", ""]);
});
