/**
 * One file per kind, `toppings.json`: a JSON array with one resource per line, oldest first.
 *
 *     [
 *     {"id":"funghi","name":"Mushrooms",…,"seq":6},
 *     {"id":"basilico","name":"Basil",…,"seq":13}
 *     ]
 *
 * A line is an entry's text (table.ts). `seq` rises from line to line. The file's length and
 * checksum stand in the journal, in the record written when the file was (snapshotting.ts).
 */

import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import type { Written } from "./atomic-file.ts";
import type { FileSystem } from "./file-system.ts";
import { type Line, readLines } from "./line-reader.ts";
import { hex } from "./record.ts";
import { damageHint, StoreError } from "./store-error.ts";
import { type Entry, parseEntry, type Table } from "./table.ts";

/** `orders.json`. */
export function snapshotName(kind: string): string {
  return `${kind}.json`;
}

/** What a file of some kind may be: its length and checksum, or that there is none. */
export type Expected = Written | "absent";

/** Bytes in one piece: far below a millisecond of work between two requests. */
const pieceBytes = 131_072;
/** The bytes of a line beside its text, and of the last line. */
const extraBytes = 4;

/**
 * The file's bytes, piece by piece. They share their memory, so that a large snapshot leaves
 * nothing to collect: each is good until the next is asked for.
 */
export function* snapshotPieces(entries: readonly Entry[]): Generator<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(pieceBytes);
  let length = buffer.write("[\n");
  for (const [index, { text }] of entries.entries()) {
    const needed = text.length * 3 + extraBytes;
    if (length + needed > buffer.length) {
      yield buffer.subarray(0, length);
      length = 0;
      if (needed > buffer.length) buffer = Buffer.allocUnsafeSlow(needed);
    }
    length += buffer.write(text, length);
    length += buffer.write(index === entries.length - 1 ? "\n" : ",\n", length, "latin1");
  }
  length += buffer.write("]\n", length, "latin1");
  yield buffer.subarray(0, length);
}

/** What a snapshot file was found to be. */
export interface FoundSnapshot extends Written {
  readonly file: string;
  /** The first line that is not what a snapshot holds. */
  readonly firstBad: number | undefined;
}

/** Reads the file into the table, as far as it is good. */
export async function readSnapshot(
  fileSystem: FileSystem,
  path: string,
  table: Table,
): Promise<FoundSnapshot> {
  const reading = new Reading(table);
  const file = await fileSystem.open(path, "read");
  try {
    await readLines(file, (line) => reading.take(line));
  } finally {
    await file.close();
  }
  const { bytes, crc, firstBad } = reading;
  return { file: basename(path), bytes, crc, firstBad };
}

/** Throws StoreError "damaged" when a snapshot (or its absence) is none of what it may be. */
export function checkSnapshot(
  file: string,
  found: FoundSnapshot | undefined,
  expected: readonly Expected[],
): void {
  if (found === undefined) {
    if (expected.includes("absent")) return;
    throw new StoreError("damaged", "the file is missing", { file, hint: damageHint });
  }
  const { bytes, crc, firstBad } = found;
  const known = expected.some((one) => one !== "absent" && one.bytes === bytes && one.crc === crc);
  if (!known || firstBad !== undefined) throw damagedSnapshot(found, expected);
}

class Reading {
  bytes = 0;
  crc = 0;
  firstBad: number | undefined;
  #lastSeq = -1;
  #ended = false;
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  take(line: Line): void {
    this.crc = crc32(line.bytes, this.crc);
    this.bytes += line.bytes.length;
    if (line.complete) {
      this.crc = crc32("\n", this.crc);
      this.bytes += 1;
    }
    if (this.firstBad === undefined && !this.#isGood(line)) this.firstBad = line.number;
  }

  #isGood({ bytes, number, complete }: Line): boolean {
    if (!complete || this.#ended) return false;
    if (number === 1) return bytes.length === 1 && bytes[0] === 0x5b;
    this.#ended = bytes.length === 1 && bytes[0] === 0x5d;
    if (this.#ended) return true;
    const comma = bytes.at(-1) === 0x2c ? 1 : 0;
    const entry = parseEntry(bytes.toString("utf8", 0, bytes.length - comma));
    if (entry === undefined || entry.seq <= this.#lastSeq) return false;
    this.#lastSeq = entry.seq;
    this.#table.put(entry);
    return true;
  }
}

function damagedSnapshot(
  { file, firstBad, bytes }: FoundSnapshot,
  expected: readonly Expected[],
): StoreError {
  if (firstBad !== undefined) {
    const detail = "expected one resource per line, as Forno wrote it, with rising seq";
    return new StoreError("damaged", detail, { file, line: firstBad, hint: damageHint });
  }
  const lengths = expected.map((one) => (one === "absent" ? "no file" : `${one.bytes} bytes`));
  const detail =
    `expected ${lengths.join(" or ")} with the checksum in the journal, got ${bytes} bytes ` +
    "with another checksum: something other than Forno has changed the file";
  return new StoreError("damaged", detail, { file, hint: damageHint });
}

/** The data of the record that says what the snapshots are, by kind. */
export function describeSnapshots(
  written: ReadonlyMap<string, Written>,
  lastChange: number,
): string {
  const files = [...written].map(([kind, { bytes, crc }]) => [kind, { bytes, crc: hex(crc) }]);
  return JSON.stringify({ lastChange, ...Object.fromEntries(files) });
}

/** The number of the last change that the snapshots of such a record hold. */
export function describedChange(data: string): number {
  // Written by describeSnapshots, and the record's checksum holds.
  return (JSON.parse(data) as { lastChange: number }).lastChange;
}

/** What such a record says of one kind; absent when its version did not have it. */
export function describedSnapshot(data: string, kind: string): Expected {
  // Written by describeSnapshots, and the record's checksum holds.
  const files = JSON.parse(data) as Record<string, { bytes: number; crc: string }>;
  const file = files[kind];
  return file === undefined ? "absent" : { bytes: file.bytes, crc: Number.parseInt(file.crc, 16) };
}
