/**
 * The journals' names, journal-000001.ndjson, journal-000002.ndjson, …, and their first record:
 *
 *     {"seq":0,"after":0,"event":"store.journal","data":{"format":1,"number":2},"crc":"…"}
 *
 * It takes no seq, so that the next journal can be prepared before it is known with which record
 * it will begin. It is on disk before any other record of its file is written. A journal that got
 * its name when it was complete (whole-journal.ts) says `"whole":true`: it goes up to its mark.
 */

import { Buffer } from "node:buffer";
import { encodeRecord, type JournalRecord, recordCapacity } from "./record.ts";

/** Raised when an older Forno could not read a journal. */
export const journalFormat = 1;

/** The first record of a journal. */
export const headerEvent = "store.journal";
/** An empty record: everything up to its `after` is on disk. */
export const markEvent = "store.mark";
/** Says length and checksum of every snapshot: snapshot.ts. */
export const snapshotEvent = "store.snapshot";

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

/** The first record of a journal. `isWhole`: it got its name when it was complete. */
export function headerRecord(number: number, isWhole = false): JournalRecord {
  const data = `{"format":${journalFormat},"number":${number}${isWhole ? ',"whole":true' : ""}}`;
  return { seq: 0, after: 0, event: headerEvent, data };
}

/** Says that every record up to `after` reached the disk; `seq` is its own number. */
export function markRecord(seq: number, after: number): JournalRecord {
  return { seq, after, event: markEvent, data: "{}" };
}

/** The line of a header. */
export function headerBytes(number: number, isWhole = false): Buffer {
  const record = headerRecord(number, isWhole);
  const buffer = Buffer.alloc(recordCapacity(record));
  return buffer.subarray(0, encodeRecord(record, buffer, 0));
}
