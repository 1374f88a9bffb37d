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
import { documentName, documentPieces, type Moment } from "../documents/document.ts";
import type { Log } from "../log/log.ts";
import { syscallOf } from "../log/system-error.ts";
import {
  type FileSystem,
  type OpenFile,
  publish,
  removeTemporary,
  writeTemporary,
} from "./file-system.ts";
import { createJournal, journalName } from "./journal-file.ts";
import type { Journal } from "./journal.ts";
import type { Lock } from "./lock.ts";
import { folderGone, fsyncFailed, StoreError } from "./store-error.ts";
import { momentOf, type Table } from "./table.ts";

/** What a start has found in the folder. */
export interface FoundFiles {
  readonly folder: string;
  /** The numbers of the journals, oldest first; the last one is the current one. */
  readonly journals: readonly number[];
  /** Bytes in the journals before the current one. */
  readonly olderBytes: number;
  /** The seq up to which all records are in the document. */
  readonly documentSeq: number;
}

/** What a snapshot is made of, and with. */
export interface SnapshottingOptions {
  /** A snapshot is due when the journals outgrow this, or a quarter of the tables. */
  readonly journalBytesLimit: number;
  readonly fileSystem: FileSystem;
  readonly journal: Journal<unknown>;
  readonly tables: ReadonlyMap<string, Table>;
  readonly log: Log;
  readonly lock: Lock;
}

/** Up to this a clean stop leaves everything in the document; more would take too long. */
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
  #documentSeq: number;
  /** The journals' bytes beyond which the next snapshot is due. */
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
    this.#documentSeq = found.documentSeq;
    this.#dueAt = this.#threshold();
  }

  /** Bytes in all journals. */
  get journalBytes(): number {
    return this.#olderBytes + this.#journal.length;
  }

  /** All that is durable now. */
  moment(): Moment {
    return momentOf(this.#tables, this.#journal.writtenSeq, this.#lastChange());
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
    return this.#lastChange() > this.#documentSeq;
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
    const moment = await this.#beginJournal();
    const path = this.#path(documentName);
    await this.requireFolder();
    await writeTemporary(this.#files, path, this.#pieces(moment));
    try {
      await this.requireFolder();
      await publish(this.#files, path);
    } catch (error) {
      if (await this.#lock.isHeld()) await removeTemporary(this.#files, path);
      throw error;
    }
    await this.#syncFolder();
    this.#documentSeq = moment.seq;
    await this.#dropOldJournals();
  }

  /** The document of a large store that a stop finds half-written is given up. */
  *#pieces(moment: Moment): Generator<Buffer> {
    for (const piece of documentPieces(moment)) {
      if (this.#closing && this.#size() > sizeAtCloseLimit) {
        throw new StoreError("closed", "the store is closing");
      }
      yield piece;
    }
  }

  /** Steps 1 and 2. Resolves to what the old journals leave. */
  async #beginJournal(): Promise<Moment> {
    const number = (this.#journals.at(-1) ?? 0) + 1;
    const path = this.#path(journalName(number));
    await this.requireFolder();
    const { file, length } = await createJournal(this.#files, path, number).catch((error) =>
      this.#abandon(undefined, path, error),
    );
    try {
      await this.#syncFolder();
      return await this.#journal.rotate(file, length, () => {
        this.#olderBytes = this.journalBytes;
        this.#journals = [...this.#journals, number];
        return this.moment();
      });
    } catch (error) {
      return await this.#abandon(file, path, error);
    }
  }

  /** A journal that was prepared and not used; one that stays, or comes back, says nothing. */
  async #abandon(file: OpenFile | undefined, path: string, error: unknown): Promise<never> {
    await file?.close().catch(() => {});
    if (await this.#lock.isHeld()) await this.#files.remove(path).catch(() => {});
    throw error;
  }

  /** Step 5. In this order, because a gap between journals would be damage. */
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

  /** The number of the last record that changed a table; after a start, of a later one. */
  #lastChange(): number {
    return Math.max(0, ...[...this.#tables.values()].map(({ version }) => version));
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
