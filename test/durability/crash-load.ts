/**
 * A scripted load on a simulated disk, recorded: after each call that changed the disk, what of it
 * is durable and what is pending, and what a store opened from it may hold.
 */

import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { createLog } from "../../src/log/log.ts";
import { openStore, type OpenOptions } from "../../src/store/opening.ts";
import { makeRow, Tables } from "../../src/store/tables.ts";
import type { Store } from "../../src/store/store.ts";
import { type Random, seededRandom } from "../helpers/crash-states.ts";
import {
  type Call,
  type DiskImage,
  type DiskObserver,
  SimulatedDisk,
} from "../helpers/simulated-disk.ts";
import { orders, thing, toppings } from "../helpers/things.ts";
import { contentText, Ledger } from "./ledger.ts";

/** The disk after one call, and what may be found in the store after a crash there. */
export interface Moment {
  readonly image: DiskImage;
  /** The disk as another process finds it if this one is killed here. */
  readonly survivor: SimulatedDisk;
  readonly acceptable: ReadonlySet<string>;
  readonly lastSeq: number;
  /** The beginnings of the file that a reader may have. */
  readonly sent: Buffer;
}

/** The time of day: numbers go on at it after a start. */
export const clock = { now: 1_000_000 };

const kinds = [toppings, orders];

/** A menu. */
export function crashContent(): Tables {
  const tables = new Tables(kinds);
  for (const [index, id] of ["funghi", "basilico", "olive"].entries()) {
    tables.of(toppings).put(makeRow(id, index + 1, thing(id, { name: `The ${id}` })));
  }
  return tables;
}

const log = createLog({ level: "silent", terminal: false });

export function crashStoreOptions(disk: SimulatedDisk): OpenOptions {
  return {
    folder: "/store",
    kinds,
    log,
    firstContent: crashContent,
    historyBytes: 6_000,
    fileSystem: disk,
    lock: async () => ({ release: async () => {} }),
  };
}

type Expected = Pick<Moment, "acceptable" | "lastSeq">;

/** Collects the moments of one disk. */
class Recording {
  readonly disk: SimulatedDisk;
  readonly #seen: (Omit<Moment, keyof Expected> & { readonly time: number })[] = [];
  #time = 0;
  #store: Store | undefined;
  #sent: Buffer;
  /** Fails the calls it picks, or takes only part of a write. */
  fault: NonNullable<DiskObserver["before"]> = () => {};
  /** Fails a call that took effect. */
  lateFault: (call: Call) => void = () => {};

  constructor(disk: SimulatedDisk, random: Random, sent: Buffer = Buffer.alloc(0)) {
    this.disk = disk;
    this.#sent = sent;
    disk.observer = {
      before: (call) => this.fault(call),
      after: (call) => {
        this.#time += 1;
        const [image, survivor] = [disk.image(), disk.survivor()];
        this.#seen.push({ time: this.#time, image, survivor, sent: this.#readable() });
        this.lateFault(call);
      },
      delay: async () => {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await turn();
      },
    };
  }

  /** How many calls have changed the disk. */
  now = (): number => this.#time;

  async open(): Promise<Store> {
    clock.now += 1_000_000;
    this.#store = await openStore(crashStoreOptions(this.disk));
    return this.#store;
  }

  async close(): Promise<void> {
    this.#readable();
    await this.#store?.close();
    this.#store = undefined;
  }

  heal(): void {
    this.fault = () => {};
    this.lateFault = () => {};
  }

  /** The durable bytes of the file; while none is open, those of the last one. */
  #readable(): Buffer {
    const content = this.disk.files().get("store.ndjson");
    if (content !== undefined && this.#store !== undefined) {
      this.#sent = content.subarray(0, this.#store.file.length);
    }
    return this.#sent;
  }

  moments(expect: (time: number) => Expected): Moment[] {
    return this.#seen.map(({ time, ...seen }) => ({ ...seen, ...expect(time) }));
  }
}

/** The whole load. */
export async function recordLoad(): Promise<Moment[]> {
  clock.now = 0;
  const random = seededRandom(1);
  const recording = new Recording(new SimulatedDisk(), random);
  const load = new Load(recording, random);
  await load.start();
  await load.rounds(10);
  await load.failedWrites();
  await load.rounds(6);
  const last = load.storm(5);
  await Promise.all([recording.close(), last]);
  for (let count = 0; count < 4; count++) {
    await load.start();
    await load.rounds(3);
    await recording.close();
  }
  await load.failedStarts();
  for (const nth of [1, 2]) {
    await load.start();
    await load.rounds(2);
    await load.failedSync(nth);
    await recording.close();
  }
  const store = await load.start();
  await load.rounds(2);
  await recording.close();
  assert.equal(contentText(store), [...load.expect(recording.now()).acceptable].join(" or "));
  return recording.moments((time) => load.expect(time));
}

/** A start upon what a killed process left, recorded likewise: shown once, a write must stay. */
export async function recordRestart(from: Moment, seed: number): Promise<Moment[]> {
  clock.now = 20_000_000;
  const random = seededRandom(seed);
  const recording = new Recording(from.survivor.survivor(), random, from.sent);
  const load = new Load(recording, random, from);
  await load.start();
  await load.rounds(2);
  await recording.close();
  return recording.moments((time) => load.expect(time));
}

class Load {
  readonly #recording: Recording;
  readonly #random: Random;
  /** A ledger for each start: the content that may be found from then on. */
  readonly #parts: { readonly since: number; readonly ledger: Ledger; readonly seq: number }[] = [];
  /** The content that may be found before the first start has ended. */
  readonly #before: Expected | undefined;
  #count = 0;
  #store!: Store;
  #ledger!: Ledger;

  constructor(recording: Recording, random: Random, before?: Expected) {
    this.#recording = recording;
    this.#random = random;
    this.#before = before;
  }

  async start(): Promise<Store> {
    this.#store = await this.#recording.open();
    this.#ledger = new Ledger(this.#store, this.#recording.now);
    const seq = this.#store.history.last;
    this.#parts.push({ since: this.#recording.now(), ledger: this.#ledger, seq });
    return this.#store;
  }

  /** The content that a crash at a time may leave. */
  expect(time: number): Expected {
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

  /** Writes that take part of a batch, or all of it, and fail; more come while they are undone. */
  async failedWrites(): Promise<void> {
    for (const taken of [0, 1, 700, Infinity]) {
      let left = taken;
      const isBatch = ({ operation }: Call): boolean => operation === "write";
      this.#recording.fault = (call) => {
        if (!isBatch(call) || left === Infinity) return undefined;
        if (left === 0) throw diskError("ENOSPC");
        const part = Math.min(left, call.bytes?.length ?? 0);
        left = 0;
        return part;
      };
      this.#recording.lateFault = (call) => {
        if (isBatch(call) && left === Infinity) throw diskError("EIO");
      };
      const { refused } = this.#ledger.counts;
      await this.storm(4);
      const { stored } = this.#ledger.counts;
      assert.ok(this.#ledger.counts.refused > refused, "writes are refused");
      this.#recording.heal();
      await this.storm(3);
      assert.ok(this.#ledger.counts.stored > stored, "writes work again");
    }
    assert.ok(this.#ledger.counts.stored > 30, "the load is a load");
  }

  /** Starts that fail at each of their steps, before it or after it. */
  async failedStarts(): Promise<void> {
    for (const step of ["create", "write", "sync", "rename", "syncFolder"]) {
      for (const when of ["fault", "lateFault"] as const) {
        this.#recording[when] = ({ operation }) => {
          if (operation === step) throw diskError("EIO");
        };
        await assert.rejects(this.#recording.open(), { code: "unusable" });
        this.#recording.heal();
      }
    }
  }

  /** The kernel takes a batch for written, and the disk does not have it. */
  async failedSync(nth: number): Promise<void> {
    let left = nth;
    this.#recording.fault = ({ operation }) => {
      if (operation === "sync" && (left -= 1) === 0) throw diskError("EIO");
    };
    await this.storm(9);
    await this.storm(9);
    assert.ok(left <= 0, "an fsync failed");
    this.#recording.heal();
    await this.storm(1);
  }

  #write(): Promise<void> {
    const [store, ledger] = [this.#store, this.#ledger];
    const kind = this.#random() < 0.8 ? "orders" : "toppings";
    const known = ledger.accepted(kind);
    const some = known[Math.floor(this.#random() * known.length)];
    const what = this.#random();
    if (some !== undefined && what < 0.25) return ledger.write(store, kind, some, undefined);
    const id = some !== undefined && what < 0.55 ? some : this.#newId(known);
    const note = "x".repeat(Math.floor(this.#random() ** 3 * 900));
    const members = { name: `é${++this.#count}`, note };
    return ledger.write(store, kind, id, members);
  }

  /** Now and then one that was used before. */
  #newId(known: readonly string[]): string {
    const id = `again-${Math.floor(this.#random() * 20)}`;
    return known.includes(id) ? `id-${this.#count}` : id;
  }
}

function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code, syscall: "write" });
}
