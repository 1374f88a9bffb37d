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
import type { Moment } from "./document.ts";
import type { Log } from "../log/log.ts";
import type { Change, Changes } from "./changes.ts";
import { Journal } from "./journal.ts";
import { markEvent } from "./journal-file.ts";
import type { Opened } from "./loading.ts";
import { type SnapshotOptions, Snapshotting } from "./snapshotting.ts";
import { StoreError } from "./store-error.ts";
import { afterRemoval, type Entry, makeEntry, momentOf, type Table } from "./table.ts";

/** A resource to be stored: its JSON text, and further members for the store alone. */
export interface Draft {
  readonly body: string;
  readonly kept: string;
}

/** What a write decides: a draft to store, "remove", or "keep" when nothing changes. */
export type Decision = Draft | "remove" | "keep";

/** Whom the store tells what happens, and when it makes a snapshot. */
export interface StoreOptions extends SnapshotOptions {
  /** Told the seconds that each fsync of a batch took. */
  readonly onSync?: (seconds: number) => void;
}

const slowSyncSeconds = 1;
/** For several of the largest records. */
const minFreeBytes = 65_536;
/** The rest of a file's last block may hold a short record when the disk is full. */
const roomNeeded: string = JSON.stringify({ room: " ".repeat(4_096) });

/** The two states of one kind. */
interface States {
  /** What is durable. */
  readonly table: Table;
  /** What was accepted beyond it, by id. */
  readonly accepted: Map<string, Change>;
}

/** An open store. */
export class Store {
  readonly folder: string;
  /** True when this start made the store. */
  readonly isNew: boolean;
  readonly changes: Changes;
  readonly #opened: Opened;
  readonly #kinds: ReadonlyMap<string, States>;
  readonly #journal: Journal<Change>;
  readonly #snapshotting: Snapshotting;
  readonly #log: Log;
  readonly #onSync: (seconds: number) => void;
  #onRecords: (lines: Buffer) => void = () => {};
  /** Whether the last batch could not be written. */
  #isFailing = false;
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, options: StoreOptions) {
    const { folder, isNew, changes, tables, file, end } = opened;
    this.folder = folder;
    this.isNew = isNew;
    this.changes = changes;
    this.#opened = opened;
    this.#log = options.log;
    this.#onSync = options.onSync ?? (() => {});
    this.#kinds = new Map(
      Array.from(tables, ([name, table]) => [name, { table, accepted: new Map() }]),
    );
    this.#journal = new Journal(file, end, {
      durable: (changes, bytes) => this.#makeDurable(changes, bytes),
      lost: () => this.#forgetAccepted(),
      failed: (error) => this.#tellFailure(error),
      syncing: () => this.#timeSync(),
    });
    this.#snapshotting = new Snapshotting(opened, this.#journal, options);
    this.#snapshotting.startIfDue();
  }

  /** The durable resources of a kind. */
  table(kind: string): Table {
    return this.#statesOf(kind).table;
  }

  /** The resource as the last accepted write left it: what a write is checked against. */
  accepted(kind: string, id: string): Entry | undefined {
    const { table, accepted } = this.#statesOf(kind);
    const change = accepted.size === 0 ? undefined : accepted.get(id);
    return change === undefined ? table.get(id) : change.entry;
  }

  /*
   * Who calls whom in a write:
   *
   *   write ─> decide            against `accepted`: a draft, or its error
   *     └────> Journal.append    the record joins the batch that is filling
   *                └─> #run ─> writeFully, sync    one batch after the other
   *     #makeDurable <─┤         the tables, events and followers have it
   *     #forgetAccepted <┘       or it failed, and all upon it
   *   write resumes, answers
   */
  /**
   * The single way to change anything. `decide` is given what is accepted, and returns what should
   * be, in the same tick; resolves to the entry once that is on disk, undefined when removed.
   * If `decide` throws, its error is passed on once the state that it looked at is on disk.
   * Rejects with StoreError "write-failed", "busy", "refused" or "closed": nothing was changed; or
   * "untrusted": nothing is changed now, and the next start finds out what reached the disk.
   */
  async write(
    kind: string,
    id: string,
    decide: (stored: Entry | undefined) => Decision,
  ): Promise<Entry | undefined> {
    const before = this.accepted(kind, id);
    let decision: Decision;
    try {
      decision = decide(before);
    } catch (error) {
      await this.settled();
      throw error;
    }
    if (decision === "keep") {
      await this.settled();
      return before;
    }
    const change = this.#change(kind, id, before, decision);
    const done = this.#journal.append(eventOf(change), dataOf(change), change);
    this.#statesOf(kind).accepted.set(id, change);
    if (decision === "remove") this.#appendConsequences(change);
    await done;
    return change.entry;
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
    return momentOf(this.#opened.tables, this.#journal.writtenSeq);
  }

  /**
   * Calls the listener, the only one, for all records from now on that are durable: with their
   * lines in the journal, valid only during the call. `moment` holds all that it was called for.
   */
  onRecords(listener: (lines: Buffer) => void): void {
    this.#onRecords = listener;
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

  #statesOf(kind: string): States {
    const states = this.#kinds.get(kind);
    if (states === undefined) throw new Error(`the store has no kind ${kind}`);
    return states;
  }

  /** In the removal's tick, so that they are in its batch. */
  #appendConsequences(removal: Change): void {
    const stored = (kind: string, id: string): Entry | undefined => this.accepted(kind, id);
    for (const { kind, before, body } of afterRemoval(this.#opened.tables, stored, removal)) {
      const change = this.#change(kind, before.id, before, { body, kept: before.kept });
      void this.#journal.appendToLast(eventOf(change), dataOf(change), change);
      this.#statesOf(kind).accepted.set(before.id, change);
    }
  }

  #change(
    kind: string,
    id: string,
    before: Entry | undefined,
    decision: Draft | "remove",
  ): Change {
    const seq = this.#journal.nextSeq;
    if (decision === "remove") {
      return { seq, kind, action: "deleted", id, entry: undefined, before };
    }
    // Of a standing resource that is changed for the first time it is 0 before.
    const entry = makeEntry(id, before?.seq || seq, decision.body, decision.kept);
    return { seq, kind, action: before ? "updated" : "created", id, entry, before };
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
    for (const { accepted } of this.#kinds.values()) accepted.clear();
  }

  #makeDurable(changes: readonly Change[], bytes: Buffer): void {
    if (this.#isFailing) this.#log.error("writes are stored again");
    this.#isFailing = false;
    for (const change of changes) {
      const { table, accepted } = this.#statesOf(change.kind);
      table.apply(change.seq, change.id, change.entry);
      if (accepted.get(change.id) === change) accepted.delete(change.id);
      this.changes.add(change);
    }
    this.#onRecords(bytes);
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

function eventOf({ kind, action }: Change): string {
  return `${kind}.${action}`;
}

function dataOf({ id, entry }: Change): string {
  return entry?.text ?? `{"id":${JSON.stringify(id)}}`;
}
