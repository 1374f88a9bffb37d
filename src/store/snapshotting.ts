/**
 * When the document is replaced, and how: while writes go on, in steps that a crash can fall
 * between.
 *
 *  1. Prepare journal N+1: its header synced, the folder synced.
 *  2. Go on in journal N+1 (journal N is synced); at the same moment hold the tables' rows.
 *  3. Write store.json.tmp, synced.
 *  4. Rename it to store.json; sync the folder.
 *  5. Remove the journals up to N, oldest first, the folder synced between two of them.
 *
 * A step that fails is logged, and the journals go on holding everything since the last document.
 * What a start makes of the files, wherever a crash fell, is in loading.ts.
 */

import type { Buffer } from "node:buffer";
import { join } from "node:path";
import { documentName, documentPieces } from "./document.ts";
import type { Log } from "../log/log.ts";
import { syscallOf } from "../log/system-error.ts";
import { type OpenFile, publish, removeTemporary, writeTemporary } from "./file-system.ts";
import { createJournal, type Journal } from "./journal.ts";
import { journalName } from "./journal-file.ts";
import type { Opened } from "./loading.ts";
import type { Place } from "./lock.ts";
import { folderGone, fsyncFailed, StoreError } from "./store-error.ts";
import type { Moment, Tables } from "./tables.ts";

/** When a snapshot is made, and who is told of one that failed. */
export interface SnapshotOptions {
  readonly log: Log;
  /** One is due when the journals outgrow this, or a quarter of the document. */
  readonly journalBytesLimit?: number;
}

const defaultJournalBytesLimit = 16_777_216;
/** Up to this a clean stop leaves everything in the document; more would take too long. */
const sizeAtCloseLimit = 16_777_216;

/** Decides when, and does it. */
export class Snapshotting {
  readonly #place: Place;
  readonly #tables: Tables;
  readonly #journal: Journal<unknown>;
  readonly #log: Log;
  readonly #journalBytesLimit: number;
  /** The numbers of the journals, oldest first; the last one is the current one. */
  #journals: readonly number[];
  /** Bytes in those before it. */
  #olderBytes: number;
  /** Every record up to this one is in the document. */
  #documentSeq: number;
  #documentBytes: number;
  /** The journals' bytes beyond which the next snapshot is due. */
  #dueAt: number;
  #running: Promise<void> | undefined;
  #closing = false;

  constructor(opened: Opened, journal: Journal<unknown>, options: SnapshotOptions) {
    this.#place = opened;
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

  /** Bytes in all journals. */
  get journalBytes(): number {
    return this.#olderBytes + this.#journal.length;
  }

  startIfDue(): void {
    if (this.#running !== undefined || this.#closing) return;
    if (this.journalBytes > this.#dueAt) void this.#start();
  }

  /** Resolves when the document holds what is durable now; one that fails is only logged. */
  async takeNow(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#isBehind()) await this.#start();
  }

  /** Resolves when the files are at rest; of a small store the document then holds everything. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#running !== undefined) await this.#running;
    if (!this.#isBehind() || this.#isLarge()) return;
    if (this.#journal.failure === undefined) await this.#start();
  }

  /**
   * Rejects with StoreError, as every later write will, once the path leads to another folder: what
   * goes by a path would overwrite the store that stands there. It is asked before each such call.
   */
  async requireFolder(): Promise<void> {
    const { folder, lock } = this.#place;
    if (!(await lock.isHeld())) this.#journal.refuse(folderGone(folder));
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
  }

  #isBehind(): boolean {
    return this.#tables.lastChange > this.#documentSeq;
  }

  /** Whether the document is too large to be written during a stop. */
  #isLarge(): boolean {
    return this.#documentBytes + this.journalBytes > sizeAtCloseLimit;
  }

  #threshold(): number {
    return Math.max(this.#journalBytesLimit, this.#documentBytes / 4);
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
    const { files, lock } = this.#place;
    const moment = await this.#beginJournal();
    const path = this.#path(documentName);
    await this.requireFolder();
    await writeTemporary(files, path, this.#pieces(moment));
    try {
      await this.requireFolder();
      await publish(files, path);
    } catch (error) {
      if (await lock.isHeld()) await removeTemporary(files, path);
      throw error;
    }
    await this.#syncFolder();
    this.#documentSeq = moment.seq;
    await this.#dropOldJournals();
  }

  /** Steps 1 and 2. Resolves to what the old journals leave. */
  async #beginJournal(): Promise<Moment> {
    const { files, lock } = this.#place;
    const number = (this.#journals.at(-1) ?? 0) + 1;
    const path = this.#path(journalName(number));
    let file: OpenFile | undefined;
    await this.requireFolder();
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
      // It was prepared and not used; one that stays, or comes back, says nothing.
      if (await lock.isHeld()) await files.remove(path).catch(() => {});
      throw error;
    }
  }

  /** The document of a large store that a stop finds half-written is given up. */
  *#pieces(moment: Moment): Generator<Buffer, void> {
    let bytes = 0;
    for (const piece of documentPieces(moment)) {
      bytes += piece.length;
      if (this.#closing && this.#isLarge()) {
        throw new StoreError("closed", "the store is closing");
      }
      yield piece;
    }
    this.#documentBytes = bytes;
  }

  /** Step 5. In this order, because a gap between journals would be damage. */
  async #dropOldJournals(): Promise<void> {
    for (const [index, number] of this.#journals.slice(0, -1).entries()) {
      if (index > 0) await this.#syncFolder();
      await this.requireFolder();
      await this.#place.files.remove(this.#path(journalName(number)));
      this.#journals = this.#journals.slice(1);
    }
    this.#olderBytes = 0;
  }

  /**
   * An fsync that fails once may claim success the next time: from then on nothing can rely on it.
   * A folder that could not even be opened, for lack of descriptors, is tried again.
   */
  async #syncFolder(): Promise<void> {
    const { folder, files } = this.#place;
    try {
      await files.syncFolder(folder);
    } catch (cause) {
      if (syscallOf(cause) !== "open") this.#journal.refuse(fsyncFailed("refused", cause));
      throw cause;
    }
  }

  #path(name: string): string {
    return join(this.#place.folder, name);
  }
}
