/**
 * `load` reads the document and the journals into tables and changes no file. `recover` then makes
 * the journals safe to continue.
 *
 * A crash between two steps of a snapshot (snapshotting.ts) does no harm: `load` skips the records
 * that the document already includes.
 *
 * `recover` cuts off a torn end and syncs everything that was read before anyone sees it. It never
 * writes to a file with a second hard link, because `cp -al` copies of a folder share its files.
 *
 * The last batch needs care. No later record vouches for it: its process may have been killed
 * before the fsync, or the fsync may have failed. After a failed fsync the kernel treats the lost
 * pages as written; another sync, or the same write again in place (on ext4), can report success
 * and change nothing. So journals that hold a part of that batch are copied to a new file, which
 * then takes the name.
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
import type { LockedFolder } from "./lock.ts";
import { replay, type Replayed } from "./replay.ts";
import { damageHint, newerHint, StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/** The state of the files after loading. The rows are in the tables. */
interface Loaded extends Replayed {
  /** The document includes every record up to this one. */
  readonly documentSeq: number;
  readonly documentBytes: number;
  readonly changes: Changes;
  /** The numbers of the journals in use, oldest first; the last is the current one. */
  readonly journals: readonly number[];
}

/** The open files and loaded state that a Store begins with. */
export interface Opened extends LockedFolder, Loaded {
  readonly isNew: boolean;
  readonly tables: Tables;
  /** The current journal, open for writing. `olderBytes`: the size of all earlier journals. */
  readonly file: OpenFile;
  readonly olderBytes: number;
}

/** Reads the document and the journals of these numbers. Throws StoreError "damaged". */
export async function load(
  locked: LockedFolder,
  numbers: readonly number[],
  tables: Tables,
): Promise<Loaded> {
  const filling = new Filling(tables);
  const { head, bytes: documentBytes } = await loadDocument(locked, filling);
  const documentSeq = head.seq;
  tables.setVersion(documentSeq);
  const changes = new Changes(head.lastChange);
  const replayed = await replay(locked, numbers, documentSeq, (record, file, line) => {
    if (record.event.startsWith("store.")) return;
    const change = applied(filling, record, file, line);
    if (tables.named(change.kind)?.kind.isHidden !== true) changes.add(change);
  });
  const { end } = replayed;
  // Marks have numbers too. No later change may reuse them.
  changes.last = end.seq;
  const journals = numbers.filter((one) => one <= end.number);
  return { ...replayed, documentSeq, documentBytes, changes, journals };
}

async function loadDocument(
  { folder, files }: LockedFolder,
  filling: Filling,
): Promise<{ readonly head: DocumentHead; readonly bytes: number }> {
  const path = join(folder, documentName);
  const { bytes } = await files.stat(path);
  try {
    const lines = new DocumentLines(documentName, (kind, members) => filling.put(kind, members));
    await readLines(files, path, (line) => lines.take(line));
    return { head: lines.requireSealed(), bytes };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { line, detail, isDamage } = error;
    const hint = isDamage ? damageHint : newerHint;
    throw new StoreError("damaged", detail, { file: documentName, line, hint });
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

/** Resolves to the newest journal, synced and open for writing. */
export async function recover(
  { folder, files }: LockedFolder,
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
    // The last record may be an unsynced mark, and its number must not be reused.
    await last.sync();
    return last;
  } catch (error) {
    await last.close().catch(() => {});
    throw error;
  }
}

/** Replaces the file by a copy of its first `length` bytes. */
async function renew(files: FileSystem, path: string, length: number): Promise<void> {
  try {
    const file = await files.open(path, "read");
    await writeTemporary(files, path, readPieces(file, length)).finally(() => file.close());
    await publish(files, path);
  } catch (error) {
    const { links } = await files.stat(path);
    if (!isOutOfSpace(error) || links > 1) throw error;
    // No room for a copy. Sync in place, so that reads can go on: the data is most likely on disk.
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
