import assert from "node:assert/strict";
import test from "node:test";
import { openStore, type OpenOptions } from "../../src/store/opening.ts";
import { StoreError } from "../../src/store/store-error.ts";
import type { Store } from "../../src/store/store.ts";
import { type Call, type DiskObserver, SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orders, thing, toppings } from "../helpers/things.ts";
import { crashStoreOptions } from "./crash-load.ts";
import { contentText, Ledger } from "./ledger.ts";

/** How a call fails: before it did anything, after it did all, or with a part of a write. */
const faults = [
  "ENOSPC", "EIO", "EIO afterwards", "short write", "short write, then ENOSPC",
] as const;
type Fault = (typeof faults)[number];

function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code, syscall: "write" });
}

/** Fails one call that a fault can befall, and no other. */
class FailingOnce implements DiskObserver {
  failed: Call | undefined;
  readonly #at: number;
  readonly #fault: Fault;
  #count = 0;
  #isFull = false;

  constructor(at: number, fault: Fault) {
    this.#at = at;
    this.#fault = fault;
  }

  before = (call: Call): number | void => {
    if (this.#isFull && call.operation === "write") {
      this.#isFull = false;
      throw diskError("ENOSPC");
    }
    if (this.#fault === "EIO afterwards" || !this.#isNow(call)) return;
    if (this.#fault === "ENOSPC" || this.#fault === "EIO") throw diskError(this.#fault);
    this.#isFull = this.#fault === "short write, then ENOSPC";
    return Math.ceil((call.bytes?.length ?? 0) / 2);
  };

  after = (call: Call): void => {
    if (this.#fault === "EIO afterwards" && this.#isNow(call)) throw diskError("EIO");
  };

  #isNow(call: Call): boolean {
    if (this.#fault.startsWith("short") && call.operation !== "write") return false;
    if (this.#count++ !== this.#at) return false;
    this.failed = call;
    return true;
  }
}

interface Locked extends OpenOptions {
  readonly isLocked: () => boolean;
}

function options(disk: SimulatedDisk): Locked {
  let isLocked = false;
  return {
    ...crashStoreOptions(disk),
    historyBytes: 500,
    isLocked: () => isLocked,
    lock: async () => {
      isLocked = true;
      return {
        release: async () => {
          isLocked = false;
        },
      };
    },
  };
}

/** A folder with changes, a torn end and a temporary file: everything that a start tidies. */
async function usedFolder(): Promise<Map<string, Buffer>> {
  const disk = new SimulatedDisk();
  const store = await openStore(options(disk));
  await store.write(orders, "old", () => thing("old"));
  const [content = Buffer.alloc(0)] = disk.survivor().files().values();
  await store.close();
  return new Map([
    ["store.ndjson", Buffer.concat([content, Buffer.from('{"seq":9')])],
    ["store.ndjson.tmp", Buffer.from("{")],
  ]);
}

/** Opens, writes, closes and opens, with one fault on the way. */
async function runWith(
  files: ReadonlyMap<string, Buffer>,
  at: number,
  fault: Fault,
): Promise<Call | undefined> {
  const failing = new FailingOnce(at, fault);
  const disk = new SimulatedDisk(files, failing);
  const locked = options(disk);
  const opened = await openStore(locked).catch((error: unknown) => error);
  if (opened instanceof Error) {
    assert.ok(opened instanceof StoreError && opened.code === "unusable", String(opened));
    assert.equal(disk.openFiles, 0, "a failed start leaves no file open");
    assert.equal(locked.isLocked(), false, "a failed start gives the folder back");
  } else {
    await useStore(opened as Store, disk, failing);
    assert.equal(locked.isLocked(), false, "a closed store gives the folder back");
  }
  disk.observer = {};
  const again = await openStore(options(disk));
  assert.ok(again.get(toppings, "olive"), "the store opens again with its content");
  await again.close();
  assert.equal(disk.openFiles, 0);
  return failing.failed;
}

async function useStore(
  store: Store,
  disk: SimulatedDisk,
  failing: FailingOnce,
): Promise<void> {
  const ledger = new Ledger(store, () => 0);
  const write = (id: string) => ledger.write(store, "orders", id, { note: "x".repeat(200) });
  await Promise.all([write("a"), write("b")]);
  await write("c");
  await Promise.all([write("a"), write("d")]);
  const failedBefore = failing.failed;
  const refused = ledger.counts.refused;
  await write("e");
  const refusal = await refusalOf(store);
  if (refusal === undefined) {
    const refusedNow = failedBefore === undefined ? refused : ledger.counts.refused;
    assert.equal(refusedNow, refused, "writes work again by themselves");
  } else {
    assert.equal(refusal.code, "refused");
    const operation = failing.failed?.operation ?? "";
    assert.match(operation, /^(sync|stat)$/, "only a failed sync ends trust");
    await assert.rejects(store.write(orders, "f", () => thing("f")), { code: "refused" });
  }
  if (failedBefore !== undefined && mustEndTrust(failedBefore)) {
    assert.equal(refusal?.code, "refused");
  }
  // Nothing without an answer shows, whatever the disk holds of it.
  const shown = contentText(store);
  assert.equal(shown, ledger.shown());
  await store.close();
  assert.equal(disk.openFiles, 0, "a closed store leaves no file open");
  disk.observer = {};
  const again = await openStore(options(disk));
  const found = contentText(again);
  assert.ok(ledger.acceptable(0).has(found), `after a restart all is as answered, not ${found}`);
  await again.close();
}

/** The error of every later write; undefined while writes are accepted. */
function refusalOf(store: Store): Promise<StoreError | undefined> {
  return store.settled().then(() => undefined, (error: StoreError) => error);
}

/** An fsync of answered writes. */
function mustEndTrust({ operation, name }: Call): boolean {
  return operation === "sync" && name === "store.ndjson";
}

for (const [folder, filesOf] of [
  ["a new store", async () => new Map<string, Buffer>()],
  ["a used store", usedFolder],
] as const) {
  for (const fault of faults) {
    test(`${folder} stands a failure of any one call: ${fault}`, async (t) => {
      const files = await filesOf();
      const seen = new Set<string>();
      let calls = 0;
      for (;;) {
        const failed = await runWith(files, calls, fault);
        if (failed === undefined) break;
        seen.add(failed.operation);
        calls += 1;
      }
      t.diagnostic(`${calls} calls failed in turn: ${[...seen].join(", ")}`);
      assert.ok(calls > 4, `expected some calls to fail, got ${calls}`);
    });
  }
}

test("a write that cannot be undone ends trust", async () => {
  for (const second of ["truncate", "sync"] as const) {
    const disk = new SimulatedDisk();
    const store = await openStore(options(disk));
    let isFull = false;
    disk.observer = {
      before: ({ operation }) => {
        if (operation === "write") isFull = true;
        if (operation === "write" || (isFull && operation === second)) throw diskError("EIO");
      },
    };
    const write = () => store.write(orders, "a", () => thing("a"));
    await assert.rejects(write(), { code: "unconfirmed" });
    disk.observer = {};
    await assert.rejects(write(), { code: "refused" });
    assert.equal(store.get(orders, "a"), undefined);
    assert.ok(store.get(toppings, "olive"), "reads go on");
    await store.close();
    assert.equal(disk.openFiles, 0);
  }
});
