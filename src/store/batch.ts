/** The records that go to disk together, encoded as they come, and the promise they share. */

import { Buffer } from "node:buffer";
import { encodeRecord, type JournalRecord, recordCapacity } from "./journal-file.ts";

/** Memory that a batch starts with, and that is kept for the next ones. */
const keptBytes = 16_384;

/** T: what the caller attaches to a record. */
export class Batch<T> {
  readonly payloads: T[] = [];
  readonly done: Deferred<void> = deferred<void>();
  /** False for a batch that only holds a mark. */
  needsSync = false;
  #buffer: Buffer;
  #length = 0;

  constructor(buffer: Buffer = Buffer.allocUnsafeSlow(keptBytes)) {
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

  /** An empty batch in this one's memory, which is no longer needed. */
  next(): Batch<T> {
    return new Batch(this.#buffer.length > keptBytes * 64 ? undefined : this.#buffer);
  }

  add(record: JournalRecord): void {
    const needed = this.#length + recordCapacity(record);
    if (needed > this.#buffer.length) {
      this.#buffer = Buffer.concat([this.bytes], needed * 2);
    }
    this.#length = encodeRecord(record, this.#buffer, this.#length);
  }
}

/** A promise and the two functions that settle it: Promise.withResolvers of Node 22. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** A pending promise. */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((whenDone, whenFailed) => {
    resolve = whenDone;
    reject = whenFailed;
  });
  return { promise, resolve, reject };
}
