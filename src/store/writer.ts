/**
 * Writes changes to store.ndjson: accepts them one by one and sends them to disk in batches.
 *
 * Changes accepted while the disk is busy form the next batch: one write, one fdatasync, one
 * promise. A batch is written after the previous one was synced, which makes the `after` of its
 * lines (line.ts) true.
 */

import { codeOf } from "../log/system-error.ts";
import type { Change } from "./history.ts";
import { type FileSystem, writeFully } from "./file-system.ts";
import { closedLine, encodeLine, lineCapacity, type LineParts } from "./line.ts";
import { fileGone, fsyncFailed, StoreError } from "./store-error.ts";
import type { StoreFile } from "./store-file.ts";

/** Callbacks of the writer. */
interface WriterEvents {
  /** These changes are on disk. Called before their promise resolves. */
  durable(changes: readonly Change[]): void;
  /** Every change that is accepted but not durable has been dropped. */
  lost(): void;
  /** A write failed ("write-failed"), or no more writes are accepted (any other code). */
  failed(error: StoreError): void;
  /** An fsync of a batch begins. The writer calls the returned function when it ends. */
  syncing(): () => void;
}

interface WriterOptions {
  readonly files: FileSystem;
  /** The path that leads to the file. */
  readonly path: string;
  readonly file: StoreFile;
  /** The last change in the file. */
  readonly seq: number;
  readonly events: WriterEvents;
}

/** UTF-16 units that may wait for the disk. Beyond this, `append` throws "busy". */
const maxWaiting = 33_554_432;
/** A batch of this length (a few hundred writes) goes to disk without waiting for more changes. */
const maxGathered = 65_536;
const gatherMs = 4;
/** The buffer that batches are encoded in. A larger batch gets a buffer of its own. */
const encodeBufferBytes = 262_144;
/** Bytes encoded in a turn of the event loop: after a stuck disk, a batch can be far larger. */
const encodedInTurn = 1_048_576;
/** How long the path may lead elsewhere before writes are refused. */
const pathCheckMs = 1_000;
/** As large as a disk block: on a full disk a shorter write may fit into the file's last block. */
const roomNeeded = 4_096;

/** Changes that go to disk together, with one promise for all their writers. */
class Batch {
  readonly lines: LineParts[] = [];
  readonly changes: Change[] = [];
  /** The length of all data, in UTF-16 units. */
  length = 0;
  resolve!: () => void;
  reject!: (error: StoreError) => void;
  readonly done: Promise<void> = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // A batch that is dropped before its first change has nobody who waits for it.
    this.done.catch(() => {});
  }
}

export class Writer {
  file: StoreFile;
  readonly #files: FileSystem;
  readonly #path: string;
  readonly #events: WriterEvents;
  /** The seq of the last change accepted. */
  #seq: number;
  /** The seq of the last change in the file; all of it is synced: the `after` of the next batch. */
  #written: number;
  /** Below the first number of this start. */
  readonly #seqBefore: number;
  /** Collects changes while the batch before it is written. */
  #next = new Batch();
  #writing: Batch | undefined;
  readonly #memory: Buffer = Buffer.allocUnsafeSlow(encodeBufferBytes);
  /** To be done between two batches. */
  readonly #tasks: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #pathCheckedAt = -Infinity;
  /** The error of every later write, set after a failed fsync or a close. */
  #failure: StoreError | undefined;

  constructor({ files, path, file, seq, events }: WriterOptions) {
    this.file = file;
    this.#files = files;
    this.#path = path;
    this.#events = events;
    this.#written = seq;
    // The clock's milliseconds: after a backup is restored, no number of the past that it replaced
    // may come again, or a client of that past would resume in this one.
    this.#seqBefore = Math.max(seq, Date.now() - 1);
    this.#seq = this.#seqBefore;
  }

  /** The seq of the next change. */
  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** The seq of the last change in the file: every change up to it is durable. */
  get writtenSeq(): number {
    return this.#written;
  }

  /** The error of every later write; undefined while writes are accepted. */
  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /** The promise of the last accepted change; undefined if every change is durable. */
  get pending(): Promise<void> | undefined {
    const batch = this.#next.lines.length > 0 ? this.#next : this.#writing;
    return batch?.done;
  }

  /**
   * Accepts a change. The promise resolves once it is on disk.
   * Throws StoreError "busy", "refused" or "closed"; rejects with these, "write-failed" or
   * "unconfirmed".
   */
  append(change: Change, line: LineParts): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const batch = this.#next;
    if (batch.length > maxWaiting) {
      throw new StoreError("busy", "too many writes are waiting for the disk");
    }
    this.#seq = change.seq;
    batch.changes.push(change);
    batch.lines.push(line);
    batch.length += change.bytes;
    this.#running ??= this.#run();
    return batch.done;
  }

  /** Calls `task` between two batches, when every change in the file is durable. */
  between<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => {
        if (this.#failure !== undefined) return Promise.resolve(reject(this.#failure));
        return task().then(resolve, reject);
      });
      this.#running ??= this.#run();
    });
  }

  /** Goes on in this file. Call it between two batches. */
  swap(file: StoreFile): void {
    this.file.replaceBy(file);
    this.file = file;
  }

  /** Writes a block behind the end and cuts it off again. Rejects if there is no room for it. */
  tryRoom(): Promise<void> {
    return this.between(async () => {
      const { file, length } = this.file;
      await writeFully(file, Buffer.alloc(roomNeeded), length).finally(() => file.truncate(length));
    });
  }

  /**
   * Refuses all later writes if the path no longer leads to the file, or if the file was cut: the
   * next start would refuse what is written behind the cut. An error other than "no such file", as
   * for lack of descriptors, proves nothing, and is thrown only if `isStrict`.
   */
  async requirePath(isStrict: boolean): Promise<void> {
    this.#pathCheckedAt = performance.now();
    if (await this.#isAtPath(isStrict)) return;
    const failure = fileGone(this.#path);
    this.refuse(failure);
    throw failure;
  }

  /** The same during a rewrite too: the path may lead to the new file a moment before `file`. */
  async requirePathNow(): Promise<void> {
    if (!(await this.#isAtPath(false))) await this.between(() => this.requirePath(false));
  }

  async #isAtPath(isStrict: boolean): Promise<boolean> {
    try {
      const { id, size } = await this.#files.stat(this.#path);
      return id === this.file.id && size >= this.file.length;
    } catch (error) {
      const isGone = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
      if (!isGone && isStrict) throw error;
      return !isGone;
    }
  }

  /** Stops accepting writes, because something that later changes rely on has failed. */
  refuse(failure: StoreError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#events.failed(failure);
  }

  /** Stores all accepted changes and the closing line, then releases the file. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#failure === undefined) {
      this.#failure = new StoreError("closed", "the store is closed");
      const { file, length } = this.file;
      // All changes are durable. Without this line the next start only does more work.
      await writeFully(file, closedLine(this.#written), length)
        .then(() => file.sync())
        .catch(() => {});
    }
    await this.file.release();
  }

  async #run(): Promise<void> {
    for (;;) {
      const task = this.#tasks.shift();
      if (task !== undefined) await task();
      else if (this.#next.lines.length === 0) break;
      else {
        await this.#gather();
        await this.#store();
      }
    }
    this.#running = undefined;
  }

  /**
   * Waits as long as each turn of the event loop brings more changes, at least one turn and a few
   * milliseconds at most. An fsync takes as much CPU time as several requests, so a batch should
   * hold every write that has already arrived.
   */
  async #gather(): Promise<void> {
    const batch = this.#next;
    const end = performance.now() + gatherMs;
    for (let before = -1; batch.length > before && batch.length < maxGathered; ) {
      before = batch.length;
      await new Promise(setImmediate);
      if (performance.now() > end) return;
    }
  }

  /** Writes the current batch. Changes accepted meanwhile go into the next batch. */
  async #store(): Promise<void> {
    const batch = this.#next;
    this.#writing = batch;
    this.#next = new Batch();
    const { file } = this;
    const bytes = await this.#encode(batch);
    if (performance.now() - this.#pathCheckedAt >= pathCheckMs) {
      await this.requirePath(false).catch(() => {});
    }
    if (this.#failure !== undefined) return this.#drop(batch, this.#failure);
    try {
      await writeFully(file.file, bytes, file.length);
    } catch (cause) {
      return this.#undo(batch, cause);
    }
    const ended = this.#events.syncing();
    try {
      await file.file.sync();
    } catch (cause) {
      this.refuse(fsyncFailed("refused", cause));
      return this.#drop(batch, fsyncFailed("unconfirmed", cause));
    } finally {
      ended();
    }
    file.length += bytes.length;
    this.#written = batch.changes.at(-1)?.seq ?? this.#written;
    this.#writing = undefined;
    this.#events.durable(batch.changes);
    batch.resolve();
  }

  /** The batch's lines, valid until the next call. */
  async #encode({ lines }: Batch): Promise<Buffer> {
    let memory = this.#memory;
    let length = 0;
    let turnEnd = encodedInTurn;
    const after = this.#written;
    for (const line of lines) {
      if (length > turnEnd) {
        turnEnd = length + encodedInTurn;
        await new Promise(setImmediate);
      }
      const needed = length + lineCapacity(line);
      if (needed > memory.length) memory = Buffer.concat([memory.subarray(0, length)], needed * 2);
      length = encodeLine(line, after, memory, length);
    }
    return memory.subarray(0, length);
  }

  /**
   * A write failed. Drops the batch and every change accepted after it at once, so that new writes
   * are checked against the durable state. Cuts the file back and syncs it before the promises
   * reject, so that a power cut cannot bring a rejected write back.
   */
  async #undo(batch: Batch, cause: unknown): Promise<void> {
    const { file } = this;
    const waiting = this.#takeBack();
    const error = new StoreError("write-failed", "the write failed", { cause });
    this.#events.failed(error);
    try {
      await file.file.truncate(file.length);
      await file.file.sync();
    } catch (second) {
      this.refuse(fsyncFailed("refused", second));
      batch.reject(fsyncFailed("unconfirmed", second));
      waiting.reject(this.#failure ?? error);
      return;
    }
    batch.reject(error);
    waiting.reject(error);
  }

  /** Rejects the batch, which may be on disk, and every change accepted after it. */
  #drop(batch: Batch, error: StoreError): void {
    const waiting = this.#takeBack();
    batch.reject(error);
    waiting.reject(this.#failure ?? error);
  }

  #takeBack(): Batch {
    const waiting = this.#next;
    this.#seq = Math.max(this.#written, this.#seqBefore);
    this.#writing = undefined;
    this.#next = new Batch();
    this.#events.lost();
    return waiting;
  }
}
