/**
 * A file that is there whole or not at all: written under NAME.tmp, synced, renamed, and the folder
 * synced. A crash before the rename leaves NAME.tmp, which the next start removes.
 */

import { Buffer } from "node:buffer";
import { type FileSystem, type OpenFile, writeFully } from "./file-system.ts";

export const temporarySuffix = ".tmp";

/** Bytes that may wait in the kernel: an fsync of more would hold up the journal's. */
const syncEveryBytes = 1_048_576;

/** Writes `path`.tmp and syncs it. On failure nothing is left behind. */
export async function writeTemporary(
  fileSystem: FileSystem,
  path: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  const temporary = path + temporarySuffix;
  const file = await fileSystem.open(temporary, "replace");
  try {
    // Closed once, whatever happens: the handle's number may be another file's by the second time.
    await writeAll(file, pieces).finally(() => file.close());
  } catch (error) {
    await removeTemporary(fileSystem, path);
    throw error;
  }
}

async function writeAll(
  file: OpenFile,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  let bytes = 0;
  let synced = 0;
  for await (const piece of pieces) {
    await writeFully(file, piece, bytes);
    bytes += piece.length;
    if (bytes - synced < syncEveryBytes) continue;
    await file.sync();
    synced = bytes;
  }
  await file.sync();
}

/** Gives a temporary file its name, which is durable once the folder has been synced. */
export function publish(fileSystem: FileSystem, path: string): Promise<void> {
  return fileSystem.rename(path + temporarySuffix, path);
}

/** Gives a temporary file up; one that cannot be removed now goes at the next start. */
export async function removeTemporary(fileSystem: FileSystem, path: string): Promise<void> {
  await fileSystem.remove(path + temporarySuffix).catch(() => {});
}
