/**
 * Writes store.ndjson afresh at a start, beside the old file, and replaces the old file. So
 * everything that a start shows is on disk, because the start has written and synced it itself.
 * After a failed fsync the kernel's memory may show bytes that the disk does not have, and neither
 * another sync nor the same bytes in place would repair that. If writing afresh fails, the old file
 * is as it was.
 *
 * Without room for a fresh file a start goes on with the old one, so that a shop on a full disk can
 * be read. What it shows then was synced by the start or the write before.
 */

import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { isOutOfSpace } from "../log/system-error.ts";
import {
  type FileStat,
  type FileSystem,
  findFile,
  type OpenFile,
  readAll,
  replaceFile,
} from "./file-system.ts";
import { headerLine, lineOf, storeName } from "./line.ts";
import type { StoreRead } from "./reading.ts";
import { jsonOf } from "./row.ts";
import { StoreError } from "./store-error.ts";
import { StoreFile } from "./store-file.ts";
import type { Tables } from "./tables.ts";

/** The file that a fresh one replaces, opened to be read. */
export interface OldFile extends FileStat {
  readonly file: OpenFile;
}

/** The content of a fresh file. Each piece is valid until the next one. */
export interface FreshContent {
  pieces(): Iterable<Buffer> | AsyncIterable<Buffer>;
  /** The bytes of all pieces. */
  countBytes(): number;
}

/** Resolves to the fresh file, open to append. `old`: the file that it replaces, if any. */
export async function writeFresh(
  files: FileSystem,
  path: string,
  old: OldFile | undefined,
  content: FreshContent,
): Promise<StoreFile> {
  const pieces = async function* (): AsyncGenerator<Buffer, void> {
    const free = await files.freeBytes(dirname(path));
    const needed = content.countBytes();
    if (free < needed) throw new NoRoom(needed, free);
    yield* content.pieces();
  };
  const check = async (): Promise<void> => {
    const found = await findFile(files, path);
    if (found?.id === old?.id) return;
    const hint = "Nothing was changed. Find out who else uses the folder, then start again";
    throw new StoreError("damaged", "it was replaced during the start", { file: storeName, hint });
  };
  try {
    const file = await replaceFile(files, path, pieces(), { access: old, check });
    return new StoreFile(file, await file.stat());
  } catch (error) {
    throw isOutOfSpace(error) ? new NoRoom(content.countBytes()) : error;
  }
}

/** There is no room for a fresh file. */
export class NoRoom extends StoreError {
  constructor(needed: number, free?: number) {
    const found = free === undefined ? "there are fewer" : `${free} are free`;
    const detail = `each start writes the file afresh, which needs ${needed} bytes on its disk`;
    super("unusable", `${detail}, and ${found}`, {
      file: storeName,
      hint: "Nothing was changed. Free some room, then start again",
    });
  }
}

/**
 * Opens the old file to append to it, cut to its good bytes, and synced. Rejects with `reason`, why
 * there is no fresh one, if the path does not lead to the old one.
 */
export async function reuseOld(
  files: FileSystem,
  path: string,
  old: OldFile,
  end: number,
  reason: NoRoom,
): Promise<StoreFile> {
  const file = await files.openToAppend(path);
  try {
    const { id, size } = await file.stat();
    if (id !== old.id || size < end) throw reason;
    if (size > end) await file.truncate(end);
    await file.sync();
    await files.syncFolder(dirname(path));
    return new StoreFile(file, { id, size: end });
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

/** A copy of the good bytes of a file. */
export function copyOf({ file }: OldFile, { end, crc }: StoreRead): FreshContent {
  return {
    countBytes: () => end,
    async *pieces() {
      let read = 0;
      let crcAgain = 0;
      for await (const piece of readAll(file)) {
        if (read < end) yield piece.subarray(0, end - read);
        read += piece.length;
        crcAgain = crc32(piece, crcAgain);
      }
      // Between the two readings the kernel may have dropped pages that the disk did not have.
      if (crcAgain === crc) return;
      const hint = "Nothing was changed. Start again, and check the disk if that happens twice";
      throw new StoreError("damaged", "it changed during the start", { file: storeName, hint });
    },
  };
}

/** The approximate length of a piece, in UTF-16 units. */
const pieceLength = 262_144;

/** A new header, and the resources as they are now. */
export function resourcesOf(tables: Tables, seq: number): FreshContent {
  return {
    countBytes() {
      let sum = 0;
      for (const piece of piecesOf(tables, seq)) sum += piece.length;
      return sum;
    },
    pieces: () => piecesOf(tables, seq),
  };
}

function* piecesOf(tables: Tables, seq: number): Generator<Buffer, void> {
  let text = headerLine({ seq, resources: tables.length, at: new Date().toISOString() });
  for (const { kind, table } of tables.all) {
    const event = `${kind.name}.created`;
    for (const row of table.rows) {
      text += lineOf({ seq: row.seq, event, data: jsonOf(row), kept: JSON.stringify(row.kept) });
      if (text.length < pieceLength) continue;
      yield Buffer.from(text);
      text = "";
    }
  }
  yield Buffer.from(text);
}
