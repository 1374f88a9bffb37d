/** Each call of the file system fails once, in a start, a load and a stop. */

import assert from "node:assert/strict";
import test from "node:test";
import { openStore } from "../../src/store/opening.ts";
import { StoreError } from "../../src/store/store-error.ts";
import type { Store } from "../../src/store/store.ts";
import { type Call, type DiskObserver, SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orderIds, orders, put, thing, toppings } from "../helpers/things.ts";
import { crashStoreOptions, diskError } from "./crash-load.ts";
import { contentText, Ledger } from "./ledger.ts";

/** How a call fails: before it did anything, after it did all, or with a part of a write. */
const faults = ["ENOSPC", "EIO", "ENOSPC afterwards", "EIO afterwards", "short write"] as const;
type Fault = (typeof faults)[number];

interface FailingOnce extends DiskObserver {
  failed?: Call;
}

/** Fails one call that a fault can befall, after so many others. */
function failingOnce(others: number, fault: Fault): FailingOnce {
  let left = others;
  const [code = "", when] = fault.split(" ");
  const isNow = (call: Call): boolean => {
    if (fault === "short write" && call.operation !== "write") return false;
    if (left-- !== 0) return false;
    failing.failed = call;
    return true;
  };
  const failing: FailingOnce = {
    before: (call) => {
      if (when === "afterwards" || !isNow(call)) return undefined;
      if (fault !== "short write") throw diskError(code);
      return Math.ceil((call.bytes?.length ?? 0) / 2);
    },
    after: (call) => {
      if (when === "afterwards" && isNow(call)) throw diskError(code);
    },
  };
  return failing;
}

/** True if nobody knows what the disk has of a batch. */
function endsTrust({ failed }: FailingOnce, fault: Fault): boolean {
  const { operation = "", name } = failed ?? {};
  return fault.startsWith("EIO") && name === "store.ndjson" && /^(write|sync)$/.test(operation);
}

/** A file with changes and a torn end, and a temporary one: everything that a start tidies. */
async function usedFolder(): Promise<Map<string, Buffer>> {
  const disk = new SimulatedDisk();
  await put(await openStore(crashStoreOptions(disk)), "old");
  const [content = Buffer.alloc(0)] = disk.files().values();
  return new Map([
    ["store.ndjson", Buffer.concat([content, Buffer.from('{"seq":9')])],
    ["store.ndjson.tmp", Buffer.from("{")],
  ]);
}

/** Opens, writes, closes and opens. Resolves to the call that failed on the way, if any. */
async function runWith(
  files: ReadonlyMap<string, Buffer>, at: number, fault: Fault,
): Promise<Call | undefined> {
  const failing = failingOnce(at, fault);
  const disk = new SimulatedDisk(files, failing);
  let isLocked = false;
  const lock = async () => {
    isLocked = true;
    return { isHeld: () => true, release: () => void (isLocked = false) };
  };
  const options = { ...crashStoreOptions(disk), historyBytes: 500, lock };
  const opened = await openStore(options).catch((error: unknown) => {
    assert.ok(error instanceof StoreError && error.code === "unusable", String(error));
  });
  const ledger = opened && (await useStore(opened, failing, fault));
  assert.equal(disk.openFiles, 0, "no file is left open");
  assert.equal(isLocked, false, "the folder is given back");

  disk.observer = {};
  const again = await openStore(options);
  const found = contentText(again);
  assert.ok(again.get(toppings, "olive"), "the store opens again with its content");
  assert.ok(ledger?.acceptable(0).has(found) ?? true, `all is as answered after a start: ${found}`);
  await again.close();
  assert.equal(disk.openFiles, 0);
  return failing.failed;
}

async function useStore(
  store: Store, failing: FailingOnce, fault: Fault,
): Promise<Ledger> {
  const ledger = new Ledger(store, () => 0);
  const write = (id: string) => ledger.write(store, "orders", id, { note: "x".repeat(200) });
  await Promise.all([write("a"), write("b")]);
  await write("c");
  await Promise.all([write("a"), write("d")]);
  const refusedBefore = ledger.counts.refused;
  const hasFailedBefore = failing.failed !== undefined;
  await write("e");
  if (endsTrust(failing, fault)) await assert.rejects(put(store, "f"), { code: "refused" });
  else {
    await store.settled();
    if (hasFailedBefore) assert.equal(ledger.counts.refused, refusedBefore, "writes work again");
  }
  assert.equal(contentText(store), ledger.shown(), "whatever the disk holds of the others");
  await store.close();
  return ledger;
}

for (const [folder, filesOf] of [
  ["a new store", async () => new Map<string, Buffer>()],
  ["a used store", usedFolder],
] as const) {
  for (const fault of faults) {
    test(`${folder} stands a failure of any one call: ${fault}`, async (t) => {
      const files = await filesOf();
      const seen: string[] = [];
      for (;;) {
        const failed = await runWith(files, seen.length, fault);
        if (failed === undefined) break;
        seen.push(failed.operation);
      }
      t.diagnostic(`${seen.length} calls failed in turn: ${[...new Set(seen)].join(", ")}`);
      assert.ok(seen.length > 4, `expected some calls to fail, got ${seen.length}`);
    });
  }
}

test("the write of the rest tells what is behind a short count", async () => {
  for (const [code, error, later] of [
    ["EIO", { code: "unconfirmed" }, { code: "refused" }],
    ["ENOSPC", { code: "write-failed" }, undefined],
    [undefined, undefined, undefined],
  ] as const) {
    const disk = new SimulatedDisk();
    const store = await openStore(crashStoreOptions(disk));
    let writes = 0;
    disk.observer = {
      before: ({ operation, bytes }) => {
        if (operation !== "write") return undefined;
        writes += 1;
        if (writes > 1 && code !== undefined) throw diskError(code);
        return writes === 1 ? Math.ceil((bytes?.length ?? 0) / 2) : undefined;
      },
    };
    const ids = ["a", "b"];
    const several = store.writeAll(orders, ids, () => ids.map((id) => thing(id)));
    if (error === undefined) await several;
    else await assert.rejects(several, error);
    disk.observer = {};
    for (const id of ["c", "d"]) {
      if (later === undefined) await put(store, id);
      else await assert.rejects(put(store, id), later);
    }
    await store.close();
    const again = await openStore(crashStoreOptions(disk));
    const stored = error === undefined ? ids : [];
    const found = orderIds(again);
    // After the error nobody knows what a start finds, but a part it never is.
    if (code === "EIO") assert.ok(found.length === 0 || found.length === 2);
    else assert.deepEqual(found, [...stored, "c", "d"], `${code}`);
  }
});

test("a write that found no room and cannot be undone ends trust", async () => {
  for (const second of ["truncate", "sync"] as const) {
    const disk = new SimulatedDisk();
    const store = await openStore(crashStoreOptions(disk));
    disk.observer = {
      before: ({ operation }) => {
        if (operation === "write") throw diskError("ENOSPC");
        if (operation === second) throw diskError("EIO");
      },
    };
    await assert.rejects(put(store, "a"), { code: "unconfirmed" });
    disk.observer = {};
    await assert.rejects(put(store, "a"), { code: "refused" });
    assert.equal(store.get(orders, "a"), undefined);
    assert.ok(store.get(toppings, "olive"), "reads go on");
    await store.close();
    assert.equal(disk.openFiles, 0);
  }
});
