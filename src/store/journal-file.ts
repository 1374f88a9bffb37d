/**
 * The journals' names, journal-000001.ndjson, journal-000002.ndjson, …, and what is in them, one
 * record a line: encode, check, decode.
 *
 *     {"seq":12,"after":10,"event":"orders.created","data":{…},"crc":"1c291ca3"}
 *
 * seq    rises by one from record to record, over all journals; it is the id of the event.
 * after  every record up to this one was on disk before this one was written. It tells a torn end
 *        (what a power cut leaves) from damage: see replay.ts.
 * event  what happened: a kind and created, updated or deleted; or one of the store's own.
 * data   the resource as the document holds it (see table.ts), or {"id":…} of a deleted one.
 * crc    checksum.ts, of every byte of the line before it.
 *
 * The first record of a journal takes no seq, so that the next journal can be prepared before it is
 * known with which record it will begin. It is on disk before any other record of its file is
 * written. A mark says that every record up to its `after` reached the disk, and when that was.
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

/** Undefined: the name is not a journal's. */
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

/** Room for a record in bytes, at the most: three for each UTF-16 unit, and the trailer. */
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
  // Written alone: V8 makes a string flat in order to write it, and the entry then keeps it so.
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

/** Reads one line (without its newline); undefined when it is not what was written. */
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

/** The first record of a journal. */
export const headerEvent = "store.journal";

/** Its `data`; `format` is raised when an older Forno could not read the journal. */
export function headerData(number: number): string {
  return `{"format":1,"number":${number}}`;
}

/** Its line. */
export function headerBytes(number: number): Buffer {
  return recordBytes({ seq: 0, after: 0, event: headerEvent, data: headerData(number) });
}

/** Everything up to its `after` is on disk. */
export const markEvent = "store.mark";

/** Its `data`. */
export function markData(): string {
  return `{"at":"${new Date().toISOString()}"}`;
}
