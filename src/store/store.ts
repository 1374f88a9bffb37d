/**
 * The store: every resource in memory, every change in a journal before it is answered.
 *
 * Its promise: a write whose promise resolved is on disk; one that rejected with "write-failed" is
 * not in the store, now or after a crash; and nobody reads what a crash could take back. For that
 * two states are kept apart: the *durable* one in the tables, which reads show, and the *accepted*
 * one, the writes on their way to disk, which the next write is checked against. When a batch
 * fails, all that was accepted and is not durable goes with it.
 *
 * The folder holds a snapshot a kind (snapshot.ts) and the journals since (journal.ts). A new
 * snapshot is made while writes go on, in steps that a crash can fall between:
 *
 *  1. Begin journal N+1; from the same moment on hold the tables' rows as they are.
 *  2. Write each snapshot as NAME.json.tmp, synced.
 *  3. Record their lengths and checksums in journal N+1 ("store.snapshot"), durably.
 *  4. Rename each to NAME.json; sync the folder.
 *  5. Remove the journals up to N, oldest first, a folder sync after each.
 *
 * What a start makes of the files, wherever the crash fell, is in opening.ts.
 */

import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Log } from "../log.ts";
import { publish, type Written, writeTemporary } from "./atomic-file.ts";
import type { Change, Changes } from "./changes.ts";
import type { FileSystem, OpenFile } from "./file-system.ts";
import { Journal, type JournalEnd, journalName } from "./journal.ts";
import type { Unlock } from "./lock.ts";
import { hex } from "./record.ts";
import { snapshotName, snapshotPieces } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";
import { type Entry, makeEntry, type Table } from "./table.ts";

/** A resource to be stored: its JSON text, and further members for the store alone. */
export interface Draft {
  readonly body: string;
  readonly kept: string;
}

/** What a write decides: a draft to store, "remove", or "keep" when nothing changes. */
export type Decision = Draft | "remove" | "keep";

/** What a start has found or made in the folder: what a Store goes on from. */
export interface Opened {
  readonly folder: string;
  readonly isNew: boolean;
  readonly tables: ReadonlyMap<string, Table>;
  readonly changes: Changes;
  /** The numbers of the journals, oldest first; the last one is open in `file`. */
  readonly journals: readonly number[];
  readonly olderBytes: number;
  readonly file: OpenFile;
  readonly end: JournalEnd;
  readonly hasSnapshots: boolean;
  readonly fileSystem: FileSystem;
  readonly unlock: Unlock;
}

export interface StoreObservers {
  readonly log: Log;
  /** Told the seconds that each fsync of a batch took. */
  readonly onSync?: (seconds: number) => void;
}

/** A snapshot is made when the journals outgrow this, or a quarter of the tables. */
const journalBytesFloor = 4_194_304;
/** Up to this a clean stop leaves everything in the snapshots; more would take too long. */
const snapshotAtCloseLimit = 16_777_216;
/** What a journal holds that only says it is one, and what the snapshots are. */
const snapshotAtCloseFloor = 1_024;
const slowSyncMs = 1_000;

export class Store {
  readonly folder: string;
  /** True when this start made the store. */
  readonly isNew: boolean;
  readonly changes: Changes;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #accepted = new Map<string, Map<string, Change>>();
  readonly #journal: Journal<Change>;
  readonly #files: FileSystem;
  readonly #unlock: Unlock;
  readonly #log: Log;
  readonly #onSync: (seconds: number) => void;
  #journals: readonly number[];
  /** Bytes in the journals before the current one. */
  #olderBytes: number;
  #snapshotAt: number;
  #snapshot: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(opened: Opened, { log, onSync = () => {} }: StoreObservers) {
    this.folder = opened.folder;
    this.isNew = opened.isNew;
    this.changes = opened.changes;
    this.#tables = opened.tables;
    this.#journals = opened.journals;
    this.#olderBytes = opened.olderBytes;
    this.#files = opened.fileSystem;
    this.#unlock = opened.unlock;
    this.#log = log;
    this.#onSync = onSync;
    for (const name of opened.tables.keys()) this.#accepted.set(name, new Map());
    this.#journal = new Journal(opened.file, opened.end, {
      durable: (changes) => this.#makeDurable(changes),
      lost: () => this.#accepted.forEach((changes) => changes.clear()),
      syncing: () => this.#timeSync(),
    });
    this.#snapshotAt = opened.hasSnapshots ? this.#threshold() : 0;
    this.#snapshotIfDue();
  }

  /** The durable resources of a kind. */
  table(kind: string): Table {
    const table = this.#tables.get(kind);
    if (table === undefined) throw new Error(`the store has no kind ${kind}`);
    return table;
  }

  /** The resource as the last accepted write left it: what a write is checked against. */
  accepted(kind: string, id: string): Entry | undefined {
    const change = this.#accepted.get(kind)?.get(id);
    return change === undefined ? this.table(kind).get(id) : change.entry;
  }

  /**
   * The single way to change anything. `decide` is given what is accepted, and returns what shall
   * be, in the same tick; resolves to the entry once that is on disk, undefined when removed.
   * What `decide` throws, it saw in the accepted state, and is thrown when that is durable.
   * Throws StoreError "write-failed", "untrusted", "busy" or "closed": nothing was changed.
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
    const data = change.entry?.text ?? `{"id":${JSON.stringify(id)}}`;
    const done = this.#journal.append(`${kind}.${change.action}`, data, change);
    this.#accepted.get(kind)?.set(id, change);
    await done;
    return change.entry;
  }

  /** Resolves when all that is accepted is durable. Throws StoreError when it was lost. */
  async settled(): Promise<void> {
    await this.#journal.pending;
  }

  /** Why no write is accepted until a restart, if so. */
  get failure(): StoreError | undefined {
    return this.#journal.failure;
  }

  /** Bytes in the journals, which the next start replays. */
  get journalBytes(): number {
    return this.#olderBytes + this.#journal.length;
  }

  /** The rows of every kind, of one moment: changes from now on do not show in them. */
  freeze(): Map<string, readonly Entry[]> {
    return new Map([...this.#tables].map(([name, table]) => [name, table.rows.slice()]));
  }

  /** Writes what is accepted, leaves the files whole, gives the folder back. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#snapshot;
    const isWorthIt = this.journalBytes > snapshotAtCloseFloor;
    if (isWorthIt && this.#size() <= snapshotAtCloseLimit && this.failure === undefined) {
      await this.#startSnapshot();
    }
    await this.#journal.close();
    await this.#unlock();
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
    const entry = makeEntry(id, before?.seq ?? seq, decision.body, decision.kept);
    return { seq, kind, action: before ? "updated" : "created", id, entry, before };
  }

  #makeDurable(changes: readonly Change[]): void {
    for (const change of changes) {
      applyChange(this.table(change.kind), change);
      const accepted = this.#accepted.get(change.kind);
      if (accepted?.get(change.id) === change) accepted.delete(change.id);
      this.changes.add(change);
    }
    this.#snapshotIfDue();
  }

  #timeSync(): () => void {
    const began = performance.now();
    const slow = setTimeout(() => {
      this.#log.error("the disk is slow: an fsync has not returned", { seconds: slowSyncMs / 1_000 });
    }, slowSyncMs).unref();
    return () => {
      clearTimeout(slow);
      const seconds = (performance.now() - began) / 1_000;
      this.#onSync(seconds);
      if (seconds * 1_000 < slowSyncMs) return;
      this.#log.error("the slow fsync has returned", { seconds });
    };
  }

  #threshold(): number {
    return Math.max(journalBytesFloor, this.#size() / 4);
  }

  #size(): number {
    let size = 0;
    for (const table of this.#tables.values()) size += table.size;
    return size;
  }

  #snapshotIfDue(): void {
    if (this.#snapshot !== undefined || this.#closing !== undefined) return;
    if (this.journalBytes > this.#snapshotAt) void this.#startSnapshot();
  }

  /** Never rejects: a snapshot that fails is logged, and the journals go on holding everything. */
  #startSnapshot(): Promise<void> {
    this.#snapshot = this.#takeSnapshot()
      .then(() => {
        this.#snapshotAt = this.#threshold();
      })
      .catch((cause: unknown) => {
        this.#snapshotAt = this.journalBytes + journalBytesFloor;
        this.#log.error("a snapshot failed; the journal goes on", { cause });
      })
      .finally(() => {
        this.#snapshot = undefined;
      });
    return this.#snapshot;
  }

  async #takeSnapshot(): Promise<void> {
    const rows = await this.#beginJournal();
    const written: Record<string, Written> = {};
    for (const [kind, entries] of rows) {
      const path = this.#path(snapshotName(kind));
      written[kind] = await writeTemporary(this.#files, path, this.#pieces(entries));
    }
    await this.#journal.append("store.snapshot", describeSnapshot(written));
    await publish(this.#files, Object.keys(written).map((kind) => this.#path(snapshotName(kind))));
    await this.#dropOldJournals();
  }

  /** A large snapshot that a stop finds half-written is given up: the journals hold everything. */
  *#pieces(entries: readonly Entry[]): Generator<Buffer> {
    for (const piece of snapshotPieces(entries)) {
      if (this.#closing !== undefined && this.#size() > snapshotAtCloseLimit) {
        throw new StoreError("closed", "the store is closing");
      }
      yield piece;
    }
  }

  /** Step 1. Resolves to the rows as the old journals leave them. */
  async #beginJournal(): Promise<Map<string, readonly Entry[]>> {
    const number = (this.#journals.at(-1) ?? 0) + 1;
    const path = this.#path(journalName(number));
    const file = await this.#files.open(path, "replace");
    try {
      await this.#files.syncFolder(this.folder);
      let rows = new Map<string, readonly Entry[]>();
      const oldBytes = this.journalBytes;
      await this.#journal.rotate(file, number, () => {
        this.#journals = [...this.#journals, number];
        this.#olderBytes = oldBytes;
        rows = this.freeze();
      });
      return rows;
    } catch (error) {
      await file.close().catch(() => {});
      await this.#files.remove(path).catch(() => {});
      throw error;
    }
  }

  /** Step 5. In this order, because a gap between journals would be damage. */
  async #dropOldJournals(): Promise<void> {
    for (const number of this.#journals.slice(0, -1)) {
      await this.#files.remove(this.#path(journalName(number)));
      await this.#files.syncFolder(this.folder);
      this.#journals = this.#journals.filter((other) => other !== number);
    }
    this.#olderBytes = 0;
  }

  #path(name: string): string {
    return join(this.folder, name);
  }
}

/** The durable effect of a change. */
export function applyChange(table: Table, change: Change): void {
  if (change.entry === undefined) table.delete(change.id);
  else table.put(change.entry);
  table.version = change.seq;
}

function describeSnapshot(written: Readonly<Record<string, Written>>): string {
  const files = Object.entries(written).map(([kind, { bytes, crc }]) => [
    kind,
    { bytes, crc: hex(crc) },
  ]);
  return JSON.stringify(Object.fromEntries(files));
}
