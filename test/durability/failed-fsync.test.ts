/**
 * After an fsync that failed, Linux keeps what was written in its memory and counts it as on disk:
 * a process that is started then reads it, and a sync alone would never write it.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../dist/store/opening.js";
import type { Store } from "../../dist/store/store.js";
import { crashStates, seededRandom } from "../helpers/crash-states.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { idsOf, orders, thing } from "../helpers/things.ts";
import { crashStoreOptions } from "./crash-load.ts";

const ids = (store: Store): string[] => idsOf(store.rows(orders));

function put(store: Store, id: string): Promise<unknown> {
  return store.write(orders, id, () => thing(id, { note: "x".repeat(700) }));
}

/** A store that holds "before", and is at rest. */
async function openSettled(): Promise<{ disk: SimulatedDisk; store: Store }> {
  const disk = new SimulatedDisk();
  const store = await openStore(crashStoreOptions(disk));
  await put(store, "before");
  await store.snapshot();
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
  for (const files of crashStates(disk.image(), 20, seededRandom(1))) {
    const store = await openStore(crashStoreOptions(new SimulatedDisk(files)));
    assert.deepEqual(ids(store), expected);
    await store.close();
  }
}

test("all that a start after a failed fsync shows or stores is on disk", async () => {
  const { disk, store } = await openSettled();
  failSync(disk, /^journal/);
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

test("a record that tests for room does not vouch for the batch it is in", async () => {
  const { disk, store } = await openSettled();
  disk.observer = {
    before: ({ operation }) => {
      if (operation === "write") throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    },
  };
  await assert.rejects(put(store, "refused"), { code: "write-failed" });
  failSync(disk, /^journal/);
  const batch = [put(store, "a"), store.requireWritable(), put(store, "b")];
  assert.ok((await Promise.allSettled(batch)).every(({ status }) => status === "rejected"));
  const restarted = disk.survivor();
  const second = await openStore(crashStoreOptions(restarted));
  assert.ok(ids(second).includes("a"), "it stands in the kernel's memory");
  await put(second, "after");
  await assertDurable(restarted, ids(second));
});

test("an fsync that fails at the start is no less of a failure at the next one", async () => {
  const { disk, store } = await openSettled();
  failSync(disk, /^journal/);
  await assert.rejects(put(store, "a"), { code: "untrusted" });
  const failing = disk.survivor();
  failSync(failing, /^journal/);
  await assert.rejects(openStore(crashStoreOptions(failing)));
  const restarted = failing.survivor();
  const third = await openStore(crashStoreOptions(restarted));
  await put(third, "after");
  await assertDurable(restarted, ids(third));
});

test("a failed fsync beside a journal rotation is not forgotten by the next start", async () => {
  const older = [1, 2, 3, 4].map((nth) => [/^journal-000002/, nth] as const);
  for (const [name, nth] of [...older, [/^journal-000003/, 1] as const]) {
    const { disk, store } = await openSettled();
    failSync(disk, name, nth);
    const storm = ["a", "b", "c"].map((id) => put(store, id));
    await Promise.allSettled([...storm, store.snapshot(), put(store, "d")]);
    const restarted = disk.survivor();
    const second = await openStore(crashStoreOptions(restarted));
    await put(second, "after");
    await assertDurable(restarted, ids(second));
  }
});
