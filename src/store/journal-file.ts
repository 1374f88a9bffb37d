/**
 * The journal's format: encodes and decodes records, one a line, and names the files
 * (journal-000001.ndjson, journal-000002.ndjson, …).
 *
 *     {"seq":12,"after":10,"event":"orders.created","data":{…},"crc":"1c291ca3"}
 *
 * seq    rises by one from record to record, across all journals; also the id of the event.
 * after  when this record was written, every record up to `after` was on disk. replay.ts uses it
 *        to distinguish a torn end (left by a power cut) from damage.
 * event  KIND.created, KIND.updated or KIND.deleted; or store.journal (the header), store.mark.
 * data   the resource as in the document (rows.ts); after a delete, {"id":…}.
 * crc    checksum.ts, of all bytes of the line before it.
 *
 * Every journal begins with a header, which is synced before any other record is written. A header
 * has no seq of its own, so the next journal can be prepared while the current one still grows.
 * A mark records that every record up to its `after` is on disk, and when that was known.
 *
 *     {"seq":0,"after":0,"event":"store.journal","data":{"format":1,"number":2},"crc":"…"}
 *     {"seq":13,"after":12,"event":"store.mark","data":{"at":"2026-01-31T18:00:00.000Z"},"crc":"…"}
 */

import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { checksumBytes, isChecksum, writeChecksum } from "./checksum.ts";

/** `journal-000012.ndjson`. */
export function journalName(number: number): string {
  return `journal-${String(number).padStart(6, "0")}.ndjson`;
}

/** The number in a journal's name; undefined for any other name. */
export function journalNumber(name: string): number | undefined {
  const match = /^journal-(\d{6,})\.ndjson$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** One line of the journal. */
export interface JournalRecord {
  readonly seq: number;
  readonly after: number;
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

const comma = 0x2c;
const closeBrace = 0x7d;
const newline = 0x0a;

/** An upper bound of a record's bytes: three for each UTF-16 unit, and the other members. */
export function recordCapacity({ event, data }: Pick<JournalRecord, "event" | "data">): number {
  return (data.length + event.length) * 3 + 128;
}

/** Writes the record's line, newline included, at `offset`; returns the offset after it. */
export function encodeRecord(
  { seq, event, data }: Omit<JournalRecord, "after">,
  after: number,
  into: Buffer,
  offset: number,
): number {
  const start = `{"seq":${seq},"after":${after},"event":"${event}","data":`;
  const dataAt = offset + into.write(start, offset, "latin1");
  // Not joined with `start`: V8 flattens the string it writes, and the batch would keep that copy.
  const end = dataAt + into.write(data, dataAt);
  into[end] = comma;
  const checked = end + 1;
  const at = writeChecksum(crc32(into.subarray(offset, checked)), into, checked);
  into[at] = closeBrace;
  into[at + 1] = newline;
  return at + 2;
}

/** The record's line, newline included. */
export function recordBytes(record: JournalRecord): Buffer {
  const buffer = Buffer.alloc(recordCapacity(record));
  return buffer.subarray(0, encodeRecord(record, record.after, buffer, 0));
}

const head = /^\{"seq":(\d{1,16}),"after":(\d{1,16}),"event":"([a-z]+\.[a-z]+)","data":/;

/** Decodes a line (without its newline); undefined if it is incomplete or its checksum is wrong. */
export function decodeRecord(line: Buffer): JournalRecord | undefined {
  const checked = line.length - checksumBytes - 1;
  if (checked <= 0 || line.at(-1) !== closeBrace || line[checked - 1] !== comma) return undefined;
  if (!isChecksum(crc32(line.subarray(0, checked)), line, checked)) return undefined;
  const text = line.toString("utf8", 0, checked - 1);
  const match = head.exec(text);
  if (match === null) return undefined;
  const [whole, seq, after, event = ""] = match;
  return { seq: Number(seq), after: Number(after), event, data: text.slice(whole.length) };
}

/** The event of a journal's first record, the header. */
export const headerEvent = "store.journal";

/** The header's `data`; `format` is raised when an older Forno could not read the journal. */
export function headerData(number: number): string {
  return `{"format":1,"number":${number}}`;
}

/** The header's line. */
export function headerBytes(number: number): Buffer {
  return recordBytes({ seq: 0, after: 0, event: headerEvent, data: headerData(number) });
}

/** The event of a mark: every record up to its `after` is on disk. */
export const markEvent = "store.mark";

/** A mark's `data`. */
export function markData(): string {
  return `{"at":"${new Date().toISOString()}"}`;
}
