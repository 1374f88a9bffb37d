/**
 * The journals' names, journal-000001.ndjson, journal-000002.ndjson, …, and their first record:
 *
 *     {"seq":0,"after":0,"event":"store.journal","data":{"format":1,"number":2},"crc":"…"}
 *
 * It takes no seq, so that the next journal can be prepared before it is known with which record
 * it will begin. It is on disk before any other record of its file is written.
 *
 * A mark says that every record up to its `after` reached the disk, and when that was:
 *
 *     {"seq":13,"after":12,"event":"store.mark","data":{"at":"2026-01-31T18:00:00.000Z"},"crc":"…"}
 */

import type { Buffer } from "node:buffer";
import { type FileSystem, type OpenFile, writeFully } from "./file-system.ts";
import { type JournalRecord, recordBytes } from "./record.ts";

/** Raised when an older Forno could not read a journal. */
export const journalFormat = 1;

/** The first record of a journal. */
export const headerEvent = "store.journal";
/** Everything up to its `after` is on disk. */
export const markEvent = "store.mark";

/** `journal-000012.ndjson`. */
export function journalName(number: number): string {
  return `journal-${String(number).padStart(6, "0")}.ndjson`;
}

/** Undefined: the name is not a journal's. */
export function journalNumber(name: string): number | undefined {
  const match = /^journal-(\d{6,})\.ndjson$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** The numbers of the journals among a folder's names, oldest first. */
export function journalNumbers(names: readonly string[]): number[] {
  return names
    .flatMap((name) => journalNumber(name) ?? [])
    .sort((one, other) => one - other);
}

/** The first record of a journal. */
export function headerRecord(number: number): JournalRecord {
  const data = `{"format":${journalFormat},"number":${number}}`;
  return { seq: 0, after: 0, event: headerEvent, data };
}

/** Says that every record up to `after` reached the disk; `seq` is its own number. */
export function markRecord(seq: number, after: number): JournalRecord {
  return { seq, after, event: markEvent, data: `{"at":"${new Date().toISOString()}"}` };
}

/** The line of a header. */
export function headerBytes(number: number): Buffer {
  return recordBytes(headerRecord(number));
}

/** Makes a journal whose header, of `length` bytes, is on disk. Its name is not until a sync. */
export async function createJournal(
  files: FileSystem,
  path: string,
  number: number,
): Promise<{ readonly file: OpenFile; readonly length: number }> {
  const header = headerBytes(number);
  const file = await files.open(path, "replace");
  try {
    await writeFully(file, header, 0);
    await file.sync();
    return { file, length: header.length };
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}
