/**
 * Reads a folder's files, the document and the journals since; and prepares the journals for a
 * start to go on in.
 *
 * Loading changes nothing, and finds the same state wherever a crash fell between the steps in
 * snapshotting.ts: records that the document holds are read over.
 *
 * Recovery leaves no torn end, brings all that was read to disk before anybody sees it, and goes on
 * in a file that has no second name: `cp -al` makes copies of a folder that share its files.
 * Records of which the journals say that they reached the disk did so. Of the last batch they do
 * not say it: its process may have been killed before the fsync, or its fsync may have failed. Then
 * the kernel takes what it did not write for written; to sync the file, or to write the same once
 * more in its place (ext4), can claim success and change nothing. So a journal that holds a part of
 * that batch is copied into a new file, and that takes its name.
 */

import { join } from "node:path";
import { isOutOfSpace } from "../log/system-error.ts";
import { type Change, Changes } from "./changes.ts";
import { documentName } from "./document.ts";
import { DocumentError, faultOf } from "./document-error.ts";
import { type DocumentHead, DocumentLines } from "./document-lines.ts";
import {
  type FileSystem,
  type OpenFile,
  publish,
  readPieces,
  removeTemporary,
  writeTemporary,
} from "./file-system.ts";
import { Filling } from "./filling.ts";
import { journalName, type JournalRecord } from "./journal-file.ts";
import { readLines } from "./line-reader.ts";
import type { Place } from "./lock.ts";
import { replay, type Replayed } from "./replay.ts";
import { damageHint, newerHint, StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/** What the files of a folder hold, apart from the rows, which went into the tables. */
interface Loaded extends Replayed {
  /** Every record up to this one is in the document. */
  readonly documentSeq: number;
  readonly documentBytes: number;
  readonly changes: Changes;
  /** The numbers of the journals that count, oldest first; the last one is the current one. */
  readonly journals: readonly number[];
}

/** All that a start has found or made: what a Store goes on from. */
export interface Opened extends Place, Loaded {
  readonly isNew: boolean;
  readonly tables: Tables;
  /** The current journal, and the bytes in those before it. */
  readonly file: OpenFile;
  readonly olderBytes: number;
}

/** Reads the document and the journals of these numbers. Throws StoreError "damaged". */
export async function load(
  place: Place,
  numbers: readonly number[],
  tables: Tables,
): Promise<Loaded> {
  const filling = new Filling(tables);
  const { head, bytes: documentBytes } = await loadDocument(place, filling);
  const documentSeq = head.seq;
  tables.setVersion(documentSeq);
  const changes = new Changes(head.lastChange);
  const replayed = await replay(place, numbers, documentSeq, (record, file, line) => {
    if (!record.event.startsWith("store.")) changes.add(applied(filling, record, file, line));
  });
  const { end } = replayed;
  // Marks that came since take numbers too, which no change may have.
  changes.last = end.seq;
  const journals = numbers.filter((one) => one <= end.number);
  return { ...replayed, documentSeq, documentBytes, changes, journals };
}

async function loadDocument(
  { folder, files }: Place,
  filling: Filling,
): Promise<{ readonly head: DocumentHead; readonly bytes: number }> {
  const path = join(folder, documentName);
  const { bytes } = await files.stat(path);
  const file = await files.open(path, "read");
  try {
    const lines = new DocumentLines(documentName, (kind, members) => filling.put(kind, members));
    await readLines(file, (line) => lines.take(line));
    return { head: lines.requireSealed(), bytes };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { line, detail, isDamage } = error;
    const options = { file: documentName, hint: isDamage ? damageHint : newerHint };
    throw new StoreError("damaged", detail, line === undefined ? options : { ...options, line });
  } finally {
    await file.close();
  }
}

function applied(filling: Filling, record: JournalRecord, file: string, line: number): Change {
  try {
    return filling.apply(record);
  } catch (error) {
    const detail = `expected a record this version knows, got ${record.event}: ${faultOf(error)}`;
    throw new StoreError("damaged", detail, { file, line, hint: newerHint });
  }
}

/** Resolves to the newest journal, open for writing, all of it on disk. */
export async function recover(
  { folder, files }: Place,
  { journals, end, torn, unsure }: Loaded,
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
