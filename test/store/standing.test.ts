/**
 * The standing resource of a kind, of which there is always one, and what follows for it from the
 * removal of another: both in one write, also where a power cut tears that.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { createLog } from "../../dist/log/log.js";
import { openStore, type OpenOptions } from "../../dist/store/opening.js";
import type { Store } from "../../dist/store/store.js";
import { type Entry, type Standing } from "../../dist/store/table.js";
import { crashStates, seededRandom } from "../helpers/crash-states.ts";
import { type DiskImage, SimulatedDisk } from "../helpers/simulated-disk.ts";

/** A list of ids that are there. */
const pins: Standing = {
  id: "pins",
  body: '{"id":"pins","of":[]}',
  afterRemoval(stored, _kind, id) {
    const { of } = JSON.parse(stored.body) as { of: string[] };
    return of.includes(id) ? pinning(of.filter((other) => other !== id)) : undefined;
  },
};

function pinning(of: readonly string[]): string {
  return JSON.stringify({ id: "pins", of });
}

function optionsFor(disk: SimulatedDisk, journalBytesLimit?: number): OpenOptions {
  return {
    folder: "/store",
    kinds: [{ name: "pins", standing: pins }, { name: "orders" }],
    log: createLog({ level: "silent", terminal: false }),
    fileSystem: disk,
    lock: async () => ({ isHeld: async () => true, release: async () => {} }),
    ...(journalBytesLimit !== undefined && { journalBytesLimit }),
  };
}

function pin(store: Store, of: readonly string[]): Promise<Entry | undefined> {
  return store.write("pins", "pins", () => ({ body: pinning(of), kept: "" }));
}

function put(store: Store, id: string): Promise<unknown> {
  return store.write("orders", id, () => ({ body: `{"id":"${id}"}`, kept: "" }));
}

/** Everything that is stored. */
function content(store: Store): string {
  const ids = [...store.table("orders").rows].map(({ id }) => id);
  return `${ids.join()} ${store.table("pins").get("pins")?.body}`;
}

async function filled(disk: SimulatedDisk, journalBytesLimit?: number): Promise<Store> {
  const store = await openStore(optionsFor(disk, journalBytesLimit));
  await Promise.all(["a", "b", "c"].map((id) => put(store, id)));
  await pin(store, ["a", "b"]);
  // So that nothing but the next write is under way.
  await store.snapshot();
  return store;
}

test("a standing resource is there before anything is written, and in the snapshot", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  assert.equal(content(store), ` ${pins.body}`);
  await put(store, "a");
  await store.snapshot();
  await store.close();
  const again = await openStore(optionsFor(disk));
  assert.equal(content(again), `a ${pins.body}`);
  const changed = await pin(again, ["a"]);
  assert.equal(changed?.body, pinning(["a"]));
  const [change] = again.changes.since(again.changes.last - 1, 1) ?? [];
  assert.equal(change?.action, "updated");
  await again.close();
});

test("what follows from a removal is accepted with it, durable with it, lost with it", async () => {
  const disk = new SimulatedDisk();
  const store = await filled(disk);
  const before = content(store);
  const removal = store.write("orders", "a", () => "remove");
  assert.equal(store.accepted("pins", "pins")?.body, pinning(["b"]));
  assert.equal(content(store), before, "nothing shows yet");
  await removal;
  assert.equal(content(store), `b,c ${pinning(["b"])}`);
  const last = store.changes.since(store.changes.last - 2, 99) ?? [];
  assert.deepEqual(
    last.map(({ kind, action }) => `${kind}.${action}`),
    ["orders.deleted", "pins.updated"],
  );
  assert.equal((last[0]?.seq ?? 0) + 1, last[1]?.seq);
  disk.observer = {
    before: ({ operation }) => {
      if (operation === "write") throw Object.assign(new Error("full"), { code: "ENOSPC" });
    },
  };
  const [lost] = await Promise.allSettled([store.write("orders", "b", () => "remove")]);
  assert.equal(lost.status, "rejected");
  disk.observer = {};
  assert.equal(store.accepted("pins", "pins")?.body, pinning(["b"]));
  await store.close();
});

test("a power cut in the middle of a removal leaves all of it or nothing", async () => {
  const disk = new SimulatedDisk();
  const store = await filled(disk);
  const before = content(store);
  const seen = store.changes.last;
  const images: DiskImage[] = [];
  disk.observer = { after: () => images.push(disk.image()) };
  await store.write("orders", "a", () => "remove");
  const after = content(store);
  await store.close();
  const found = new Map([[before, 0], [after, 0]]);
  let resets = 0;
  const random = seededRandom(18);
  for (const image of images) {
    for (const files of crashStates(image, 40, random)) {
      const again = await openStore(optionsFor(new SimulatedDisk(files)));
      const state = content(again);
      assert.ok(found.has(state), state);
      found.set(state, (found.get(state) ?? 0) + 1);
      // Whoever saw the pins with "a" is told that they have changed, or to read everything anew.
      const missed = again.changes.since(seen, 99);
      if (missed === undefined) resets += 1;
      else assert.equal(missed.some(({ kind }) => kind === "pins"), state === after);
      await put(again, "d");
      await again.close();
    }
  }
  assert.ok([...found.values()].every((count) => count > 10), `${[...found.values()].join()}`);
  assert.ok(resets > 0);
});

test("the torn end of a removal, at every byte, leaves all of it or nothing", async () => {
  const disk = new SimulatedDisk();
  const store = await filled(disk);
  const before = content(store);
  const journal = [...disk.files().keys()].findLast((name) => name.startsWith("journal")) ?? "";
  const contentOf = (): Buffer => disk.files().get(journal) ?? assert.fail("it has a journal");
  const start = contentOf().length;
  await store.write("orders", "a", () => "remove");
  const after = content(store);
  const files = disk.files();
  const whole = contentOf();
  await store.close();
  const second = whole.indexOf("\n", start) + 1;
  assert.ok(second > start && second < whole.length, "there are two records");
  for (let length = start; length <= whole.length; length += 1) {
    const torn = new SimulatedDisk(new Map([...files, [journal, whole.subarray(0, length)]]));
    for (const _ of ["once", "and the state that this start left"]) {
      const again = await openStore(optionsFor(torn));
      assert.equal(content(again), length < second ? before : after, `cut at ${length}`);
      await again.close();
    }
  }
});

test("pins of a snapshot that is newer than the journal are not taken away", async () => {
  const disk = new SimulatedDisk();
  const store = await filled(disk);
  await store.write("orders", "a", () => "remove");
  await put(store, "a");
  await pin(store, ["a", "b"]);
  const state = content(store);
  await store.snapshot();
  await store.close();
  const again = await openStore(optionsFor(disk));
  assert.equal(content(again), state);
  await again.close();
});
