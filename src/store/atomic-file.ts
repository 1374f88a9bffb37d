/**
 * A file that is there whole or not at all: written under NAME.tmp, synced, renamed, and the folder
 * synced. A crash before the rename leaves NAME.tmp, which the next start removes.
 */

import { Buffer } from "node:buffer";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { type FileSystem, writeFully } from "./file-system.ts";

export const temporarySuffix = ".tmp";

/** What was written, to be recognised by. */
export interface Written {
  readonly bytes: number;
  readonly crc: number;
}

/** Bytes that may wait in the kernel: an fsync of more would hold up the journal's. */
const syncEveryBytes = 4_194_304;

/** Writes `path`.tmp and syncs it. On failure nothing is left behind. */
export async function writeTemporary(
  fileSystem: FileSystem,
  path: string,
  pieces: Iterable<Buffer>,
): Promise<Written> {
  const temporary = path + temporarySuffix;
  const file = await fileSystem.open(temporary, "replace");
  try {
    let bytes = 0;
    let crc = 0;
    let synced = 0;
    for (const piece of pieces) {
      await writeFully(file, piece, bytes);
      bytes += piece.length;
      crc = crc32(piece, crc);
      if (bytes - synced < syncEveryBytes) continue;
      await file.sync();
      synced = bytes;
    }
    await file.sync();
    await file.close();
    return { bytes, crc };
  } catch (error) {
    await file.close().catch(ignoreSecondFailure);
    await fileSystem.remove(temporary).catch(ignoreSecondFailure);
    throw error;
  }
}

/** Gives the temporary files of one folder their names. */
export async function publish(fileSystem: FileSystem, paths: readonly string[]): Promise<void> {
  for (const path of paths) await fileSystem.rename(path + temporarySuffix, path);
  const [first] = paths;
  if (first !== undefined) await fileSystem.syncFolder(dirname(first));
}

/** The first failure is the one that is reported. */
function ignoreSecondFailure(): void {}
