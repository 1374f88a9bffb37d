/**
 * The writes since the last snapshot, in files journal-000001.ndjson, journal-000002.ndjson, …
 *
 * Each begins with a record `store.journal` that carries the seq before it; the rest are records
 * (record.ts) whose seq rises by one, over all files. Records that are accepted while the disk is
 * busy form one batch, which goes to disk in one write and one fdatasync.
 *
 * What a crash leaves. A batch that was being written may be there whole, in part, or with holes;
 * everything before it is there whole. So from the first line that is not a good record on, all is
 * the *torn end* of one unfinished batch, and is cut off, unless a later good record says, by its
 * `after`, that the broken one had reached the disk: then it is *damage*, and nothing is touched.
 * A mark, an empty record written when the journal falls idle, says so of the last batch too.
 */

import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { type Deferred, deferred } from "./deferred.ts";
import { type FileSystem, type OpenFile, writeFully } from "./file-system.ts";
import { type Line, readLines } from "./line-reader.ts";
import { decodeRecord, encodeRecord, type JournalRecord, recordCapacity } from "./record.ts";
import { damageHint } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";

export const journalFormat = 1;

export function journalName(number: number): string {
  return `journal-${String(number).padStart(6, "0")}.ndjson`;
}

export function journalNumber(name: string): number | undefined {
  const match = /^journal-(\d{6,})\.ndjson$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** A journal's first record. It takes no seq of its own. */
export function headerRecord(number: number, seq: number): JournalRecord {
  const data = `{"format":${journalFormat},"number":${number}}`;
  return { seq, after: seq, event: "store.journal", data };
}

/** Told by the journal, in order. T is what the caller hangs on a record. */
export interface JournalEvents<T> {
  /** The records of these are on disk; called before their writers resume. */
  durable(payloads: readonly T[]): void;
  /** Nothing that was accepted and is not durable will be stored. */
  lost(): void;
  /** An fsync of a batch begins; the function returned is called when it ends. */
  syncing(): () => void;
}

/** Where a journal goes on: behind the last good record. */
export interface JournalEnd {
  readonly number: number;
  readonly offset: number;
  readonly seq: number;
}

/** How much may wait for the disk: beyond it the caller is told to come back. */
const waitingBytesLimit = 33_554_432;
const markAfterMs = 100;

class Batch<T> {
  readonly payloads: T[] = [];
  readonly done: Deferred<void> = deferred<void>();
  /** False for a batch that only holds a mark. */
  needsSync = false;
  #buffer: Buffer;
  #length = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
    // Not every batch has a writer that waits for it.
    this.done.promise.catch(() => {});
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  /** The memory, to be used again by the batch after the next. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  add(record: JournalRecord): void {
    const needed = this.#length + recordCapacity(record);
    if (needed > this.#buffer.length) {
      this.#buffer = Buffer.concat([this.bytes], needed * 2);
    }
    this.#length = encodeRecord(record, this.#buffer, this.#length);
  }
}

interface Rotation {
  readonly file: OpenFile;
  readonly number: number;
  readonly done: Deferred<void>;
  readonly atSwitch: () => void;
}

const firstBufferBytes = 65_536;

export class Journal<T> {
  /** Bytes in the current file. */
  length: number;
  #file: OpenFile;
  /** Of the last record accepted. */
  #seq: number;
  /** Of the last record written to the file. */
  #written: number;
  /** The `after` of the batch being filled. */
  #after: number;
  #filling: Batch<T>;
  #spare: Buffer = Buffer.allocUnsafeSlow(firstBufferBytes);
  #writing: Batch<T> | undefined;
  #rotation: Rotation | undefined;
  #running: Promise<void> | undefined;
  #markTimer: NodeJS.Timeout | undefined;
  #marked = false;
  /** Set once an fsync has failed, or the file is closed: what every write is then told. */
  #ended: StoreError | undefined;
  readonly #events: JournalEvents<T>;

  constructor(file: OpenFile, end: JournalEnd, events: JournalEvents<T>) {
    this.#file = file;
    this.length = end.offset;
    this.#seq = end.seq;
    this.#written = end.seq;
    this.#after = end.seq;
    this.#events = events;
    this.#filling = new Batch(Buffer.allocUnsafeSlow(firstBufferBytes));
  }

  /** The seq that the next record will have. */
  get nextSeq(): number {
    return this.#seq + 1;
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
   * Throws StoreError "busy", "untrusted" or "closed"; rejects with "write-failed" or "untrusted".
   */
  append(event: string, data: string, payload?: T): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const batch = this.#filling;
    if (batch.length > waitingBytesLimit) {
      throw new StoreError("busy", "more writes are waiting than the disk takes");
    }
    batch.add({ seq: ++this.#seq, after: this.#after, event, data });
    batch.needsSync = true;
    if (payload !== undefined) batch.payloads.push(payload);
    this.#start();
    return batch.done.promise;
  }

  /**
   * Goes on in a new, empty file. `atSwitch` is called when every record so far is durable and in
   * the old file, and every later one will be in the new one. On failure the old one goes on.
   */
  rotate(file: OpenFile, number: number, atSwitch: () => void): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#rotation = { file, number, done: deferred(), atSwitch };
    this.#start();
    return this.#rotation.done.promise;
  }

  /** Syncs and closes the file, after what has been accepted. */
  async close(): Promise<void> {
    clearTimeout(this.#markTimer);
    this.#addMark();
    await this.#running;
    this.#ended ??= new StoreError("closed", "the store is closed");
    // Makes the mark durable; the records were already.
    await this.#file.sync().catch(() => {});
    await this.#file.close();
  }

  #start(): void {
    // A tick later, so that all requests that have arrived share the batch.
    this.#running ??= new Promise((resolve) => {
      setImmediate(() => void this.#run().then(resolve));
    });
  }

  async #run(): Promise<void> {
    while (this.#rotation !== undefined || this.#filling.length > 0) {
      if (this.#rotation !== undefined) await this.#switchFile(this.#rotation);
      else await this.#store(this.#takeBatch());
    }
    this.#running = undefined;
    if (this.#ended === undefined && !this.#marked) this.#armMark();
  }

  #takeBatch(): Batch<T> {
    const batch = this.#filling;
    this.#writing = batch;
    this.#filling = new Batch(this.#spare);
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
    this.#marked = !batch.needsSync;
    this.#writing = undefined;
    this.#spare = batch.buffer;
    this.#events.durable(batch.payloads);
    batch.done.resolve();
  }

  /**
   * A write failed. The batch and all that was accepted on top of it is taken back at once, so
   * that what is accepted from now on is checked against what is durable; the writers are told
   * when the file ends again where it ended before, durably: a power cut brings nothing back.
   */
  async #undo(batch: Batch<T>, cause: unknown): Promise<void> {
    const lost = [batch, this.#takeBack()];
    try {
      await this.#file.truncate(this.length);
      await this.#file.sync();
    } catch (second) {
      this.#distrust(second);
    }
    const error = this.#ended ?? new StoreError("write-failed", "the write failed", { cause });
    for (const { done } of lost) done.reject(error);
  }

  /** After a failed fsync nobody knows what is on disk (the kernel may have dropped the pages). */
  #distrust(cause: unknown): void {
    this.#ended = new StoreError("untrusted", "an fsync failed; no write is accepted until a restart", {
      cause,
      hint: "Check the disk, then restart: the start reads the files anew.",
    });
    const writing = this.#writing;
    this.#takeBack().done.reject(this.#ended);
    writing?.done.reject(this.#ended);
    this.#rotation?.done.reject(this.#ended);
    this.#rotation = undefined;
  }

  #takeBack(): Batch<T> {
    const filling = this.#filling;
    this.#seq = this.#written;
    this.#after = Math.min(this.#after, this.#written);
    this.#writing = undefined;
    this.#filling = new Batch(Buffer.allocUnsafeSlow(firstBufferBytes));
    this.#events.lost();
    return filling;
  }

  async #switchFile({ file, number, done, atSwitch }: Rotation): Promise<void> {
    const header = new Batch<T>(Buffer.allocUnsafe(256));
    header.add(headerRecord(number, this.#written));
    try {
      await writeFully(file, header.bytes, 0);
    } catch (cause) {
      // Part of a header is no record: the next start drops it.
      this.#rotation = undefined;
      done.reject(cause);
      return;
    }
    try {
      // A mark may not be synced yet, and only the last file may have a torn end.
      await this.#file.sync();
      await file.sync();
    } catch (cause) {
      return this.#distrust(cause);
    }
    const old = this.#file;
    this.#file = file;
    this.length = header.length;
    this.#rotation = undefined;
    atSwitch();
    done.resolve();
    // Synced and no longer used: a failing close changes nothing.
    await old.close().catch(() => {});
  }

  #armMark(): void {
    this.#markTimer ??= setTimeout(() => {
      this.#markTimer = undefined;
      this.#addMark();
    }, markAfterMs).unref();
  }

  /** Says of the last batch that it reached the disk; loses nothing if it does not itself. */
  #addMark(): void {
    if (this.#running !== undefined || this.#marked || this.#ended !== undefined) return;
    this.#filling.add({ seq: ++this.#seq, after: this.#after, event: "store.mark", data: "{}" });
    this.#start();
  }
}

/** The place from which a journal is torn. */
export interface TornEnd {
  readonly file: string;
  readonly line: number;
  readonly offset: number;
}

export interface Replayed {
  readonly end: JournalEnd;
  readonly torn: TornEnd | undefined;
}

/**
 * Reads journals, oldest first, and calls `each` for every good record but the headers.
 * Throws StoreError "damaged".
 */
export async function replay(
  fileSystem: FileSystem,
  journals: readonly { readonly number: number; readonly path: string }[],
  each: (record: JournalRecord, file: string, line: number) => void,
): Promise<Replayed> {
  const reading = new Replay(each);
  for (const { number, path } of journals) {
    reading.begin(number, basename(path));
    const file = await fileSystem.open(path, "read");
    try {
      await readLines(file, (line) => reading.take(line));
    } finally {
      await file.close();
    }
  }
  return reading.result();
}

class Replay {
  #seq: number | undefined;
  #number = 0;
  #file = "";
  #end: JournalEnd = { number: 0, offset: 0, seq: 0 };
  #torn: TornEnd | undefined;
  readonly #each: (record: JournalRecord, file: string, line: number) => void;

  constructor(each: (record: JournalRecord, file: string, line: number) => void) {
    this.#each = each;
  }

  begin(number: number, file: string): void {
    this.#number = number;
    this.#file = file;
  }

  take(line: Line): void {
    const record = line.complete ? decodeRecord(line.bytes) : undefined;
    if (this.#torn !== undefined) this.#lookForLater(record);
    else if (record !== undefined) this.#accept(record, line);
    // The oldest journal's header was durable before the journal was needed.
    else if (this.#seq === undefined) throw this.#damage(line.number, "expected a header record");
    else this.#torn = { file: this.#file, line: line.number, offset: line.offset };
  }

  result(): Replayed {
    return { end: this.#end, torn: this.#torn };
  }

  #accept(record: JournalRecord, line: Line): void {
    const isHeader = line.number === 1;
    const expected = isHeader ? (this.#seq ?? record.seq) : (this.#seq ?? 0) + 1;
    if (isHeader !== (record.event === "store.journal") || record.seq !== expected) {
      throw this.#damage(line.number, `expected record ${expected}, got record ${record.seq}`);
    }
    if (isHeader) this.#checkHeader(record);
    else this.#each(record, this.#file, line.number);
    this.#seq = record.seq;
    const offset = line.offset + line.bytes.length + 1;
    this.#end = { number: this.#number, offset, seq: record.seq };
  }

  #checkHeader(record: JournalRecord): void {
    if (record.data === headerRecord(this.#number, record.seq).data) return;
    throw this.#damage(
      1,
      `expected journal ${this.#number} of format ${journalFormat}, got ${record.data}`,
    );
  }

  #lookForLater(record: JournalRecord | undefined): void {
    const torn = this.#torn;
    if (record === undefined || torn === undefined || record.after <= (this.#seq ?? 0)) return;
    throw this.#damage(torn.line, "the record is not what was written", torn.file);
  }

  #damage(line: number, detail: string, file: string = this.#file): StoreError {
    return new StoreError("damaged", detail, { file, line, hint: damageHint });
  }
}
