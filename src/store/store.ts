/**
 * The store: all resources in memory, every change synced to store.ndjson before it is answered.
 *
 * `write` resolves once the change is on disk. If it rejects with "write-failed", nothing was
 * stored, and no crash brings it back. Reads never show a change that a crash could undo. So the
 * store has two states. Reads use the *durable* state, in the tables. New writes are checked
 * against the *accepted* state, which includes the writes on their way to disk. If a batch fails,
 * all accepted changes that are not durable are dropped.
 *
 * line.ts has the file's format, reading.ts reads it, fresh-file.ts writes it afresh at a start,
 * and writer.ts appends to it.
 */

import { dirname } from "node:path";
import type { Log } from "../log/log.ts";
import type { FileSystem } from "./file-system.ts";
import type { History } from "./history.ts";
import type { Lock } from "./lock.ts";
import {
  type Change,
  type Content,
  jsonOf,
  type Lookup,
  makeRow,
  type Row,
  type StoredKind,
} from "./row.ts";
import { StoreError } from "./store-error.ts";
import type { StoreFile } from "./store-file.ts";
import type { Tables } from "./tables.ts";
import { Writer } from "./writer.ts";

/**
 * Decides a write from the accepted row: returns the content to store, "remove", or the row itself
 * to change nothing.
 */
type Decide<T, K> = (
  stored: Row<T, K> | undefined,
) => Content<T, K> | "remove";

/** Decides a write of several from their accepted rows: a decision for each, in their order. */
type DecideAll<T, K> = (
  stored: readonly (Row<T, K> | undefined)[],
) => readonly (Content<T, K> | "remove")[];

export interface StoreOptions {
  readonly log: Log;
  /** Called after each write of a batch to disk with the seconds it took. */
  readonly onSync?: (seconds: number) => void;
}

/** The open file and its content, as opening.ts makes them. */
interface Opened {
  readonly files: FileSystem;
  readonly lock: Lock;
  readonly path: string;
  readonly isNew: boolean;
  readonly tables: Tables;
  readonly history: History;
  readonly file: StoreFile;
}

/** Room for many of the largest lines. */
const minFreeBytes = 1_048_576;
/** The least time between two look-ups of the free space. */
const freeBytesMs = 1_000;

/** An open store. */
export class Store {
  /** True if this start made the store. */
  readonly isNew: boolean;
  readonly history: History;
  readonly file: StoreFile;
  /** Finds accepted rows, which writes are checked against. */
  readonly accepted: Lookup = { get: (kind, id) => this.#acceptedRow(kind, id) };
  readonly #tables: Tables;
  readonly #lock: Lock;
  /** Accepted changes that are not durable yet, by kind and id. */
  readonly #pending: ReadonlyMap<string, Map<string, Change>>;
  readonly #writer: Writer;
  readonly #lookUpFreeBytes: () => Promise<number>;
  #freeBytes: Promise<number> | undefined;
  #freeBytesAt = -Infinity;
  #listener: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, options: StoreOptions) {
    const { isNew, history, files, lock, path, file, tables } = opened;
    const { log, onSync = () => {} } = options;
    this.isNew = isNew;
    this.history = history;
    this.file = file;
    this.#tables = tables;
    this.#lock = lock;
    this.#pending = new Map(tables.all.map(({ kind }) => [kind.name, new Map()]));
    this.#writer = new Writer({
      ...{ files, lock, path, file, log, onSync },
      seq: history.last,
      onDurable: (changes) => this.#makeDurable(changes),
      onDropped: () => this.#pending.forEach((changes) => changes.clear()),
    });
    this.#lookUpFreeBytes = () => files.freeBytes(dirname(path));
  }

  /** The durable row. */
  get<T, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined {
    return this.#tables.get(kind, id);
  }

  /** The durable rows of a kind, oldest first. A later write changes the array. */
  rows<T, K>(kind: StoredKind<T, K>): readonly Row<T, K>[] {
    return this.#tables.of(kind).rows;
  }

  /** The durable rows with this key (`keysOf`), oldest first. A later write changes the array. */
  rowsWith<T, K>(kind: StoredKind<T, K>, key: string): readonly Row<T, K>[] {
    return this.#tables.of(kind).rowsWith(key);
  }

  /** No two states of a kind's durable rows have the same version. */
  version(kind: StoredKind): number {
    return this.#tables.of(kind).version;
  }

  /** `writeAll` for one resource. */
  async write<T, K>(
    kind: StoredKind<T, K>,
    id: string,
    decide: Decide<T, K>,
  ): Promise<Row<T, K> | undefined> {
    const [row] = await this.writeAll(kind, [id], ([stored]) => [decide(stored)]);
    return row;
  }

  /*
   * The way of a write:
   *
   *   1. decide     on the accepted rows: the content to store, or an error
   *   2. append     the writer takes the changes into a batch; the changes are accepted
   *   3. to disk    one write for each batch, one batch after the other
   *   4. onDurable  the tables get the changes, the listener is called, and `writeAll` resolves;
   *      onDropped  or this batch and all later changes are forgotten, and `writeAll` rejects
   */
  /**
   * The only way to change resources: all of these, or none, also after a crash. `ids`: no two are
   * the same. Calls `decide` in the same tick. Resolves to the rows once they are on disk, with
   * undefined for a removed one. If `decide` throws, rejects with its error as soon as the state it
   * looked at is durable.
   * Rejects with StoreError "write-failed", "busy", "refused" or "closed": nothing was stored; or
   * with "unconfirmed": nothing was changed, but the next start may find the changes on disk.
   */
  async writeAll<T, K>(
    kind: StoredKind<T, K>,
    ids: readonly string[],
    decide: DecideAll<T, K>,
  ): Promise<readonly (Row<T, K> | undefined)[]> {
    const before = ids.map((id) => this.#acceptedRow(kind, id));
    let decisions: ReturnType<DecideAll<T, K>>;
    try {
      decisions = decide(before);
    } catch (error) {
      await this.settled();
      throw error;
    }
    const rows = [...before];
    const changes: Change[] = [];
    for (const [index, id] of ids.entries()) {
      const stored = before[index];
      const decision = decisions[index];
      if (decision === undefined || decision === stored) continue;
      if (decision === "remove" && stored === undefined) continue;
      const seq = this.#writer.nextSeq + changes.length;
      const change = changeOf(seq, kind, id, stored, decision);
      changes.push(change);
      // The row has the type of its kind.
      rows[index] = change.row as Row<T, K> | undefined;
    }
    if (changes.length === 0) {
      await this.settled();
      return rows;
    }
    const done = this.#writer.append(changes);
    for (const change of changes) this.#pending.get(kind.name)?.set(change.id, change);
    await done;
    return rows;
  }

  /**
   * Resolves when every accepted change is durable. Rejects with StoreError if they were dropped,
   * or if no more writes are accepted: then a restart may still find dropped changes on disk.
   */
  async settled(): Promise<void> {
    await this.#writer.pending;
    this.#writer.requireAccepting();
  }

  /**
   * Resolves if a write would most likely succeed: none has failed in the last five seconds, writes
   * are not refused, and the disk has room. It asks nothing of the writer. Rejects with StoreError.
   */
  async requireWritable(): Promise<void> {
    this.#writer.requireHealthy();
    const free = await this.freeBytes().catch((cause: unknown) => {
      throw new StoreError("write-failed", "the disk does not tell its free space", { cause });
    });
    if (free >= minFreeBytes) return;
    const fault = `expected ${minFreeBytes} free bytes on the disk, got ${free}`;
    throw new StoreError("write-failed", fault);
  }

  /** The free bytes of the disk, at most a second old; Infinity if unknown. */
  freeBytes(): Promise<number> {
    const now = performance.now();
    if (this.#freeBytes === undefined || now - this.#freeBytesAt >= freeBytesMs) {
      this.#freeBytes = this.#lookUpFreeBytes();
      this.#freeBytesAt = now;
    }
    return this.#freeBytes;
  }

  /** Sets the one listener, called for each batch after the tables have it. */
  onDurable(listener: () => void): void {
    this.#listener = listener;
  }

  /** Stores all accepted changes, closes the file and unlocks the folder. */
  close(): Promise<void> {
    this.#closing ??= this.#writer.close().finally(() => this.#lock.release());
    return this.#closing;
  }

  #acceptedRow<T, K>(
    kind: StoredKind<T, K>,
    id: string,
  ): Row<T, K> | undefined {
    const change = this.#pending.get(kind.name)?.get(id);
    // The row of a change has the type of its kind.
    return change === undefined ? this.get(kind, id) : (change.row as Row<T, K> | undefined);
  }

  #makeDurable(changes: readonly Change[]): void {
    for (const change of changes) {
      const { seq, kind, id, row } = change;
      this.#tables.of(kind).apply(seq, id, row);
      const pending = this.#pending.get(kind.name);
      if (pending?.get(id) === change) pending.delete(id);
      this.history.add(change);
    }
    this.#listener();
  }
}

function changeOf(
  seq: number,
  kind: StoredKind,
  id: string,
  before: Row | undefined,
  decision: Content | "remove",
): Change {
  if (decision === "remove") {
    const length = before === undefined ? 0 : jsonOf(before).length;
    return { seq, kind, action: "deleted", id, row: undefined, deleted: before, length };
  }
  const row = makeRow(id, before?.seq ?? seq, decision);
  // Made once.
  row.json = jsonOf(row);
  const action = before === undefined ? "created" : "updated";
  return { seq, kind, action, id, row, deleted: undefined, length: row.json.length };
}
