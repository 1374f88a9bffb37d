/**
 * Replaces the document by a snapshot of the current rows, while writes go on. A crash can fall
 * between any two steps:
 *
 *  1. Prepare journal N+1: write and sync its header, sync the folder.
 *  2. Sync journal N, switch to journal N+1 and take a view of the tables, all in one turn.
 *  3. Write and sync store.json.tmp.
 *  4. Rename it to store.json, sync the folder.
 *  5. Remove the journals up to N, oldest first; sync the folder between two removals.
 *
 * If a step fails, the error is logged and the journals keep everything since the last document.
 * loading.ts says how a start reads the files after a crash.
 */

import type { Buffer } from "node:buffer";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { documentName, documentPieces } from "./document.ts";
import type { Log } from "../log/log.ts";
import { syscallOf } from "../log/system-error.ts";
import { type OpenFile, publish, removeTemporary, writeTemporary } from "./file-system.ts";
import { createJournal, type Journal } from "./journal.ts";
import { journalName } from "./journal-file.ts";
import type { Opened } from "./loading.ts";
import type { LockedFolder } from "./lock.ts";
import { folderGone, fsyncFailed, StoreError } from "./store-error.ts";
import type { Moment, Tables } from "./tables.ts";

/** The log for failed snapshots, and the size at which a snapshot is due. */
export interface SnapshotOptions {
  readonly log: Log;
  /** A snapshot is due when the journals exceed this and the document. */
  readonly journalBytesLimit?: number;
}

const defaultJournalBytesLimit = 16_777_216;
/** A clean stop of a store up to this size takes a snapshot. A larger one would take too long. */
const sizeAtCloseLimit = 16_777_216;

/** Between two pieces of 64 KiB, which take under a millisecond each: requests go first. */
const pauseMs = 3;

export class Snapshotting {
  readonly #locked: LockedFolder;
  readonly #tables: Tables;
  readonly #journal: Journal<unknown>;
  readonly #log: Log;
  readonly #journalBytesLimit: number;
  /** The numbers of the journals, oldest first; the last is the current one. */
  #journals: readonly number[];
  /** Bytes in all journals before the current one. */
  #olderBytes: number;
  /** The document includes every record up to this one. */
  #documentSeq: number;
  #documentBytes: number;
  /** The next snapshot is due when the journals have more bytes than this. */
  #dueAt: number;
  #running: Promise<void> | undefined;
  #closing = false;

  constructor(opened: Opened, journal: Journal<unknown>, options: SnapshotOptions) {
    this.#locked = opened;
    this.#tables = opened.tables;
    this.#journal = journal;
    this.#log = options.log;
    this.#journalBytesLimit = options.journalBytesLimit ?? defaultJournalBytesLimit;
    this.#journals = opened.journals;
    this.#olderBytes = opened.olderBytes;
    this.#documentSeq = opened.documentSeq;
    this.#documentBytes = opened.documentBytes;
    this.#dueAt = this.#threshold();
  }

  get journalBytes(): number {
    return this.#olderBytes + this.#journal.length;
  }

  startIfDue(): void {
    if (this.#running !== undefined || this.#closing) return;
    if (this.journalBytes > this.#dueAt) void this.#start();
  }

  /** Takes a snapshot unless the document is up to date. A failure is only logged. */
  async takeNow(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#isBehind()) await this.#start();
  }

  /** Takes a last snapshot of a small store. Resolves when no snapshot is running. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#running !== undefined) await this.#running;
    if (!this.#isBehind() || this.#isLarge()) return;
    if (this.#journal.failure === undefined) await this.#start();
  }

  /**
   * Throws StoreError if the folder was moved or replaced, and makes every later write fail.
   * Called before each file call that takes a path, which could damage another store there.
   */
  requireFolder(): void {
    const { folder, lock } = this.#locked;
    if (!lock.isHeld()) this.#journal.refuse(folderGone(folder));
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
  }

  #isBehind(): boolean {
    return this.#tables.lastChange > this.#documentSeq;
  }

  /** True if the document is too large to be written during a stop. */
  #isLarge(): boolean {
    return this.#documentBytes + this.journalBytes > sizeAtCloseLimit;
  }

  #threshold(): number {
    return Math.max(this.#journalBytesLimit, this.#documentBytes);
  }

  /** Never rejects. */
  #start(): Promise<void> {
    this.#running = this.#take()
      .then(() => {
        this.#dueAt = this.#threshold();
      })
      .catch((cause: unknown) => {
        this.#dueAt = this.journalBytes + this.#journalBytesLimit;
        // Cancelled by a stop, which is no failure: the journals have everything.
        if (cause instanceof StoreError && cause.code === "closed") return;
        const rest = this.#journal.failure === undefined ? "writes and reads" : "reads";
        this.#log.error(`a snapshot failed; ${rest} go on`, { cause });
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #take(): Promise<void> {
    const { files, lock } = this.#locked;
    const moment = await this.#beginJournal();
    const path = this.#path(documentName);
    this.requireFolder();
    await writeTemporary(files, path, this.#pieces(moment));
    try {
      this.requireFolder();
      await publish(files, path);
    } catch (error) {
      if (lock.isHeld()) await removeTemporary(files, path);
      throw error;
    }
    await this.#syncFolder();
    this.#documentSeq = moment.seq;
    await this.#dropOldJournals();
  }

  /** Steps 1 and 2. */
  async #beginJournal(): Promise<Moment> {
    const { files, lock } = this.#locked;
    const number = (this.#journals.at(-1) ?? 0) + 1;
    const path = this.#path(journalName(number));
    let file: OpenFile | undefined;
    this.requireFolder();
    try {
      const created = await createJournal(files, path, number);
      file = created.file;
      await this.#syncFolder();
      return await this.#journal.rotate(file, created.length, () => {
        this.#olderBytes = this.journalBytes;
        this.#journals = [...this.#journals, number];
        return this.#tables.moment(this.#journal.writtenSeq);
      });
    } catch (error) {
      await file?.close().catch(() => {});
      // The new journal is unused. If it cannot be removed, it does no harm: it has no records.
      if (lock.isHeld()) await files.remove(path).catch(() => {});
      throw error;
    }
  }

  /** Throws StoreError "closed" if the store begins to close while it writes a large document. */
  async *#pieces(moment: Moment): AsyncGenerator<Buffer, void> {
    let bytes = 0;
    for (const piece of documentPieces(moment)) {
      if (bytes > 0 && !this.#closing) await setTimeout(pauseMs);
      bytes += piece.length;
      if (this.#closing && this.#isLarge()) {
        throw new StoreError("closed", "the store is closing");
      }
      yield piece;
    }
    this.#documentBytes = bytes;
  }

  /** Step 5. Oldest first, because a gap between journals counts as damage. */
  async #dropOldJournals(): Promise<void> {
    for (const [index, number] of this.#journals.slice(0, -1).entries()) {
      if (index > 0) await this.#syncFolder();
      this.requireFolder();
      await this.#locked.files.remove(this.#path(journalName(number)));
      this.#journals = this.#journals.slice(1);
    }
    this.#olderBytes = 0;
  }

  /**
   * After a failed fsync no more writes are accepted, because the next fsync may report success
   * without writing. If the folder only could not be opened (too many open files), writes go on.
   */
  async #syncFolder(): Promise<void> {
    const { folder, files } = this.#locked;
    try {
      await files.syncFolder(folder);
    } catch (cause) {
      if (syscallOf(cause) !== "open") this.#journal.refuse(fsyncFailed("refused", cause));
      throw cause;
    }
  }

  #path(name: string): string {
    return join(this.#locked.folder, name);
  }
}
