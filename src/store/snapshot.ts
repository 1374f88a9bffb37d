/**
 * One file a kind, `toppings.json`: a JSON array with one resource a line, oldest first.
 *
 *     [
 *     {"id":"funghi","name":"Mushrooms",…,"seq":6},
 *     {"id":"basilico","name":"Basil",…,"seq":13}
 *     ]
 *
 * A line is an entry's text (table.ts). `seq` rises from line to line. The file's length and
 * checksum stand in the journal, in the record that was written when the file was (store.ts).
 */

import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import type { Written } from "./atomic-file.ts";
import type { FileSystem } from "./file-system.ts";
import { readLines, type Line } from "./line-reader.ts";
import { StoreError } from "./store-error.ts";
import { type Entry, parseEntry, type Table } from "./table.ts";

export function snapshotName(kind: string): string {
  return `${kind}.json`;
}

/** What a file of some kind may be: its length and checksum, or that there is none. */
export type Expected = Written | "absent";

/** Characters in one piece: below a millisecond of work between two requests. */
const pieceLength = 131_072;

/** The file's bytes, piece by piece. */
export function* snapshotPieces(entries: readonly Entry[]): Generator<Buffer> {
  let piece = "[\n";
  for (const [index, { text }] of entries.entries()) {
    piece += index === entries.length - 1 ? `${text}\n` : `${text},\n`;
    if (piece.length < pieceLength) continue;
    yield Buffer.from(piece);
    piece = "";
  }
  yield Buffer.from(`${piece}]\n`);
}

/**
 * Reads the file into the table.
 * Throws StoreError "damaged" when it is none of those expected, with the line where that shows.
 */
export async function readSnapshot(
  fileSystem: FileSystem,
  path: string,
  expected: readonly Expected[],
  table: Table,
): Promise<void> {
  const reading = new Reading(table);
  const file = await fileSystem.open(path, "read");
  try {
    await readLines(file, (line) => reading.take(line));
  } finally {
    await file.close();
  }
  const { bytes, crc, firstBad } = reading;
  const known = expected.some((one) => one !== "absent" && one.bytes === bytes && one.crc === crc);
  if (known && firstBad === undefined) return;
  throw damagedSnapshot(path, firstBad, bytes, expected);
}

class Reading {
  bytes = 0;
  crc = 0;
  firstBad: number | undefined;
  #lastSeq = 0;
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

export const damageHint: string =
  "Nothing was changed. Restore the folder from a copy, or move it away and read a backup " +
  "into a new one: node dist/restore.js FILE";

function damagedSnapshot(
  path: string,
  line: number | undefined,
  bytes: number,
  expected: readonly Expected[],
): StoreError {
  const lengths = expected.map((one) => (one === "absent" ? "no file" : `${one.bytes} bytes`));
  const detail =
    line === undefined
      ? `expected ${lengths.join(" or ")} with the checksum in the journal, got ${bytes} bytes ` +
        "with another checksum: the file was changed behind Forno's back"
      : "expected one resource a line, as Forno wrote it, with rising seq";
  return new StoreError("damaged", detail, {
    file: basename(path),
    hint: damageHint,
    ...(line === undefined ? {} : { line }),
  });
}
