/**
 * Rewrites store.ndjson without its history, while writes go on. A crash can fall between any two
 * steps:
 *
 *  1. Take a snapshot of the tables (at change S) and note the file's durable length L.
 *  2. Write header (S) and resources to store.ndjson.tmp, a piece at a time with pauses, and sync.
 *  3. Copy what the old file gained since L, until less than 64 KiB is left, at most ten times.
 *  4. Between two batches: copy the rest, sync, see that the path still leads to the old file,
 *     rename, sync the folder, and use the new file from now on.
 *
 * If a step before the rename fails, the old file is whole and in use, and the error is logged. If
 * the last sync fails, nobody knows which file a power cut leaves: no more writes are accepted.
 */

import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Log } from "../log/log.ts";
import {
  appendPieces,
  dropTemporary,
  type FileSystem,
  readPieces,
  temporaryName,
} from "./file-system.ts";
import { jsonOf } from "./stored-kind.ts";
import { encodeLine, headerLine, lineCapacity } from "./line.ts";
import { fsyncFailed, StoreError } from "./store-error.ts";
import { StoreFile } from "./store-file.ts";
import type { Snapshot, Tables } from "./tables.ts";
import type { Writer } from "./writer.ts";

interface RewritingOptions {
  readonly files: FileSystem;
  /** The path of store.ndjson. */
  readonly path: string;
  readonly tables: Tables;
  readonly writer: Writer;
  readonly log: Log;
  /** A file is rewritten when it is larger than this, and twice its resources. */
  readonly rewriteBytes: number;
}

/** Between two pieces of 64 KiB, so that requests go first. */
const pauseMs = 3;
/** Left for the last step, during which writes wait. */
const maxRest = 65_536;
const maxRounds = 10;

export class Rewriting {
  readonly #options: RewritingOptions;
  /** After a failure: the length at which to try again. */
  #retryAt = 0;
  #running: Promise<void> | undefined;
  #isClosing = false;

  constructor(options: RewritingOptions) {
    this.#options = options;
  }

  startIfDue(): void {
    if (this.#running !== undefined || this.#isClosing) return;
    const { writer, rewriteBytes } = this.#options;
    const { length, changesStart } = writer.file;
    if (length > Math.max(rewriteBytes, 2 * changesStart, this.#retryAt)) void this.now();
  }

  /** Rewrites the file now, or joins a rewrite under way. A failure is only logged. */
  now(): Promise<void> {
    this.#running ??= this.#rewrite()
      .catch((cause: unknown) => {
        // Given up by a stop, which is no failure: the old file has everything.
        if (cause instanceof StoreError && cause.code === "closed") return;
        const { writer, rewriteBytes, log } = this.#options;
        this.#retryAt = writer.file.length + rewriteBytes;
        log.error("rewriting the store's file failed; nothing is lost", { cause });
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Gives up a rewrite under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#running;
  }

  async #rewrite(): Promise<void> {
    const { files, path, tables, writer } = this.#options;
    // Another store's temporary file may lie there now.
    await writer.requirePath();
    const old = writer.file;
    const snapshot = tables.snapshot(writer.writtenSeq);
    let copied = old.length;
    const file = await files.open(temporaryName(path), "replace");
    try {
      const changesStart = await appendPieces(file, 0, this.#pieces(snapshot));
      let length = changesStart;
      const copyOn = async (): Promise<void> => {
        this.#requireOpen();
        const end = old.length;
        length = await appendPieces(file, length, readPieces(old.file, copied, end));
        copied = end;
      };
      for (let round = 0; round < maxRounds && old.length - copied > maxRest; round += 1) {
        await copyOn();
      }
      await writer.between(async () => {
        await copyOn();
        const { id } = await file.stat();
        await writer.requirePath();
        await this.#publish(old.id, id);
        writer.swap(new StoreFile({ file, id, seq: snapshot.seq, changesStart, length }));
      });
    } catch (error) {
      // After a rename, the path of the temporary file leads nowhere.
      await dropTemporary(files, path, file);
      throw error;
    }
  }

  /** Renames the new file and syncs the folder. Rejects if the old file stays in use. */
  async #publish(oldId: string, newId: string): Promise<void> {
    const { files, path, writer } = this.#options;
    // Opened before the rename: a lack of descriptors must not leave the rename unsynced.
    const folder = await files.openFolder(dirname(path));
    try {
      await files.rename(temporaryName(path), path).catch(async (cause: unknown) => {
        // A rename that reports a failure may have happened.
        const found = await files.stat(path).catch(() => undefined);
        if (found?.id === newId) return;
        if (found?.id !== oldId) writer.refuse(fsyncFailed("refused", cause));
        throw cause;
      });
      await folder.sync().catch((cause: unknown) => {
        writer.refuse(fsyncFailed("refused", cause));
        throw cause;
      });
    } finally {
      await folder.close().catch(() => {});
    }
  }

  /** Throws StoreError "closed" once the store begins to close. */
  async *#pieces(snapshot: Snapshot): AsyncGenerator<Buffer, void> {
    let isFirst = true;
    for (const piece of storePieces(snapshot)) {
      if (!isFirst) await setTimeout(pauseMs);
      isFirst = false;
      this.#requireOpen();
      yield piece;
    }
  }

  #requireOpen(): void {
    if (this.#isClosing) throw new StoreError("closed", "the store is closing");
  }
}

/** Bytes in a piece, and of the buffer that it is made in. */
const pieceBytes = 65_536;
const bufferBytes = 262_144;

/** The file's header and resources. Each piece is valid until the next one. */
export function* storePieces({ seq, lists }: Snapshot): Generator<Buffer, void> {
  const resources = lists.reduce((sum, { rows }) => sum + rows.length, 0);
  let buffer = Buffer.allocUnsafeSlow(bufferBytes);
  let length = headerLine({ seq, resources, at: new Date().toISOString() }).copy(buffer);
  for (const { kind, rows } of lists) {
    const event = `${kind.name}.created`;
    for (const row of rows) {
      const kept: string | undefined = JSON.stringify(row.kept);
      const line = { seq: row.seq, event, data: jsonOf(kind, row), kept };
      const needed = lineCapacity(line);
      if (length > pieceBytes || length + needed > buffer.length) {
        yield buffer.subarray(0, length);
        length = 0;
      }
      if (needed > buffer.length) buffer = Buffer.allocUnsafeSlow(needed);
      length = encodeLine(line, undefined, buffer, length);
    }
  }
  yield buffer.subarray(0, length);
}
