/**
 * Writes changes to store.ndjson: accepts those of one write at a time and sends them to disk in
 * batches.
 *
 * A change waits, is written with its batch, and is then durable; or it is dropped, together with
 * every change accepted after it. Changes accepted while the disk is busy form the next batch: one
 * write, one promise. The write of a batch waits for the disk (O_DSYNC), and begins when the batch
 * before it is on disk, which makes the `after` of its lines (line.ts) true.
 *
 * A write that finds no room, or not enough, is cut off the file again, and the next one may
 * succeed. After any other error nobody knows what is on disk, so the writer refuses every later
 * change. It refuses them, too, if the path leads to another file, if the file does not have the
 * length that was written, because somebody has cut it, and if somebody has removed the lock.
 */

import type { Log } from "../log/log.ts";
import { isOutOfSpace } from "../log/system-error.ts";
import { Batch } from "./batch.ts";
import { type FileSystem, findFile } from "./file-system.ts";
import { storeName } from "./line.ts";
import type { Lock } from "./lock.ts";
import type { Change } from "./row.ts";
import { StoreError, syncFailed, unconfirmed } from "./store-error.ts";
import type { StoreFile } from "./store-file.ts";

interface WriterOptions {
  readonly files: FileSystem;
  readonly lock: Lock;
  /** The path that leads to the file. */
  readonly path: string;
  readonly file: StoreFile;
  /** The last change in the file. */
  readonly seq: number;
  readonly log: Log;
  /** Called after each write of a batch to disk with the seconds it took. */
  readonly onSync: (seconds: number) => void;
  /** These changes are on disk. Called before their promise resolves. */
  readonly onDurable: (changes: readonly Change[]) => void;
  /** Every change that is accepted but not durable has been dropped. */
  readonly onDropped: () => void;
}

/** UTF-16 units that may wait for the disk: as many as are encoded in a few milliseconds. */
const maxWaiting = 8_388_608;
/** A batch of this length (a few hundred writes) goes to disk without waiting for more changes. */
const maxGathered = 65_536;
const gatherMs = 4;
/** How long the path may lead elsewhere before writes are refused. */
const pathCheckMs = 1_000;
/** For this long after a failed write, the next one is expected to fail too. */
const failureMs = 5_000;

export class Writer {
  readonly #options: WriterOptions;
  /** The seq of the last change accepted. */
  #seq: number;
  /** The seq of the last change in the file; all of it is synced: the `after` of the next batch. */
  #written: number;
  /** The numbers of this start are above it. */
  readonly #seqFloor: number;
  /** Collects changes while the batch before it is written. */
  #waiting = new Batch();
  #writing: Batch | undefined;
  #running: Promise<void> | undefined;
  #pathCheckedAt = -Infinity;
  /** True if the last batch could not be written. */
  #isFailing = false;
  #failedAt = -Infinity;
  /** The error of every later write, set after a failed sync or a close. */
  #refusal: StoreError | undefined;

  constructor(options: WriterOptions) {
    const { seq } = options;
    this.#options = options;
    this.#written = seq;
    // The clock's milliseconds: after a backup is restored, no number of the past that it replaced
    // may come again, or a client of that past would resume in this one.
    this.#seqFloor = Math.max(seq, Date.now() - 1);
    this.#seq = this.#seqFloor;
  }

  /** The seq of the next change. */
  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** The promise of the last accepted change; undefined if every change is durable. */
  get pending(): Promise<void> | undefined {
    const batch = !this.#waiting.isEmpty ? this.#waiting : this.#writing;
    return batch?.done;
  }

  /** Throws the error of every later write, if there is one. */
  requireAccepting(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /**
   * Accepts the changes of a write, at least one. All of them are in one batch. The promise
   * resolves once they are on disk.
   * Throws StoreError "busy", "refused" or "closed"; rejects with these, "write-failed" or
   * "unconfirmed".
   */
  append(changes: readonly Change[]): Promise<void> {
    this.requireAccepting();
    const batch = this.#waiting;
    if (batch.length > maxWaiting) {
      throw new StoreError("busy", "too many writes are waiting for the disk");
    }
    this.#seq += changes.length;
    batch.add(changes);
    this.#running ??= this.#run();
    return batch.done;
  }

  /** Throws StoreError if the next write will fail, as far as the writes before it tell. */
  requireHealthy(): void {
    this.requireAccepting();
    if (performance.now() - this.#failedAt > failureMs) return;
    throw new StoreError("write-failed", "a write has failed in the last five seconds");
  }

  /** Stores all accepted changes, then closes the file. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    this.#refusal ??= new StoreError("closed", "the store is closed");
    // All changes are durable, so a failed close does no harm.
    await this.#options.file.file.close().catch(() => {});
  }

  async #run(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      await this.#gather();
      await this.#store();
    }
    this.#running = undefined;
  }

  /**
   * Waits as long as each turn of the event loop brings more changes, at least one turn and a few
   * milliseconds at most. A write to disk takes as much CPU time as several requests, so a batch
   * should hold every change that has already arrived.
   */
  async #gather(): Promise<void> {
    const batch = this.#waiting;
    const end = performance.now() + gatherMs;
    let before = -1;
    while (batch.length > before && batch.length < maxGathered) {
      before = batch.length;
      await new Promise(setImmediate);
      if (performance.now() > end) return;
    }
  }

  /** Writes the waiting batch. Changes accepted meanwhile go into the next batch. */
  async #store(): Promise<void> {
    const batch = this.#waiting;
    this.#writing = batch;
    this.#waiting = new Batch();
    const { file } = this.#options;
    const bytes = batch.encode(this.#written);
    await this.#checkPath();
    if (this.#refusal !== undefined) {
      this.#drop(this.#refusal);
      return batch.reject(this.#refusal);
    }
    const failure = await this.#write(bytes);
    if (failure !== undefined) {
      const error = new StoreError("write-failed", "the write failed", { cause: failure });
      this.#drop(error);
      // A line for each failed write could fill the rest of the disk.
      if (!this.#isFailing) this.#logFailure(error);
      this.#isFailing = true;
      this.#failedAt = performance.now();
      return batch.reject(await this.#cutBack(error));
    }
    if (this.#refusal !== undefined) {
      this.#drop(this.#refusal);
      return batch.reject(unconfirmed(this.#refusal));
    }
    file.length += bytes.length;
    const { changes } = batch;
    this.#written = changes.at(-1)?.seq ?? this.#written;
    this.#writing = undefined;
    if (this.#isFailing) this.#options.log.error("writes are stored again");
    this.#isFailing = false;
    this.#options.onDurable(changes);
    batch.resolve();
  }

  /** Resolves to the reason if the disk has no room for all bytes. Refuses after other errors. */
  async #write(bytes: Buffer): Promise<unknown> {
    const { file: { file, length }, onSync } = this.#options;
    const began = performance.now();
    try {
      for (let done = 0; done < bytes.length;) {
        // Node hides the error that may be behind a short count, and the file may have more bytes
        // than were counted. They are cut off, and the write of the rest tells the error.
        const end = length + done;
        if (done > 0 && (await file.stat()).size > end) await file.truncate(end);
        const count = await file.write(bytes.subarray(done));
        if (count === 0) return new Error(`the disk took ${done} of ${bytes.length} bytes`);
        done += count;
      }
      onSync((performance.now() - began) / 1_000);
      if ((await file.stat()).size !== length + bytes.length) this.#refuse(notAtPath());
    } catch (cause) {
      if (isOutOfSpace(cause)) return cause;
      this.#refuse(syncFailed(cause));
    }
    return undefined;
  }

  /**
   * Drops every accepted change at once, so that new ones are checked against the durable state.
   * Rejects those that wait; the batch that is written may be on disk.
   */
  #drop(error: StoreError): void {
    const waiting = this.#waiting;
    this.#seq = Math.max(this.#written, this.#seqFloor);
    this.#writing = undefined;
    this.#waiting = new Batch();
    this.#options.onDropped();
    waiting.reject(error);
  }

  /**
   * Cuts off what a failed write has left, and syncs that before its promise rejects: a power cut
   * must not bring a rejected write back. Resolves to the error of the write.
   */
  async #cutBack(error: StoreError): Promise<StoreError> {
    const { file: { file, length } } = this.#options;
    try {
      const { size } = await file.stat();
      if (size >= length) {
        await file.truncate(length);
        await file.sync();
        return error;
      }
      // Somebody has cut the file, and a truncation would lengthen it with zeros.
      return unconfirmed(this.#refuse(notAtPath()));
    } catch (cause) {
      return unconfirmed(this.#refuse(syncFailed(cause)));
    }
  }

  /**
   * Refuses this write and all later ones if the lock was removed; and, at most once a second, if
   * the path does not lead to the file, or if the file was cut.
   */
  async #checkPath(): Promise<void> {
    const { files, lock, path, file } = this.#options;
    const now = performance.now();
    const isHeld = lock.isHeld();
    if (isHeld && now - this.#pathCheckedAt < pathCheckMs) return;
    this.#pathCheckedAt = now;
    try {
      const found = await findFile(files, path);
      if (found?.id !== file.id || found.size < file.length) this.#refuse(notAtPath());
    } catch {
      // An error of the call proves nothing.
    }
    if (!isHeld) this.#refuse(lockRemoved());
  }

  /** Accepts no more writes, because something that they would rely on has failed. */
  #refuse(error: StoreError): StoreError {
    if (this.#refusal === undefined) this.#logFailure(error);
    this.#refusal ??= error;
    return this.#refusal;
  }

  #logFailure(error: StoreError): void {
    const { code, hint } = error;
    this.#options.log.error("writes fail", { code, cause: error, hint });
  }
}

function lockRemoved(): StoreError {
  const fault = "the lock of the store's folder was removed";
  return new StoreError("refused", `${fault}; no write is accepted until a restart`, {
    hint: "Make sure that no second server uses the folder, then restart",
  });
}

/** Without the path, because /readyz shows it to anyone. */
function notAtPath(): StoreError {
  const fault = `${storeName} was moved, replaced, cut or removed`;
  return new StoreError("refused", `${fault}; no write is accepted until a restart`, {
    hint:
      "Save GET /api/backup first, which still has everything, unless the file was cut. Then put " +
      "it there and restart, or restart to use the file that is there now",
  });
}
