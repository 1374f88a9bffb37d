/**
 * Writes the journal: accepts records one by one and sends them to disk in batches.
 *
 * Records accepted while the disk is busy form the next batch: one write, one fdatasync, one
 * promise. A batch is written after the previous one was synced, which makes each record's `after`
 * (journal-file.ts) true. An idle journal appends a mark, which vouches for the last batch.
 * replay.ts reads the files.
 */

import { Buffer } from "node:buffer";
import { type FileSystem, type OpenFile, writeFully } from "./file-system.ts";
import {
  encodeRecord,
  headerBytes,
  markData,
  markEvent,
  recordCapacity,
} from "./journal-file.ts";
import { fsyncFailed, StoreError } from "./store-error.ts";

/** Callbacks of the journal. T: the payload that the caller attaches to a record. */
interface JournalEvents<T> {
  /**
   * The batch with these payloads is on disk; called before its promise resolves. `bytes` are its
   * lines, valid only during the call.
   */
  durable(payloads: readonly T[], bytes: Buffer): void;
  /** Every record that is accepted but not durable has been dropped. */
  lost(): void;
  /** A write failed ("write-failed"), or no more writes are accepted (any other code). */
  failed(error: StoreError): void;
  /** An fsync of a batch begins. The journal calls the returned function when it ends. */
  syncing(): () => void;
}

/** The end of the journal, after the last good record, where writing continues. */
export interface JournalEnd {
  readonly number: number;
  readonly offset: number;
  readonly seq: number;
  /** True if the last record is a mark. */
  readonly marked: boolean;
}

/** UTF-16 units that may wait for the disk. Beyond this, `append` throws "busy". */
const waitingLimit = 33_554_432;
/** A batch of this length (a few hundred writes) goes to disk without waiting for more records. */
const gatheredLimit = 65_536;
const gatherMs = 4;
const markAfterMs = 100;
/** The buffer that batches are encoded in. A larger batch gets a buffer of its own. */
const encodeBufferBytes = 262_144;
/** Bytes encoded in a turn of the event loop: after a stuck disk, a batch can be far larger. */
const encodedInTurn = 1_048_576;

/** Records that go to disk together, with one promise for all their writers. */
class Batch<T> {
  readonly records: { readonly seq: number; readonly event: string; readonly data: string }[] = [];
  readonly payloads: T[] = [];
  /** The length of all data, in UTF-16 units. */
  length = 0;
  /** False for a batch that only holds a mark. */
  needsSync = false;
  resolve!: () => void;
  reject!: (error: StoreError) => void;
  readonly done: Promise<void> = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // Nobody waits for a batch that holds only a mark.
    this.done.catch(() => {});
  }

  add(seq: number, event: string, data: string): void {
    this.records.push({ seq, event, data });
    this.length += data.length;
  }
}

/** The current journal, from the writing side. */
export class Journal<T> {
  /** Bytes in the current file. */
  length: number;
  #file: OpenFile;
  /** The seq of the last record accepted. */
  #seq: number;
  /** The seq of the last record in the file. */
  #written: number;
  /** The seq of the last synced record: the `after` of the next batch. */
  #synced: number;
  #filling: Batch<T> = new Batch();
  #writing: Batch<T> | undefined;
  readonly #memory: Buffer = Buffer.allocUnsafeSlow(encodeBufferBytes);
  /** A pending switch to the next file, done between two batches. */
  #rotation: (() => Promise<void>) | undefined;
  #running: Promise<void> | undefined;
  /** True while no mark follows the last batch. */
  #markIsDue: boolean;
  #markTimer: NodeJS.Timeout | undefined;
  /** The error of every later write, set after a failed fsync or a close. */
  #ended: StoreError | undefined;
  readonly #events: JournalEvents<T>;

  constructor(file: OpenFile, end: JournalEnd, events: JournalEvents<T>) {
    this.#file = file;
    this.length = end.offset;
    this.#seq = end.seq;
    this.#written = end.seq;
    this.#synced = end.seq;
    this.#markIsDue = !end.marked;
    this.#events = events;
    this.#armMark();
  }

  /** The seq of the next record. */
  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** The seq of the last record in the file: every change up to it is durable. */
  get writtenSeq(): number {
    return this.#written;
  }

  /** The error of every later write; undefined while writes are accepted. */
  get failure(): StoreError | undefined {
    return this.#ended;
  }

  /** The promise of the last accepted record; undefined if every record is durable. */
  get pending(): Promise<void> | undefined {
    const batch = this.#filling.records.length > 0 ? this.#filling : this.#writing;
    return batch?.done;
  }

  /**
   * Accepts a record. The promise resolves once it is on disk.
   * Throws StoreError "busy", "refused" or "closed"; rejects with "write-failed" or "untrusted".
   */
  append(event: string, data: string, payload?: T): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#filling.length > waitingLimit) {
      throw new StoreError("busy", "too many writes are waiting for the disk");
    }
    const batch = this.#filling;
    batch.add(++this.#seq, event, data);
    batch.needsSync = true;
    if (payload !== undefined) batch.payloads.push(payload);
    this.#running ??= this.#run();
    return batch.done;
  }

  /**
   * Continues in a new file, whose header of `length` bytes is on disk. Calls `atSwitch` when every
   * earlier record is durable in the old file and every later record goes to the new file, and
   * resolves to its result. Rejects if the old file stays in use.
   */
  rotate<R>(file: OpenFile, length: number, atSwitch: () => R): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#rotation = async () => {
        const old = this.#file;
        // A mark may not be synced yet, and only the last journal may have a torn end.
        if (this.#ended === undefined) await old.sync().catch((cause) => this.#distrust(cause));
        if (this.#ended !== undefined) return reject(this.#ended);
        resolve(atSwitch());
        this.#file = file;
        this.length = length;
        // The old file is synced and unused, so a failed close does no harm.
        await old.close().catch(() => {});
      };
      this.#running ??= this.#run();
    });
  }

  /** Stops accepting writes, because something else that later records rely on has failed. */
  refuse(failure: StoreError): void {
    if (this.#ended !== undefined) return;
    this.#ended = failure;
    this.#events.failed(failure);
  }

  /** Stores all accepted records and a mark, then closes the file. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    clearTimeout(this.#markTimer);
    this.#addMark();
    this.#ended ??= new StoreError("closed", "the store is closed");
    await this.#running;
    // This syncs the mark. All other records are durable already, so a failure loses nothing.
    await this.#file.sync().catch(() => {});
    await this.#file.close().catch(() => {});
  }

  async #run(): Promise<void> {
    for (;;) {
      const rotation = this.#rotation;
      if (rotation === undefined && this.#filling.records.length === 0) break;
      this.#rotation = undefined;
      if (rotation !== undefined) await rotation();
      else {
        await this.#gather();
        await this.#store();
      }
    }
    this.#running = undefined;
    this.#armMark();
  }

  /**
   * Waits as long as each turn of the event loop brings more records, at least one turn and a few
   * milliseconds at most. An fsync takes as much CPU time as several requests, so a batch should
   * hold every write that has already arrived.
   */
  async #gather(): Promise<void> {
    const batch = this.#filling;
    const end = performance.now() + gatherMs;
    for (let before = -1; batch.length > before && batch.length < gatheredLimit; ) {
      before = batch.length;
      await new Promise(setImmediate);
      if (performance.now() > end) return;
    }
  }

  /** Writes the current batch. Records accepted meanwhile go into the next batch. */
  async #store(): Promise<void> {
    const batch = this.#filling;
    const seq = this.#seq;
    this.#writing = batch;
    this.#filling = new Batch();
    const bytes = await this.#encode(batch);
    try {
      await writeFully(this.#file, bytes, this.length);
    } catch (cause) {
      return this.#undo(batch, cause);
    }
    // A mark alone is not synced.
    if (batch.needsSync) {
      const ended = this.#events.syncing();
      try {
        await this.#file.sync();
      } catch (cause) {
        return this.#distrust(cause);
      } finally {
        ended();
      }
      this.#synced = seq;
    }
    this.length += bytes.length;
    this.#written = seq;
    this.#markIsDue = batch.needsSync;
    this.#writing = undefined;
    this.#events.durable(batch.payloads, bytes);
    batch.resolve();
  }

  /** The batch's lines, valid until the next call. */
  async #encode({ records }: Batch<T>): Promise<Buffer> {
    let memory = this.#memory;
    let length = 0;
    let turnEnd = encodedInTurn;
    for (const record of records) {
      if (length > turnEnd) {
        turnEnd = length + encodedInTurn;
        await new Promise(setImmediate);
      }
      const needed = length + recordCapacity(record);
      if (needed > memory.length) memory = Buffer.concat([memory.subarray(0, length)], needed * 2);
      length = encodeRecord(record, this.#synced, memory, length);
    }
    return memory.subarray(0, length);
  }

  /**
   * A write failed. Drops the batch and every record accepted after it at once, so that new writes
   * are checked against the durable state. Cuts the file back and syncs it before the promises
   * reject, so that a power cut cannot bring a rejected write back.
   */
  async #undo(batch: Batch<T>, cause: unknown): Promise<void> {
    const unwritten = this.#takeBack();
    let error = new StoreError("write-failed", "the write failed", { cause });
    this.#events.failed(error);
    // On a full disk a mark may still fit where no write does: the disk would look writable again.
    this.#markIsDue = false;
    try {
      await this.#file.truncate(this.length);
      await this.#file.sync();
      this.#synced = this.#written;
    } catch (second) {
      this.#distrust(second);
      error = fsyncFailed("untrusted", second);
    }
    batch.reject(error);
    unwritten.reject(this.#ended ?? error);
  }

  /** After a failed fsync the disk's content is unknown: the kernel may have dropped the pages. */
  #distrust(cause: unknown): void {
    const writing = this.#writing;
    const failure = fsyncFailed("refused", cause);
    this.refuse(failure);
    this.#takeBack().reject(failure);
    writing?.reject(fsyncFailed("untrusted", cause));
  }

  #takeBack(): Batch<T> {
    const filling = this.#filling;
    this.#seq = this.#written;
    this.#writing = undefined;
    this.#filling = new Batch();
    this.#events.lost();
    return filling;
  }

  #armMark(): void {
    if (!this.#markIsDue || this.#ended !== undefined) return;
    this.#markTimer ??= setTimeout(() => {
      this.#markTimer = undefined;
      this.#addMark();
    }, markAfterMs).unref();
  }

  /** A mark needs no sync: losing it loses no data. */
  #addMark(): void {
    if (!this.#markIsDue || this.#running !== undefined || this.#ended !== undefined) return;
    this.#filling.add(++this.#seq, markEvent, markData());
    this.#running = this.#run();
  }
}

/** Makes a journal and syncs its header, of `length` bytes. The caller must sync the folder. */
export async function createJournal(
  files: FileSystem,
  path: string,
  number: number,
): Promise<{ readonly file: OpenFile; readonly length: number }> {
  const header = headerBytes(number);
  const file = await files.open(path, "replace");
  try {
    await writeFully(file, header, 0);
    await file.sync();
    return { file, length: header.length };
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}
