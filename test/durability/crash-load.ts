/**
 * A scripted load on a simulated disk, recorded: after each call that changed the disk, what of it
 * is durable and what is pending, and what a store opened from it may hold.
 */

import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { createLog } from "../../src/log/log.ts";
import { encodeLine } from "../../src/store/line.ts";
import { openStore, type OpenOptions } from "../../src/store/opening.ts";
import { makeRow } from "../../src/store/rows.ts";
import type { Store } from "../../src/store/store.ts";
import { Tables } from "../../src/store/tables.ts";
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
}

/** The time of day: numbers go on at it after a start. */
export const clock = { now: 1_000_000 };

const kinds = [toppings, orders];

/** A menu. */
function firstContent(): Tables {
  const tables = new Tables(kinds);
  for (const [index, id] of ["funghi", "basilico", "olive"].entries()) {
    tables.of(toppings).put(makeRow(index + 1, thing(id, { name: `The ${id}` })));
  }
  return tables;
}

const log = createLog({ level: "silent", terminal: false });

export function crashStoreOptions(disk: SimulatedDisk): OpenOptions {
  return {
    folder: "/store",
    kinds,
    log,
    firstContent,
    rewriteBytes: 6_000,
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
  /** Fails the calls it picks, or takes only part of a write. */
  fault: NonNullable<DiskObserver["before"]> = () => {};
  /** Fails a call that took effect. */
  lateFault: (call: Call) => void = () => {};

  constructor(disk: SimulatedDisk, random: Random) {
    this.disk = disk;
    disk.observer = {
      before: (call) => this.fault(call),
      after: (call) => {
        this.#time += 1;
        this.#seen.push({ time: this.#time, image: disk.image(), survivor: disk.survivor() });
        this.lateFault(call);
      },
      delay: async () => {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await turn();
      },
    };
  }

  /** How many calls have changed the disk. */
  now = (): number => this.#time;

  moments(expect: (time: number) => Expected): Moment[] {
    return this.#seen.map(({ time, ...seen }) => ({ ...seen, ...expect(time) }));
  }
}

/** The whole load. */
export async function recordLoad(): Promise<Moment[]> {
  clock.now = 1_000_000;
  const random = seededRandom(1);
  const recording = new Recording(new SimulatedDisk(), random);
  const options = crashStoreOptions(recording.disk);
  const first = await openStore(options);
  const birth = recording.now();
  const ledger = new Ledger(first, recording.now);
  const born = new Set([contentText(first)]);
  const load = new Load(recording, ledger, random);

  await load.rounds(first, 10);
  await load.failedWrites(first);
  await load.failedRewrites(first);
  for (let count = 0; count < 3; count++) {
    await Promise.all([load.storm(first, 5), first.rewrite()]);
    await load.storm(first, 2);
  }
  await load.rounds(first, 10);
  const last = load.storm(first, 5);
  await Promise.all([first.close(), last]);
  clock.now = 2_000_000;
  const second = await openStore(options);
  await load.rounds(second, 4);
  await second.close();
  assert.equal(contentText(second), [...ledger.acceptable(recording.now())].join(" or "));
  assert.ok(ledger.counts.stored > 100 && ledger.counts.refused > 5, "the load is a load");

  return recording.moments((time) =>
    time <= birth
      ? { acceptable: born, lastSeq: 0 }
      : { acceptable: ledger.acceptable(time), lastSeq: ledger.lastSeq(time) },
  );
}

/** A start upon what a killed process left, recorded likewise: shown once, a write must stay. */
export async function recordRestart(from: Moment, seed: number): Promise<Moment[]> {
  clock.now = 3_000_000;
  const random = seededRandom(seed);
  const recording = new Recording(from.survivor.survivor(), random);
  const store = await openStore(crashStoreOptions(recording.disk));
  const opened = recording.now();
  const ledger = new Ledger(store, recording.now);
  const { last } = store.history;
  await new Load(recording, ledger, random).rounds(store, 2);
  await store.close();
  return recording.moments((time) =>
    time < opened
      ? from
      : { acceptable: ledger.acceptable(time), lastSeq: Math.max(last, ledger.lastSeq(time)) },
  );
}

/** A folder of Forno 2: a document, and a journal with a change since. */
function oldFolder(): Map<string, Buffer> {
  const takenAt = "2026-01-31T18:00:00.000Z";
  const head = `{\n"forno":1,\n"seq":10,\n"lastChange":10,\n"takenAt":"${takenAt}",\n`;
  const lists =
    '"toppings":[\n{"id":"funghi","seq":1},\n{"id":"olive","seq":2}\n],\n' +
    '"orders":[\n{"id":"one","seq":9,"placedBy":"anna"}\n],\n';
  const crc = crc32(head + lists).toString(16).padStart(8, "0");
  const lines = [
    { seq: 0, event: "store.journal", data: '{"format":1,"number":2}', kept: undefined },
    { seq: 11, event: "orders.created", data: '{"id":"two","seq":11}', kept: undefined },
    { seq: 12, event: "toppings.deleted", data: '{"id":"olive"}', kept: undefined },
  ];
  const journal = Buffer.alloc(1_024);
  const length = lines.reduce((at, line) => encodeLine(line, 10, journal, at), 0);
  return new Map([
    ["store.json", Buffer.from(`${head}${lists}"crc":"${crc}"\n}\n`)],
    ["journal-000002.ndjson", journal.subarray(0, length)],
  ]);
}

/** A start upon a folder of Forno 2, which becomes one file. */
export async function recordConversion(): Promise<Moment[]> {
  clock.now = 1_000_000;
  const recording = new Recording(new SimulatedDisk(oldFolder()), seededRandom(3));
  const store = await openStore(crashStoreOptions(recording.disk));
  const content = contentText(store);
  await store.close();
  const expected = ["toppings:", '{"id":"funghi"}', "orders:", '{"id":"one"}', '{"id":"two"}'];
  assert.equal(content, expected.join("\n"));
  return recording.moments(() => ({ acceptable: new Set([content]), lastSeq: 12 }));
}

class Load {
  readonly #recording: Recording;
  readonly #ledger: Ledger;
  readonly #random: Random;
  #count = 0;

  constructor(recording: Recording, ledger: Ledger, random: Random) {
    this.#recording = recording;
    this.#ledger = ledger;
    this.#random = random;
  }

  /** Storms one after the other, some of which meet a rewrite. */
  async rounds(store: Store, count: number): Promise<void> {
    for (let round = 0; round < count; round++) {
      await this.storm(store, 1 + Math.floor(this.#random() * 8));
      if (this.#random() < 0.3) await turn();
    }
  }

  /** Writes at once and, before they are answered, some more. */
  async storm(store: Store, count: number): Promise<void> {
    const writes: Promise<void>[] = [];
    for (let index = 0; index < count; index++) {
      writes.push(this.#write(store));
      // A turn that brings nothing ends a batch.
      for (let turns = Math.floor(this.#random() * 2.8); turns > 0; turns--) await turn();
    }
    await Promise.all(writes);
  }

  /** Writes that take part of a batch, or all of it, and fail; more come while they are undone. */
  async failedWrites(store: Store): Promise<void> {
    for (const taken of [0, 1, 700, Infinity]) {
      let left = taken;
      const isBatch = ({ operation, name }: Call): boolean =>
        operation === "write" && name === "store.ndjson";
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
      const failing = this.storm(store, 4);
      await failing;
      assert.ok(this.#ledger.counts.refused > refused, "writes are refused");
      await assert.rejects(store.requireWritable());
      this.#heal();
      await store.requireWritable();
      await this.storm(store, 3);
    }
  }

  /** Rewrites that fail at each of their steps: after the rename they have happened. */
  async failedRewrites(store: Store): Promise<void> {
    for (const step of ["create", "write", "sync", "rename"]) {
      let failed = false;
      this.#recording.lateFault = ({ operation, name }) => {
        if (operation !== step || name !== "store.ndjson.tmp" || failed) return;
        failed = true;
        throw diskError("EIO");
      };
      await Promise.all([this.storm(store, 4), store.rewrite()]);
      this.#heal();
      await this.storm(store, 2);
    }
  }

  #heal(): void {
    this.#recording.fault = () => {};
    this.#recording.lateFault = () => {};
  }

  #write(store: Store): Promise<void> {
    const kind = this.#random() < 0.8 ? "orders" : "toppings";
    const known = this.#ledger.accepted(kind);
    const some = known[Math.floor(this.#random() * known.length)];
    const what = this.#random();
    if (some !== undefined && what < 0.25) {
      return this.#ledger.write(store, kind, some, undefined);
    }
    const id = some !== undefined && what < 0.55 ? some : this.#newId(known);
    const note = "x".repeat(Math.floor(this.#random() ** 3 * 900));
    const members = { name: `é${++this.#count}`, note };
    return this.#ledger.write(store, kind, id, members);
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
