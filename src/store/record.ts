/**
 * One line of the journal: encode, check, decode.
 *
 *     {"seq":12,"after":10,"event":"orders.created","data":{…},"crc":"1c291ca3"}
 *
 * seq    rises by one from record to record, over all journals; it is the id of the event.
 * after  every record up to this one was on disk before this one was written. It tells a torn end
 *        (what a power cut leaves) from damage: see replay.ts.
 * event  what happened: a kind and created, updated or deleted; or one of the store's own.
 * data   the resource as its snapshot holds it (see table.ts), or {"id":…} of a deleted one.
 * crc    CRC-32 of every byte of the line before `,"crc"`, eight hexadecimal digits.
 */

import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";

/** One line of the journal, decoded. */
export interface JournalRecord {
  readonly seq: number;
  readonly after: number;
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

const crcPrefix = ',"crc":"';
/** Bytes from the comma before "crc" to the closing brace. */
const trailerBytes: number = crcPrefix.length + 8 + '"}'.length;

/** Room for a record in bytes, at the most: three for each UTF-16 unit, and the trailer. */
export function recordCapacity(record: JournalRecord): number {
  return (record.data.length + record.event.length) * 3 + 128;
}

/** Writes the record's line, newline included, at `offset`; returns the offset after it. */
export function encodeRecord(record: JournalRecord, into: Buffer, offset: number): number {
  const { seq, after, event, data } = record;
  const start = `{"seq":${seq},"after":${after},"event":"${event}","data":`;
  const dataAt = offset + into.write(start, offset, "latin1");
  // Written alone: V8 makes a string flat in order to write it, and the entry then keeps it so.
  const end = dataAt + into.write(data, dataAt);
  const trailer = `${crcPrefix}${hex(crc32(into.subarray(offset, end)))}"}\n`;
  return end + into.write(trailer, end, "latin1");
}

const head = /^\{"seq":(\d{1,16}),"after":(\d{1,16}),"event":"([a-z]+\.[a-z]+)","data":/;

/** Reads one line (without its newline); undefined when it is not what was written. */
export function decodeRecord(line: Buffer): JournalRecord | undefined {
  const checked = line.length - trailerBytes;
  if (checked <= 0) return undefined;
  const trailer = `${crcPrefix}${hex(crc32(line.subarray(0, checked)))}"}`;
  if (line.toString("latin1", checked) !== trailer) return undefined;
  const text = line.toString("utf8", 0, checked);
  const match = head.exec(text);
  if (match === null) return undefined;
  const [whole, seq, after, event] = match;
  return {
    seq: Number(seq),
    after: Number(after),
    event: event ?? "",
    data: text.slice(whole.length),
  };
}

const fourBytes = Buffer.alloc(4);

/** Eight digits: by way of bytes, which takes a third of the time of toString(16). */
export function hex(crc: number): string {
  fourBytes.writeUInt32BE(crc);
  return fourBytes.toString("hex");
}
