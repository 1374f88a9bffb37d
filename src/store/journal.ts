/**
 * The writing side of the journal: records are accepted one by one and go to disk in batches.
 *
 * Records that are accepted while the disk is busy form one batch, which goes to disk in one write
 * and one fdatasync; their writers are told when it is over. A batch is written only when the one
 * before it is on disk, so each record's `after` (journal-file.ts) is true. When the journal falls
 * idle a mark, an empty record, says so of the last batch too. What a start makes of the files is
 * in replay.ts.
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

/** Callbacks of the journal, called in order. T: what the caller attaches to a record. */
interface JournalEvents<T> {
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

/** How much may wait for the disk, in UTF-16 units: beyond it the caller is told to come back. */
const waitingLimit = 33_554_432;
/** A batch of this length goes to disk without waiting for more: a few hundred writes. */
const gatheredLimit = 65_536;
const gatherMs = 4;
const markAfterMs = 100;
/** Memory to encode batches in; one that needs more gets its own. */
const keptBytes = 262_144;
/** Bytes that are encoded in one turn: a disk that was stuck may have let far more pile up. */
const encodedInTurn = 1_048_576;

/** Records that go to disk together, and the promise that their writers share. */
class Batch<T> {
  readonly records: { readonly seq: number; readonly event: string; readonly data: string }[] = [];
  readonly payloads: T[] = [];
  /** Of all data, in UTF-16 units. */
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
    // Not every batch has a writer that waits for it.
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
  /** Of the last in the file. */
  #written: number;
  /** Of the last of which it is known that it is on disk: the `after` of the next batch. */
  #synced: number;
  #filling: Batch<T> = new Batch();
  #writing: Batch<T> | undefined;
  readonly #memory: Buffer = Buffer.allocUnsafeSlow(keptBytes);
  /** What is to be done between two batches. */
  #rotation: (() => Promise<void>) | undefined;
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
    this.#synced = end.seq;
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
   * Goes on in a new file, whose header of `length` bytes is on disk. `atSwitch` is called when
   * every record so far is durable in the old file, and every later one will be in the new one.
   * Resolves to what it returns. Rejects when the old file has to go on.
   */
  rotate<R>(file: OpenFile, length: number, atSwitch: () => R): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#rotation = async () => {
        const old = this.#file;
        // A mark may not be on disk yet, and only the last journal may have a torn end.
        if (this.#ended === undefined) await old.sync().catch((cause) => this.#distrust(cause));
        if (this.#ended !== undefined) return reject(this.#ended);
        resolve(atSwitch());
        this.#file = file;
        this.length = length;
        // Synced and no longer used: a failing close changes nothing.
        await old.close().catch(() => {});
      };
      this.#running ??= this.#run();
    });
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
   * Waits while each turn of the event loop brings more records, for a turn at the least: an fsync
   * costs as much time of the processor as several requests do, so a batch should hold all that
   * have arrived. Not for long: where turns are slow, each of them may bring one.
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

  /** Writes the batch that was being filled; what is accepted meanwhile waits in the next one. */
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

  /** The batch's lines, good until the next batch's. */
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
   * A write failed. The batch and all that was accepted on top of it is taken back at once, so
   * that what is accepted from now on is checked against what is durable; the writers are told
   * when the file ends again where it ended before, durably: a power cut brings nothing back.
   */
  async #undo(batch: Batch<T>, cause: unknown): Promise<void> {
    const unwritten = this.#takeBack();
    let error = new StoreError("write-failed", "the write failed", { cause });
    this.#events.failed(error);
    // A mark is so short that it may find room where no write would: it must not look like one.
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

  /** After a failed fsync nobody knows what is on disk (the kernel may have dropped the pages). */
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

  /** Loses nothing if it does not reach the disk itself. */
  #addMark(): void {
    if (!this.#markIsDue || this.#running !== undefined || this.#ended !== undefined) return;
    this.#filling.add(++this.#seq, markEvent, markData());
    this.#running = this.#run();
  }
}

/** Makes a journal whose header, of `length` bytes, is on disk. Its name is not until a sync. */
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
