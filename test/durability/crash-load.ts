/**
 * A scripted load on a simulated disk. It records the disk after each call that changed it, and the
 * contents that a store opened from it may have.
 */

import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { openStore, type OpenOptions } from "../../src/store/opening.ts";
import { makeRow } from "../../src/store/row.ts";
import { Tables } from "../../src/store/tables.ts";
import type { StoreError } from "../../src/store/store-error.ts";
import type { Store } from "../../src/store/store.ts";
import { type Random, seededRandom } from "../helpers/crash-states.ts";
import { storeOptions } from "../helpers/memory-store.ts";
import { type Call, type DiskObserver, SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orders, thing, toppings } from "../helpers/things.ts";
import { contentText, Ledger } from "./ledger.ts";

/** The content that a crash may leave. */
interface Expected {
  readonly acceptable: ReadonlySet<string>;
  readonly lastSeq: number;
}

export interface Moment extends Expected {
  /** The disk as another process finds it if this one is killed here. */
  readonly disk: SimulatedDisk;
  /** The beginning of the file that a reader may have. */
  readonly sent: Buffer;
}

/** The time of day: numbers go on at it after a start. */
export const clock = { now: 1_000_000 };

/** A menu. */
export function crashContent(): Tables {
  const tables = new Tables([toppings, orders]);
  for (const [index, id] of ["funghi", "basilico", "olive"].entries()) {
    tables.of(toppings).put(makeRow(id, index + 1, thing(id, { name: `The ${id}` })));
  }
  return tables;
}

export function crashStoreOptions(disk: SimulatedDisk): OpenOptions {
  return { ...storeOptions(disk), firstContent: crashContent, historyBytes: 6_000 };
}

export function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code, syscall: "write" });
}

/** The whole load. Rejects if it does not go as planned. */
export async function recordLoad(): Promise<Moment[]> {
  clock.now = 0;
  const load = new Load(new SimulatedDisk(), seededRandom(1));
  await load.open();
  await load.rounds(10);
  await load.failedWrites();
  await load.rounds(6);
  const last = load.storm(5);
  await Promise.all([load.close(), last]);
  for (let count = 0; count < 4; count++) {
    await load.open();
    await load.rounds(3);
    await load.close();
  }
  await load.fullStart();
  await load.failedStarts();
  for (const nth of [1, 2]) {
    await load.open();
    await load.rounds(2);
    await load.failedSync(nth);
    await load.close();
  }
  const store = await load.open();
  await load.rounds(2);
  await load.close();
  const moments = load.moments();
  const acceptable = [...(moments.at(-1)?.acceptable ?? [])].join(" or ");
  assert.equal(contentText(store), acceptable, "the end is as answered");
  return moments;
}

/**
 * A start upon what a killed process left, recorded likewise: shown once, a write must stay. In
 * half of them there is no room for a fresh file.
 */
export async function recordRestart(from: Moment, seed: number): Promise<Moment[]> {
  clock.now = 20_000_000;
  const disk = from.disk.survivor();
  const file = disk.names.get("store.ndjson")?.at(-1);
  // Without its last newline a file needs room: nothing can be appended to it.
  const isWhole = disk.files().get("store.ndjson")?.at(-1) === newline;
  if (seededRandom(seed)() < 0.5 && file?.isDeceptive === false && isWhole) disk.free = 0;
  const load = new Load(disk, seededRandom(seed), from);
  await load.open();
  await load.rounds(2);
  await load.close();
  return load.moments();
}

const newline = "\n".charCodeAt(0);

class Load {
  readonly #disk: SimulatedDisk;
  readonly #random: Random;
  readonly #seen: (Pick<Moment, "disk" | "sent"> & { readonly time: number })[] = [];
  /** How many calls have changed the disk. */
  #time = 0;
  #sent: Buffer;
  /** The content that may be found before the first start has ended. */
  readonly #before: Expected | undefined;
  /** A ledger for each start: the content that may be found from then on. */
  readonly #parts: { readonly since: number; readonly ledger: Ledger; readonly seq: number }[] = [];
  #faults: Pick<DiskObserver, "before" | "after"> = {};
  #count = 0;
  #isOpen = false;
  #store!: Store;
  #ledger!: Ledger;

  constructor(disk: SimulatedDisk, random: Random, before?: Moment) {
    this.#disk = disk;
    this.#random = random;
    this.#before = before;
    this.#sent = before?.sent ?? Buffer.alloc(0);
    disk.observer = {
      before: (call) => this.#faults.before?.(call),
      after: (call) => {
        this.#time += 1;
        this.#seen.push({ time: this.#time, disk: disk.survivor(), sent: this.#readable() });
        this.#faults.after?.(call);
      },
      delay: async () => {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await turn();
      },
    };
  }

  async open(): Promise<Store> {
    clock.now += 1_000_000;
    this.#store = await openStore(crashStoreOptions(this.#disk));
    this.#isOpen = true;
    this.#ledger = new Ledger(this.#store, () => this.#time);
    const seq = this.#store.history.last;
    this.#parts.push({ since: this.#time, ledger: this.#ledger, seq });
    return this.#store;
  }

  async close(): Promise<void> {
    this.#readable();
    await this.#store.close();
    this.#isOpen = false;
  }

  /** The durable bytes of the file; while none is open, those of the last one. */
  #readable(): Buffer {
    const content = this.#disk.files().get("store.ndjson");
    if (content !== undefined && this.#isOpen) {
      this.#sent = content.subarray(0, this.#store.file.length);
    }
    return this.#sent;
  }

  moments(): Moment[] {
    return this.#seen.map(({ time, ...seen }) => ({ ...this.#expected(time), ...seen }));
  }

  #expected(time: number): Expected {
    const part = this.#parts.findLast(({ since }) => since <= time);
    if (part === undefined && this.#before !== undefined) return this.#before;
    const { ledger, seq } = part ?? this.#parts[0] ?? assert.fail("the load has started");
    // A new store may be made again.
    const lastSeq = part === undefined ? 0 : Math.max(seq, ledger.lastSeq(time));
    return { acceptable: ledger.acceptable(time), lastSeq };
  }

  /** Storms one after the other. */
  async rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round++) {
      await this.storm(1 + Math.floor(this.#random() * 8));
      if (this.#random() < 0.3) await turn();
    }
  }

  /** Writes at once and, before they are answered, some more. */
  async storm(count: number): Promise<void> {
    const writes: Promise<void>[] = [];
    for (let index = 0; index < count; index++) {
      writes.push(this.#write());
      // A turn that brings nothing ends a batch.
      for (let turns = Math.floor(this.#random() * 2.8); turns > 0; turns--) await turn();
    }
    await Promise.all(writes);
  }

  /** Writes that find room for part of a batch, or fail with all of it; more come meanwhile. */
  async failedWrites(): Promise<void> {
    for (const room of ["none", 1, 700, "lost with the answer", "lost in the sync"] as const) {
      let isInSync = false;
      let isUsed = false;
      this.#faults = {
        before: ({ operation, bytes }) => {
          if (operation === "sync" && isInSync) {
            isInSync = false;
            throw diskError("ENOSPC");
          }
          if (operation !== "write") return undefined;
          if (room === "none" || isUsed) throw diskError("ENOSPC");
          isUsed = typeof room === "number";
          return isUsed ? Math.min(Number(room), (bytes?.length ?? 0) - 1) : undefined;
        },
        after: ({ operation }) => {
          if (operation !== "write") return;
          if (room === "lost with the answer") throw diskError("ENOSPC");
          isInSync = room === "lost in the sync";
        },
      };
      const { refused } = this.#ledger.counts;
      await this.storm(4);
      const { stored } = this.#ledger.counts;
      assert.ok(this.#ledger.counts.refused > refused, "writes are refused");
      this.#faults = {};
      await this.storm(3);
      assert.ok(this.#ledger.counts.stored > stored, "writes work again");
    }
    assert.ok(this.#ledger.counts.stored > 30, "many writes are stored");
  }

  /** A start without room for a fresh file. Its writes find some. */
  async fullStart(): Promise<void> {
    this.#disk.free = 0;
    await this.open();
    await this.rounds(3);
    await this.close();
    this.#disk.free = Infinity;
  }

  /** Starts that fail at each of their steps, before it or after it. */
  async failedStarts(): Promise<void> {
    for (const step of ["create", "write", "sync", "rename", "syncFolder"]) {
      for (const when of ["before", "after"] as const) {
        const fail = ({ operation }: Call): void => {
          if (operation === step) throw diskError("EIO");
        };
        this.#faults = { [when]: fail };
        const code = await this.open().catch((error: StoreError) => error.code);
        assert.equal(code, "unusable", `a start fails at its ${step}`);
        this.#faults = {};
      }
    }
  }

  /** The kernel takes a batch for written, and the disk does not have it. */
  async failedSync(nth: number): Promise<void> {
    let left = nth;
    this.#faults = {
      before: ({ operation }) => {
        if (operation === "sync" && (left -= 1) === 0) throw diskError("EIO");
      },
    };
    await this.storm(9);
    await this.storm(9);
    assert.ok(left <= 0, "a sync fails");
    this.#faults = {};
    await this.storm(1);
  }

  /** A write of one thing, or of up to five. */
  #write(): Promise<void> {
    const kind = this.#random() < 0.8 ? "orders" : "toppings";
    const known = this.#ledger.accepted(kind);
    const things = new Map<string, object | undefined>();
    const count = this.#random() < 0.6 ? 1 : 2 + Math.floor(this.#random() * 4);
    while (things.size < count) things.set(...this.#thing(known));
    return this.#ledger.writeAll(this.#store, kind, things);
  }

  /** A thing and its new members: undefined removes it. */
  #thing(known: readonly string[]): [id: string, members: object | undefined] {
    const some = known[Math.floor(this.#random() * known.length)];
    const way = this.#random();
    if (some !== undefined && way < 0.25) return [some, undefined];
    const id = some !== undefined && way < 0.55 ? some : this.#newId(known);
    const note = "x".repeat(Math.floor(this.#random() ** 3 * 900));
    return [id, { name: `é${++this.#count}`, note }];
  }

  /** Now and then one that was used before. */
  #newId(known: readonly string[]): string {
    const id = `again-${Math.floor(this.#random() * 20)}`;
    return known.includes(id) ? `id-${this.#count}` : id;
  }
}
