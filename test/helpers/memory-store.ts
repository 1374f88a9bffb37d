/** A store on a disk in memory, and what such a disk and its log hold. */

import { createLog, type Log, type LogFields } from "../../src/log/log.ts";
import { openStore, type OpenOptions } from "../../src/store/opening.ts";
import type { Store } from "../../src/store/store.ts";
import { type Call, type DiskObserver, SimulatedDisk } from "./simulated-disk.ts";
import { orders, toppings } from "./things.ts";

export const silent: Log = createLog({ level: "silent", terminal: false });

/** Nothing has to be closed after a test: there is no real file and no lock. */
export function storeOptions(disk: SimulatedDisk): OpenOptions {
  const kinds = [toppings, orders];
  const lock = async () => ({ isHeld: () => true, release: () => {} });
  return { folder: "/store", kinds, log: silent, fileSystem: disk, lock };
}

export function open(disk: SimulatedDisk, more: Partial<OpenOptions> = {}): Promise<Store> {
  return openStore({ ...storeOptions(disk), ...more });
}

export interface NotedLog {
  readonly log: Log;
  readonly lines: (readonly [message: string, fields: LogFields])[];
}

/** A log that keeps its lines. */
export function notedLog(): NotedLog {
  const lines: (readonly [message: string, fields: LogFields])[] = [];
  const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
  return { log: { ...silent, info: note, error: note }, lines };
}

/** Fails every such call. */
export function failing(operation: Call["operation"], error: object = {}): DiskObserver {
  return {
    before: (call) => {
      if (call.operation !== operation) return;
      throw Object.assign(new Error("no luck"), { syscall: operation, ...error });
    },
  };
}

/** Holds back each write to the disk; a function for each lets it go on. */
export function holdWrites(disk: SimulatedDisk): (() => void)[] {
  const held: (() => void)[] = [];
  disk.observer = {
    delay: async ({ operation }) => {
      if (operation === "write") await new Promise<void>((resolve) => held.push(resolve));
    },
  };
  return held;
}

/** The text of store.ndjson. */
export function textOf(disk: SimulatedDisk): string {
  return String(disk.files().get("store.ndjson"));
}

/** The lines of store.ndjson. */
export function linesOf(disk: SimulatedDisk): any[] {
  return textOf(disk).split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** A disk with this store.ndjson. */
export function diskWith(content: string | Buffer): SimulatedDisk {
  return new SimulatedDisk(new Map([["store.ndjson", Buffer.from(content)]]));
}
