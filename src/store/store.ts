/**
 * The store: all resources in memory, every change synced to a journal before it is answered.
 *
 * `write` resolves after fsync. If it rejects with "write-failed", nothing was stored, now or after
 * a crash. Reads never show a change that a crash could undo. So the store has two states: the
 * *durable* one, in the tables, which reads use; and the *accepted* one, with the writes on their
 * way to disk, which new writes are checked against. If a batch fails, all accepted changes that
 * are not durable are dropped.
 *
 * The folder has store.json (document.ts), a snapshot of the whole store, and the journals since
 * (journal.ts). snapshotting.ts replaces store.json and removes old journals.
 */

import type { Buffer } from "node:buffer";
import type { Log } from "../log/log.ts";
import type { Change, Changes } from "./changes.ts";
import { Journal } from "./journal.ts";
import { markEvent } from "./journal-file.ts";
import type { Lookup, StoredKind } from "./kind.ts";
import type { Opened } from "./loading.ts";
import { type Content, type Identified, makeRow, type Row, type Rows, rowText } from "./rows.ts";
import { type SnapshotOptions, Snapshotting } from "./snapshotting.ts";
import { StoreError } from "./store-error.ts";
import type { Moment } from "./tables.ts";

/**
 * Decides a write from the accepted row: returns the content to store, "remove", or the row itself
 * to change nothing.
 */
export type Decide<T extends Identified, K> = (
  stored: Row<T, K> | undefined,
) => Content<T, K> | "remove";

/** Called once for each durable batch with its journal lines, valid only during the call. */
export type Listener = (lines: Buffer) => void;

export interface StoreOptions extends SnapshotOptions {
  /** Called after each fsync of a batch with the seconds it took. */
  readonly onSync?: (seconds: number) => void;
}

const slowSyncSeconds = 1;
/** For several of the largest records. */
const minFreeBytes = 65_536;
/** As large as a disk block: on a full disk a shorter record may fit into the file's last block. */
const roomNeeded: string = JSON.stringify({ room: " ".repeat(4_096) });

/** An open store. */
export class Store {
  /** True if this start made the store. */
  readonly isNew: boolean;
  readonly changes: Changes;
  /** Finds accepted rows, which writes are checked against. */
  readonly accepted: Lookup = { get: (kind, id) => this.#acceptedRow(kind, id) };
  readonly #opened: Opened;
  /** Accepted changes that are not durable yet, by kind and id. */
  readonly #pending: ReadonlyMap<string, Map<string, Change>>;
  readonly #journal: Journal<Change>;
  readonly #snapshotting: Snapshotting;
  readonly #log: Log;
  readonly #onSync: (seconds: number) => void;
  #listener: Listener = () => {};
  /** True if the last batch could not be written. */
  #isFailing = false;
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, options: StoreOptions) {
    const { isNew, changes, file, end } = opened;
    this.isNew = isNew;
    this.changes = changes;
    this.#opened = opened;
    this.#pending = new Map(opened.tables.kinds.map(({ name }) => [name, new Map()]));
    this.#log = options.log;
    this.#onSync = options.onSync ?? (() => {});
    this.#journal = new Journal(file, end, {
      durable: (changes, bytes) => this.#makeDurable(changes, bytes),
      lost: () => this.#pending.forEach((changes) => changes.clear()),
      failed: (error) => this.#tellFailure(error),
      syncing: () => this.#timeSync(),
    });
    this.#snapshotting = new Snapshotting(opened, this.#journal, options);
    this.#snapshotting.startIfDue();
  }

  /** The durable row. */
  get<T extends Identified, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined {
    return this.#opened.tables.get(kind, id);
  }

  /** A view of the durable rows of a kind. */
  rows<T extends Identified, K>(kind: StoredKind<T, K>): Rows<Row<T, K>> {
    return this.#opened.tables.of(kind).rows();
  }

  /** The number of durable rows of a kind. */
  count(kind: StoredKind): number {
    return this.#opened.tables.of(kind).length;
  }

  /** No two states of a kind's durable rows have the same version. */
  version(kind: StoredKind): number {
    return this.#opened.tables.of(kind).version;
  }

  /*
   * The calls of a write:
   *
   *   write ─> decide            on the accepted row: the new content, or an error
   *     └────> Journal.append    adds the record to the current batch
   *                └─> #run ─> writeFully, sync    one batch after the other
   *     #makeDurable <─┤         on success: update the tables, call the listener
   *     #pending.clear <─┘       on failure: drop this batch and all later records
   *   write resolves, its request is answered
   */
  /**
   * The only way to change a resource. Calls `decide` in the same tick. Resolves to the row after
   * fsync; undefined after a removal. If `decide` throws, rejects with its error as soon as the
   * state it looked at is durable.
   * Rejects with StoreError "write-failed", "busy", "refused" or "closed": nothing was stored; or
   * with "untrusted": nothing was changed, but the next start may find the change on disk.
   */
  async write<T extends Identified, K>(
    kind: StoredKind<T, K>,
    id: string,
    decide: Decide<T, K>,
  ): Promise<Row<T, K> | undefined> {
    const before = this.#acceptedRow(kind, id);
    let decision: Content<T, K> | "remove";
    try {
      decision = decide(before);
    } catch (error) {
      await this.settled();
      throw error;
    }
    const isRemoval = decision === "remove";
    if (decision === before || (isRemoval && before === undefined)) {
      await this.settled();
      return before;
    }
    const seq = this.#journal.nextSeq;
    // A singleton has seq 0 until its first change.
    const row = decision === "remove" ? undefined : makeRow(before?.seq || seq, decision);
    const action = isRemoval ? "deleted" : before === undefined ? "created" : "updated";
    const deleted = isRemoval ? before : undefined;
    const change: Change = { seq, kind: kind.name, action, id, row, deleted };
    const data = row === undefined ? JSON.stringify({ id }) : rowText(row);
    const done = this.#journal.append(`${kind.name}.${action}`, data, change);
    this.#pending.get(kind.name)?.set(id, change);
    await done;
    return row;
  }

  /**
   * Resolves when every accepted change is durable. Rejects with StoreError if they were dropped,
   * or if no more writes are accepted: then a restart may still find dropped changes on disk.
   */
  async settled(): Promise<void> {
    await this.#journal.pending;
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
  }

  /** The error of every later write; undefined while writes are accepted. */
  get failure(): StoreError | undefined {
    return this.#journal.failure;
  }

  /**
   * Resolves if a write would succeed: the disk has room and, after a failed write, a test record
   * of a block's size could be stored. Otherwise rejects with StoreError.
   */
  async requireWritable(): Promise<void> {
    const { folder, files } = this.#opened;
    this.#snapshotting.requireFolder();
    const free = await files.freeBytes(folder).catch((cause: unknown) => {
      throw new StoreError("unusable", "cannot read the free space of the folder", { cause });
    });
    if (free < minFreeBytes) throw new StoreError("full", "the disk is full");
    if (this.#isFailing) await this.#journal.append(markEvent, roomNeeded);
  }

  /** Writes all durable rows to store.json. A failure is only logged. */
  snapshot(): Promise<void> {
    return this.#snapshotting.takeNow();
  }

  /** A view of all durable rows, to make a document of. */
  moment(): Moment {
    return this.#opened.tables.moment(this.#journal.writtenSeq);
  }

  /** Sets the one listener, called for each batch after the tables have it. */
  onDurable(listener: Listener): void {
    this.#listener = listener;
  }

  /** Bytes in all journals, which the next start replays. */
  get journalBytes(): number {
    return this.#snapshotting.journalBytes;
  }

  /** Stores all accepted changes, closes the files and unlocks the folder. */
  close(): Promise<void> {
    this.#closing ??= this.#close().finally(() => this.#opened.lock.release());
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#snapshotting.close();
    await this.#journal.close();
  }

  #acceptedRow<T extends Identified, K>(
    kind: StoredKind<T, K>,
    id: string,
  ): Row<T, K> | undefined {
    const change = this.#pending.get(kind.name)?.get(id);
    // The row of a change has the type of its kind.
    return change === undefined ? this.get(kind, id) : (change.row as Row<T, K> | undefined);
  }

  /** Logs the first failed write only: a line for each could fill the rest of the disk. */
  #tellFailure(error: StoreError): void {
    const { code } = error;
    if (code === "write-failed") {
      if (this.#isFailing) return;
      this.#isFailing = true;
    }
    this.#log.error("writes fail", { code, cause: error });
  }

  #makeDurable(changes: readonly Change[], lines: Buffer): void {
    if (this.#isFailing) this.#log.error("writes are stored again");
    this.#isFailing = false;
    for (const change of changes) {
      const { seq, kind, id, row } = change;
      const found = this.#opened.tables.named(kind);
      found?.table.apply(seq, id, row);
      const pending = this.#pending.get(kind);
      if (pending?.get(id) === change) pending.delete(id);
      if (found?.kind.isHidden !== true) this.changes.add(change);
    }
    this.#listener(lines);
    this.#snapshotting.startIfDue();
  }

  #timeSync(): () => void {
    const began = performance.now();
    const slow = setTimeout(() => {
      this.#log.error("the disk is slow: an fsync has not returned", { seconds: slowSyncSeconds });
    }, slowSyncSeconds * 1_000).unref();
    return () => {
      clearTimeout(slow);
      this.#onSync((performance.now() - began) / 1_000);
    };
  }
}
