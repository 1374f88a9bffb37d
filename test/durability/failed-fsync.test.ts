/**
 * After an fsync that failed, Linux keeps what was written in its memory and counts it as on disk:
 * a process that is started then reads it, and a sync alone would never write it.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../src/store/opening.ts";
import type { Store } from "../../src/store/store.ts";
import { crashStates, seededRandom } from "../helpers/crash-states.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { idsOf, orders, put as putOrder } from "../helpers/things.ts";
import { crashStoreOptions } from "./crash-load.ts";

const ids = (store: Store): string[] => idsOf(store.rows(orders));
const put = (store: Store, id: string) => putOrder(store, id, { note: "x".repeat(700) });

/** A store that holds "before", and is at rest. */
async function openSettled(): Promise<{ disk: SimulatedDisk; store: Store }> {
  const disk = new SimulatedDisk();
  const store = await openStore(crashStoreOptions(disk));
  await put(store, "before");
  return { disk, store };
}

/** The `nth` sync of a file of this name fails, and nothing can be removed any more. */
function failSync(disk: SimulatedDisk, name: RegExp, nth = 1): void {
  let left = nth;
  disk.observer = {
    before: (call) => {
      if (call.operation === "sync" && name.test(call.name)) left -= 1;
      const fails = call.operation === "sync" && name.test(call.name) && left === 0;
      if (fails || (call.operation === "remove" && left <= 0)) {
        throw Object.assign(new Error("EIO: simulated"), { code: "EIO" });
      }
    },
  };
}

/** Every state that a power cut can leave now holds all of `expected`. */
async function assertDurable(disk: SimulatedDisk, expected: readonly string[]): Promise<void> {
  for (const files of crashStates(disk, 20, seededRandom(1))) {
    const store = await openStore(crashStoreOptions(new SimulatedDisk(files)));
    assert.deepEqual(ids(store), expected);
    await store.close();
  }
}

test("all that a start after a failed fsync shows or stores is on disk", async () => {
  const { disk, store } = await openSettled();
  failSync(disk, /^store\.ndjson$/);
  const storm = await Promise.allSettled(["a", "b", "c"].map((id) => put(store, id)));
  assert.ok(storm.every(({ status }) => status === "rejected"));

  const restarted = disk.survivor();
  const second = await openStore(crashStoreOptions(restarted));
  const shown = ids(second);
  assert.ok(shown.includes("a"), "it stands in the kernel's memory");
  await assertDurable(restarted, shown);
  await put(second, "after");
  await assertDurable(restarted, [...shown, "after"]);
});

test("an fsync that fails at the start is no less of a failure at the next one", async () => {
  const { disk, store } = await openSettled();
  failSync(disk, /^store\.ndjson$/);
  await assert.rejects(put(store, "a"), { code: "unconfirmed" });
  const failing = disk.survivor();
  failSync(failing, /^store\.ndjson/);
  await assert.rejects(openStore(crashStoreOptions(failing)));
  const restarted = failing.survivor();
  const third = await openStore(crashStoreOptions(restarted));
  await put(third, "after");
  await assertDurable(restarted, ids(third));
});

test("what a person changed in a stopped store's file is on disk before it shows", async () => {
  const { disk, store } = await openSettled();
  await store.close();
  const content = disk.files().get("store.ndjson") ?? assert.fail("there is a file");
  await disk.remove("/store/store.ndjson");
  const file = await disk.create("/store/store.ndjson");
  await file.write(content);
  await file.close();
  const again = await openStore(crashStoreOptions(disk));
  await assertDurable(disk, ids(again));
});

test("a start that reads two different files in its two readings changes nothing", async () => {
  const { disk, store } = await openSettled();
  await store.close();
  const before = disk.files();
  const changing = disk.survivor();
  let reads = 0;
  changing.observer = {
    before: ({ operation, bytes }) => {
      if (operation !== "read" || (reads += 1) !== 3) return;
      assert.equal(bytes, undefined);
      changing.lose("store.ndjson", 60);
    },
  };
  const error = { code: "damaged", message: /changed during the start/, hint: /Start again/ };
  await assert.rejects(openStore(crashStoreOptions(changing)), error);
  assert.deepEqual([...changing.files().keys()], [...before.keys()]);
});
