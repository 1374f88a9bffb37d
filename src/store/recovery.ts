/**
 * How a start goes on in the journals of an earlier process: without a torn end, with all that was
 * read of them on disk before anybody sees it, and in a file that has no second name: `cp -al`
 * makes copies of a folder that share its files.
 *
 * Records of which the journals say that they reached the disk did so. Of the last batch they do
 * not say it: its process may have been killed before the fsync, or its fsync may have failed. Then
 * the kernel takes what it did not write for written; to sync the file, or to write the same once
 * more in its place (ext4), can claim success and change nothing. So a journal that holds a part of
 * that batch is copied into a new file, and that takes its name.
 */

import { join } from "node:path";
import { isOutOfSpace } from "../log/system-error.ts";
import { publish, removeTemporary, writeTemporary } from "./atomic-file.ts";
import { type FileSystem, type OpenFile, readPieces } from "./file-system.ts";
import { journalName } from "./journal-file.ts";
import type { Loaded } from "./loading.ts";

/** Resolves to the newest journal, open for writing, all of it on disk. */
export async function recover(
  files: FileSystem,
  folder: string,
  { journals, end, torn, unsure }: Pick<Loaded, "journals" | "end" | "torn" | "unsure">,
): Promise<OpenFile> {
  const pathOf = (number: number): string => join(folder, journalName(number));
  const { links } = await files.stat(pathOf(end.number));
  const first = unsure ?? (torn === undefined && links === 1 ? Infinity : end.number);
  const doubted = journals.filter((one) => one >= first);
  for (const number of doubted) {
    await renew(files, pathOf(number), number === end.number ? end.offset : Infinity);
  }
  if (doubted.length > 0) await files.syncFolder(folder);
  const last = await files.open(pathOf(end.number), "write");
  try {
    // For a mark: the answered records are on disk already, but its number must not be reused.
    await last.sync();
    return last;
  } catch (error) {
    await last.close().catch(() => {});
    throw error;
  }
}

/** Puts a copy of the first `length` bytes in the file's place. */
async function renew(files: FileSystem, path: string, length: number): Promise<void> {
  try {
    const file = await files.open(path, "read");
    await writeTemporary(files, path, readPieces(file, length)).finally(() => file.close());
    await publish(files, path);
  } catch (error) {
    const { links } = await files.stat(path);
    if (!isOutOfSpace(error) || links > 1) throw error;
    // Reads go on where there is no room for a copy: most often what is there is on disk.
    await removeTemporary(files, path);
    await syncInPlace(await files.open(path, "write"), length);
  }
}

async function syncInPlace(file: OpenFile, length: number): Promise<void> {
  try {
    if (length < Infinity) await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
}
