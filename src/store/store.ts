/**
 * The store: every resource in memory, every change in a journal before it is answered.
 *
 * Its promise: a write whose promise resolved is on disk; one that rejected with "write-failed" is
 * not in the store, now or after a crash; and nobody reads what a crash could take back. For that
 * two states are kept apart: the *durable* one in the tables, which reads show, and the *accepted*
 * one, the writes on their way to disk, which the next write is checked against. When a batch
 * fails, all that was accepted and is not durable goes with it.
 *
 * The folder holds everything of one moment, store.json (store/document.ts), and the journals
 * since (journal.ts); snapshotting.ts replaces the one and drops the other.
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
 * Decides a write: what to store, "remove", or the stored row itself when nothing changes. It is
 * given the row that the last accepted write left.
 */
export type Decide<T extends Identified, K> = (
  stored: Row<T, K> | undefined,
) => Content<T, K> | "remove";

/** Told of each durable batch once. `lines` are its records, valid only during the call. */
export type Listener = (changes: readonly Change[], lines: Buffer) => void;

export interface StoreOptions extends SnapshotOptions {
  /** Told the seconds that each fsync of a batch took. */
  readonly onSync?: (seconds: number) => void;
}

const slowSyncSeconds = 1;
/** For several of the largest records. */
const minFreeBytes = 65_536;
/** The rest of a file's last block may hold a short record when the disk is full. */
const roomNeeded: string = JSON.stringify({ room: " ".repeat(4_096) });

/** An open store. */
export class Store {
  readonly folder: string;
  /** True when this start made the store. */
  readonly isNew: boolean;
  readonly changes: Changes;
  /** Finds rows as the last accepted write left them: what a write is checked against. */
  readonly accepted: Lookup = { get: (kind, id) => this.#acceptedRow(kind, id) };
  readonly #opened: Opened;
  /** By kind and id, what was accepted and is not durable. */
  readonly #pending = new Map<string, Map<string, Change>>();
  readonly #journal: Journal<Change>;
  readonly #snapshotting: Snapshotting;
  readonly #log: Log;
  readonly #onSync: (seconds: number) => void;
  #listener: Listener = () => {};
  /** Whether the last batch could not be written. */
  #isFailing = false;
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, options: StoreOptions) {
    const { folder, isNew, changes, file, end } = opened;
    this.folder = folder;
    this.isNew = isNew;
    this.changes = changes;
    this.#opened = opened;
    this.#log = options.log;
    this.#onSync = options.onSync ?? (() => {});
    this.#journal = new Journal(file, end, {
      durable: (changes, bytes) => this.#makeDurable(changes, bytes),
      lost: () => this.#forgetAccepted(),
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

  /** The durable rows of a kind, of this moment. */
  rows<T extends Identified, K>(kind: StoredKind<T, K>): Rows<Row<T, K>> {
    return this.#opened.tables.of(kind).rows();
  }

  /** How many durable rows a kind has. */
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
   *   write ─> decide            against `accepted`: what to store, or its error
   *     └────> Journal.append    the record joins the batch that is filling
   *                └─> #run ─> writeFully, sync    one batch after the other
   *     #makeDurable <─┤         the tables and the listener have it
   *     #forgetAccepted <┘       or it failed, and all upon it
   *   write resolves, its request is answered
   */
  /**
   * The single way to change anything. `decide` is given the accepted row and returns, in the same
   * tick, what should be stored. Resolves to the row once it is on disk; undefined when removed.
   * If `decide` throws, its error is passed on once the state that it looked at is on disk.
   * Rejects with StoreError "write-failed", "busy", "refused" or "closed": nothing was changed; or
   * "untrusted": nothing is changed now, and the next start finds out what reached the disk.
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
    // A singleton that is changed for the first time has 0 before.
    const row = decision === "remove" ? undefined : makeRow(before?.seq || seq, decision);
    const action = isRemoval ? "deleted" : before === undefined ? "created" : "updated";
    const change: Change = { seq, kind: kind.name, action, id, row, before };
    const data = row === undefined ? JSON.stringify({ id }) : rowText(row);
    const done = this.#journal.append(`${kind.name}.${action}`, data, change);
    this.#pendingOf(kind.name).set(id, change);
    await done;
    return row;
  }

  /**
   * Resolves when all that is accepted is durable. Rejects with StoreError when it was lost, and
   * when no write is accepted any more: after a failed fsync a restart may find what was refused.
   */
  async settled(): Promise<void> {
    await this.#journal.pending;
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
  }

  /** Why no write is accepted until a restart, if so. */
  get failure(): StoreError | undefined {
    return this.#journal.failure;
  }

  /**
   * Resolves when a write would be stored: there is room and, after a failed write, an empty record
   * was stored that is too large for what is left of a block. Rejects with StoreError when not.
   */
  async requireWritable(): Promise<void> {
    const { folder, files } = this.#opened;
    await this.#snapshotting.requireFolder();
    const free = await files.freeBytes(folder).catch((cause: unknown) => {
      throw new StoreError("unusable", "the folder cannot be looked at", { cause });
    });
    if (free < minFreeBytes) throw new StoreError("full", "the disk is full");
    if (this.#isFailing) await this.#journal.append(markEvent, roomNeeded);
  }

  /** Resolves when all that is durable now stands in store.json; a failure is only logged. */
  snapshot(): Promise<void> {
    return this.#snapshotting.takeNow();
  }

  /** All that is durable now, to make a document of. */
  moment(): Moment {
    return this.#opened.tables.moment(this.#journal.writtenSeq);
  }

  /** Calls the listener, the only one, for each batch from now on. `moment` holds it then. */
  onDurable(listener: Listener): void {
    this.#listener = listener;
  }

  /** Bytes in the journals, which the next start replays. */
  get journalBytes(): number {
    return this.#snapshotting.journalBytes;
  }

  /** Writes what is accepted, leaves the files whole, gives the folder back. */
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
    // A change of this kind was made of what `decide` of this kind returned.
    return change === undefined ? this.get(kind, id) : (change.row as Row<T, K> | undefined);
  }

  #pendingOf(kind: string): Map<string, Change> {
    let pending = this.#pending.get(kind);
    if (pending === undefined) this.#pending.set(kind, (pending = new Map()));
    return pending;
  }

  /** When it begins: a line for each write that fails might fill what is left of the disk. */
  #tellFailure(error: StoreError): void {
    const { code } = error;
    if (code === "write-failed") {
      if (this.#isFailing) return;
      this.#isFailing = true;
    }
    this.#log.error("writes fail", { code, cause: error });
  }

  #forgetAccepted(): void {
    this.#pending.clear();
  }

  #makeDurable(changes: readonly Change[], lines: Buffer): void {
    if (this.#isFailing) this.#log.error("writes are stored again");
    this.#isFailing = false;
    for (const change of changes) {
      const { seq, kind, id, row } = change;
      this.#opened.tables.named(kind)?.table.apply(seq, id, row);
      const pending = this.#pending.get(kind);
      if (pending?.get(id) === change) pending.delete(id);
      this.changes.add(change);
    }
    this.#listener(changes, lines);
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
