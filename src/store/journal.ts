/**
 * The writing side of the journal: records are accepted one by one and go to disk in batches.
 *
 * Records that are accepted while the disk is busy form one batch, which goes to disk in one write
 * and one fdatasync; their writers are told when it is over. A batch is written only when the one
 * before it is on disk, so each record's `after` (journal-file.ts) is true. When the journal falls idle
 * a mark, an empty record, says so of the last batch too. What a start makes of the files is in
 * replay.ts.
 */

import type { Buffer } from "node:buffer";
import { Batch, deferred } from "./batch.ts";
import { type OpenFile, writeFully } from "./file-system.ts";
import { markRecord } from "./journal-file.ts";
import { fsyncFailed, StoreError } from "./store-error.ts";

/** Callbacks of the journal, called in order. T: what the caller attaches to a record. */
export interface JournalEvents<T> {
  /**
   * The records of these are on disk; called before their writers resume. `bytes` are their lines,
   * valid only during the call.
   */
  durable(payloads: readonly T[], bytes: Buffer): void;
  /** Nothing that was accepted and is not durable will be stored. */
  lost(): void;
  /** A write has failed, "write-failed"; or no write is accepted any more, and why. */
  failed(error: StoreError): void;
  /** An fsync of a batch begins; the function returned is called when it ends. */
  syncing(): () => void;
}

/** Where a journal goes on: after the last good record. */
export interface JournalEnd {
  readonly number: number;
  readonly offset: number;
  readonly seq: number;
  /** Whether that record is a mark. */
  readonly marked: boolean;
}

/** How much may wait for the disk: beyond it the caller is told to come back. */
const waitingBytesLimit = 33_554_432;
const markAfterMs = 100;
const gatherMs = 4;
/** A batch of this size goes to disk without waiting for more: a few hundred writes. */
const gatheredBytes = 65_536;

/** A new file, with its header durably in it, to go on in. */
interface Rotation {
  readonly file: OpenFile;
  readonly length: number;
  readonly switched: () => void;
  readonly failed: (error: StoreError) => void;
}

/** The current journal, from the writing side. */
export class Journal<T> {
  /** Bytes in the current file. */
  length: number;
  #file: OpenFile;
  /** The seq of the last record accepted. */
  #seq: number;
  #written: number;
  /** The `after` of the batch being filled. */
  #after: number;
  #filling: Batch<T> = new Batch();
  #spare: Batch<T> = new Batch();
  #writing: Batch<T> | undefined;
  #rotation: Rotation | undefined;
  #running: Promise<void> | undefined;
  /** Whether the last batch still lacks its mark. */
  #markIsDue: boolean;
  #markTimer: NodeJS.Timeout | undefined;
  /** Set once an fsync has failed, or the journal closes: what every write is then told. */
  #ended: StoreError | undefined;
  readonly #events: JournalEvents<T>;

  constructor(file: OpenFile, end: JournalEnd, events: JournalEvents<T>) {
    this.#file = file;
    this.length = end.offset;
    this.#seq = end.seq;
    this.#written = end.seq;
    this.#after = end.seq;
    this.#markIsDue = !end.marked;
    this.#events = events;
    this.#armMark();
  }

  /** The seq that the next record will have. */
  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** The seq of the last record in the file: every change up to it is durable. */
  get writtenSeq(): number {
    return this.#written;
  }

  /** Why no write can be accepted any more, if so. */
  get failure(): StoreError | undefined {
    return this.#ended;
  }

  /** The promise of the last record accepted, while it is not durable. */
  get pending(): Promise<void> | undefined {
    const batch = this.#filling.length > 0 ? this.#filling : this.#writing;
    return batch?.done.promise;
  }

  /**
   * Accepts a record. The promise resolves once it is on disk.
   * Throws StoreError "busy", "refused" or "closed"; rejects with "write-failed" or "untrusted".
   */
  append(event: string, data: string, payload?: T): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#filling.length > waitingBytesLimit) {
      throw new StoreError("busy", "too many writes are waiting for the disk");
    }
    return this.appendToLast(event, data, payload);
  }

  /** The same for what belongs to the record appended before in this tick: it is never refused. */
  appendToLast(event: string, data: string, payload?: T): Promise<void> {
    const batch = this.#filling;
    batch.add({ seq: ++this.#seq, after: this.#after, event, data });
    batch.needsSync = true;
    if (payload !== undefined) batch.payloads.push(payload);
    this.#start();
    return batch.done.promise;
  }

  /**
   * Goes on in a new file, whose header of `length` bytes is on disk. `atSwitch` is called when
   * every record so far is durable in the old file, and every later one will be in the new one.
   * Resolves to what it returns. Rejects when the old file has to go on.
   */
  async rotate<R>(file: OpenFile, length: number, atSwitch: () => R): Promise<R> {
    if (this.#ended !== undefined) throw this.#ended;
    const done = deferred<R>();
    this.#rotation = {
      file,
      length,
      switched: () => done.resolve(atSwitch()),
      failed: done.reject,
    };
    this.#start();
    return done.promise;
  }

  /** Accepts no more: what later records would rely on has failed beside the journal. */
  refuse(failure: StoreError): void {
    if (this.#ended !== undefined) return;
    this.#ended = failure;
    this.#events.failed(failure);
  }

  /** Stores what was accepted, and a mark; closes the file. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    clearTimeout(this.#markTimer);
    this.#addMark();
    this.#ended ??= new StoreError("closed", "the store is closed");
    await this.#running;
    // Makes the mark durable; the records were already, so nothing is lost if these fail.
    await this.#file.sync().catch(() => {});
    await this.#file.close().catch(() => {});
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#rotation !== undefined || this.#filling.length > 0) {
      if (this.#rotation !== undefined) await this.#switchFile(this.#rotation);
      else {
        await this.#gather();
        await this.#store(this.#takeBatch());
      }
    }
    this.#running = undefined;
    this.#armMark();
  }

  /**
   * Waits while each turn of the event loop brings more records, for a turn at the least: an fsync
   * costs as much time of the processor as several requests do, so a batch should hold all that
   * have arrived. Not for long: where turns are slow, each of them may bring one.
   */
  async #gather(): Promise<void> {
    const batch = this.#filling;
    const end = performance.now() + gatherMs;
    for (let before = -1; batch.length > before && batch.length < gatheredBytes; ) {
      before = batch.length;
      await new Promise(setImmediate);
      if (performance.now() > end) return;
    }
  }

  #takeBatch(): Batch<T> {
    const batch = this.#filling;
    this.#writing = batch;
    this.#filling = this.#spare;
    // The next batch is written only if this one is on disk; a mark alone is not synced.
    if (batch.needsSync) this.#after = this.#seq;
    return batch;
  }

  async #store(batch: Batch<T>): Promise<void> {
    const seq = this.#seq;
    try {
      await writeFully(this.#file, batch.bytes, this.length);
    } catch (cause) {
      return this.#undo(batch, cause);
    }
    if (batch.needsSync) {
      const synced = this.#events.syncing();
      try {
        await this.#file.sync();
      } catch (cause) {
        return this.#distrust(cause);
      } finally {
        synced();
      }
    }
    this.length += batch.length;
    this.#written = seq;
    this.#markIsDue = batch.needsSync;
    this.#writing = undefined;
    this.#events.durable(batch.payloads, batch.bytes);
    this.#spare = batch.next();
    batch.done.resolve();
  }

  /**
   * A write failed. The batch and all that was accepted on top of it is taken back at once, so
   * that what is accepted from now on is checked against what is durable; the writers are told
   * when the file ends again where it ended before, durably: a power cut brings nothing back.
   */
  async #undo(batch: Batch<T>, cause: unknown): Promise<void> {
    const unwritten = this.#takeBack();
    let error = new StoreError("write-failed", "the write failed", { cause });
    this.#events.failed(error);
    // A disk too full for a mark is not asked again until there is something to mark.
    if (!batch.needsSync) this.#markIsDue = false;
    try {
      await this.#file.truncate(this.length);
      await this.#file.sync();
    } catch (second) {
      this.#distrust(second);
      error = fsyncFailed("untrusted", second);
    }
    batch.done.reject(error);
    unwritten.done.reject(this.#ended ?? error);
  }

  /** After a failed fsync nobody knows what is on disk (the kernel may have dropped the pages). */
  #distrust(cause: unknown): void {
    const failure = fsyncFailed("refused", cause);
    this.refuse(failure);
    const writing = this.#writing;
    this.#takeBack().done.reject(failure);
    writing?.done.reject(fsyncFailed("untrusted", cause));
    this.#rotation?.failed(failure);
    this.#rotation = undefined;
  }

  #takeBack(): Batch<T> {
    const filling = this.#filling;
    this.#seq = this.#written;
    this.#after = Math.min(this.#after, this.#written);
    this.#writing = undefined;
    this.#filling = new Batch();
    this.#spare = new Batch();
    this.#events.lost();
    return filling;
  }

  async #switchFile({ file, length, switched }: Rotation): Promise<void> {
    try {
      // A mark may not be on disk yet, and only the last journal may have a torn end.
      await this.#file.sync();
    } catch (cause) {
      return this.#distrust(cause);
    }
    const old = this.#file;
    switched();
    this.#file = file;
    this.length = length;
    this.#rotation = undefined;
    // Synced and no longer used: a failing close changes nothing.
    await old.close().catch(() => {});
  }

  #armMark(): void {
    if (!this.#markIsDue || this.#ended !== undefined) return;
    this.#markTimer ??= setTimeout(() => {
      this.#markTimer = undefined;
      this.#addMark();
    }, markAfterMs).unref();
  }

  /** Loses nothing if it does not reach the disk itself. */
  #addMark(): void {
    if (!this.#markIsDue || this.#running !== undefined || this.#ended !== undefined) return;
    this.#filling.add(markRecord(++this.#seq, this.#after));
    this.#start();
  }
}
