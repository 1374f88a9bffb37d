/**
 * When new snapshots are made, and how: while writes go on, in steps that a crash can fall between.
 *
 *  1. Prepare journal N+1: its header synced, the folder synced.
 *  2. Go on in journal N+1 (journal N is synced); at the same moment hold the tables' rows.
 *  3. Write each snapshot as NAME.json.tmp, synced.
 *  4. Record their lengths and checksums in journal N+1 ("store.snapshot"), durably.
 *  5. Rename each to NAME.json; sync the folder.
 *  6. Remove the journals up to N, oldest first, the folder synced between two of them.
 *
 * A step that fails is logged, and the journals go on holding everything. What a start makes of
 * the files, wherever a crash fell, is in loading.ts.
 */

import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Log } from "../log/log.ts";
import { syscallOf } from "../log/system-error.ts";
import { publish, removeTemporary, type Written, writeTemporary } from "./atomic-file.ts";
import { type FileSystem, type OpenFile, writeFully } from "./file-system.ts";
import type { Journal } from "./journal.ts";
import { headerBytes, journalName, snapshotEvent } from "./journal-file.ts";
import type { Lock } from "./lock.ts";
import { describeSnapshots, snapshotName, snapshotPieces } from "./snapshot.ts";
import { folderGone, fsyncFailed, StoreError } from "./store-error.ts";
import { type Entry, freeze, type Table } from "./table.ts";

/** What a start has found in the folder. */
export interface FoundFiles {
  readonly folder: string;
  /** The numbers of the journals, oldest first; the last one is the current one. */
  readonly journals: readonly number[];
  /** Bytes in the journals before the current one. */
  readonly olderBytes: number;
  /** The seq up to which all changes are in the snapshots; undefined when some are missing. */
  readonly snapshotSeq: number | undefined;
}

/** What the snapshots are made of, and with. */
export interface SnapshottingOptions {
  /** New snapshots are due when the journals outgrow this, or a quarter of the tables. */
  readonly journalBytesLimit: number;
  readonly fileSystem: FileSystem;
  readonly journal: Journal<unknown>;
  readonly tables: ReadonlyMap<string, Table>;
  readonly log: Log;
  readonly lock: Lock;
}

/** Up to this a clean stop leaves everything in the snapshots; more would take too long. */
const sizeAtCloseLimit = 16_777_216;

/** Decides when, and does it. */
export class Snapshotting {
  readonly #folder: string;
  readonly #files: FileSystem;
  readonly #journal: Journal<unknown>;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #log: Log;
  readonly #lock: Lock;
  readonly #journalBytesLimit: number;
  #journals: readonly number[];
  #olderBytes: number;
  #snapshotSeq: number | undefined;
  /** The journals' bytes beyond which the next snapshots are due. */
  #dueAt: number;
  #running: Promise<void> | undefined;
  #closing = false;

  constructor(found: FoundFiles, options: SnapshottingOptions) {
    this.#folder = found.folder;
    this.#files = options.fileSystem;
    this.#journal = options.journal;
    this.#tables = options.tables;
    this.#log = options.log;
    this.#lock = options.lock;
    this.#journalBytesLimit = options.journalBytesLimit;
    this.#journals = found.journals;
    this.#olderBytes = found.olderBytes;
    this.#snapshotSeq = found.snapshotSeq;
    this.#dueAt = found.snapshotSeq === undefined ? 0 : this.#threshold();
  }

  /** Bytes in all journals. */
  get journalBytes(): number {
    return this.#olderBytes + this.#journal.length;
  }

  startIfDue(): void {
    if (this.#running !== undefined || this.#closing) return;
    if (this.journalBytes > this.#dueAt) void this.#start();
  }

  /** Resolves when there is a snapshot of what is durable now; one that fails is only logged. */
  async takeNow(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#isBehind()) await this.#start();
  }

  /** Resolves when the files are at rest; of a small store the snapshots then hold everything. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#running !== undefined) await this.#running;
    if (!this.#isBehind() || this.#size() > sizeAtCloseLimit) return;
    if (this.#journal.failure === undefined) await this.#start();
  }

  /**
   * Rejects with StoreError, as every later write will, once the path leads to another folder: what
   * goes by a path would overwrite the store that stands there. It is asked before each such call.
   */
  async requireFolder(): Promise<void> {
    if (!(await this.#lock.isHeld())) this.#journal.refuse(folderGone(this.#folder));
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
  }

  #isBehind(): boolean {
    return this.#snapshotSeq === undefined || this.#lastChange() > this.#snapshotSeq;
  }

  /** Never rejects. */
  #start(): Promise<void> {
    this.#running = this.#take()
      .then(() => {
        this.#dueAt = this.#threshold();
      })
      .catch((cause: unknown) => {
        this.#dueAt = this.journalBytes + this.#journalBytesLimit;
        const then = this.#journal.failure === undefined ? "the journal goes on" : "so do reads";
        this.#log.error(`a snapshot failed; ${then}`, { cause });
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #take(): Promise<void> {
    const { rows, seq } = await this.#beginJournal();
    const written = new Map<string, Written>();
    try {
      for (const [kind, entries] of rows) {
        await this.requireFolder();
        const pieces = this.#pieces(entries);
        written.set(kind, await writeTemporary(this.#files, this.#pathOf(kind), pieces));
      }
      await this.#journal.append(snapshotEvent, describeSnapshots(written, seq));
      for (const kind of written.keys()) {
        await this.requireFolder();
        await publish(this.#files, this.#pathOf(kind));
      }
    } catch (error) {
      for (const kind of written.keys()) {
        if (await this.#lock.isHeld()) await removeTemporary(this.#files, this.#pathOf(kind));
      }
      throw error;
    }
    await this.#syncFolder();
    this.#snapshotSeq = seq;
    await this.#dropOldJournals();
  }

  /** Snapshots of a large store that a stop finds half-written are given up. */
  *#pieces(entries: readonly Entry[]): Generator<Buffer> {
    for (const piece of snapshotPieces(entries)) {
      if (this.#closing && this.#size() > sizeAtCloseLimit) {
        throw new StoreError("closed", "the store is closing");
      }
      yield piece;
    }
  }

  /** Steps 1 and 2. Resolves to the rows as the old journals leave them. */
  async #beginJournal(): Promise<{ rows: Map<string, readonly Entry[]>; seq: number }> {
    const number = (this.#journals.at(-1) ?? 0) + 1;
    const path = this.#path(journalName(number));
    const header = headerBytes(number);
    await this.requireFolder();
    const file = await this.#files.open(path, "replace");
    let rows = new Map<string, readonly Entry[]>();
    let seq = 0;
    try {
      await writeFully(file, header, 0);
      await file.sync();
      await this.#syncFolder();
      await this.#journal.rotate(file, header.length, () => {
        rows = freeze(this.#tables);
        seq = this.#lastChange();
        this.#olderBytes = this.journalBytes;
        this.#journals = [...this.#journals, number];
      });
      return { rows, seq };
    } catch (error) {
      await this.#abandon(file, path);
      throw error;
    }
  }

  /** A journal that was prepared and not used; one that stays, or comes back, says nothing. */
  async #abandon(file: OpenFile, path: string): Promise<void> {
    await file.close().catch(() => {});
    if (await this.#lock.isHeld()) await this.#files.remove(path).catch(() => {});
  }

  /** Step 6. In this order, because a gap between journals would be damage. */
  async #dropOldJournals(): Promise<void> {
    for (const [index, number] of this.#journals.slice(0, -1).entries()) {
      if (index > 0) await this.#syncFolder();
      await this.requireFolder();
      await this.#files.remove(this.#path(journalName(number)));
      this.#journals = this.#journals.slice(1);
    }
    this.#olderBytes = 0;
  }

  /**
   * An fsync that fails once may claim success the next time: from then on nothing can rely on it.
   * A folder that could not even be opened, for lack of descriptors, is tried again.
   */
  async #syncFolder(): Promise<void> {
    try {
      await this.#files.syncFolder(this.#folder);
    } catch (cause) {
      if (syscallOf(cause) !== "open") this.#journal.refuse(fsyncFailed("refused", cause));
      throw cause;
    }
  }

  #threshold(): number {
    return Math.max(this.#journalBytesLimit, this.#size() / 4);
  }

  #size(): number {
    let size = 0;
    for (const table of this.#tables.values()) size += table.size;
    return size;
  }

  /** The number of the last record that changed a table. */
  #lastChange(): number {
    return Math.max(0, ...[...this.#tables.values()].map(({ version }) => version));
  }

  #pathOf(kind: string): string {
    return this.#path(snapshotName(kind));
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
