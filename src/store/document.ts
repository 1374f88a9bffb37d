/**
 * Writes the document: the whole store at one moment, one resource a line. It is the content of
 * store.json and of GET /api/backup. data/README.md describes the format for other programs.
 *
 *     {
 *     "forno":1,
 *     "seq":481516,
 *     "lastChange":481515,
 *     "takenAt":"2026-01-31T18:00:00.000Z",
 *     "shop":{"name":"Forno",…,"seq":0,"crc":"e5a2c11b"},
 *     "toppings":[
 *     {"id":"funghi",…as the API answers it…,"seq":6,"crc":"5b0e7a31"},
 *     {"id":"basilico",…,"seq":13,"crc":"8d1f09c4"}
 *     ],
 *     …a list for each kind…
 *     "crc":"1c291ca3"
 *     }
 *
 * forno       the version of the format, raised when an older Forno could not read it.
 * seq         the document includes every record up to this one; a replay skips them.
 * lastChange  the last record that changed a resource; marks (journal-file.ts) may follow it.
 * takenAt     RFC 3339, UTC, milliseconds.
 * crc         checksum.ts. The last checksum proves the whole; a line's checksum locates damage.
 *
 * Within a list, seq rises from line to line. A singleton is a member itself, without its id.
 * document-lines.ts reads the document back.
 */

import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { writeChecksum } from "./checksum.ts";
import { type Row, rowText } from "./rows.ts";
import type { Moment } from "./tables.ts";

export const documentName = "store.json";

/** The value of `forno`. */
export const documentFormat = 1;

/** Bytes in a piece: far less than a millisecond of work between two requests. */
const pieceBytes = 65_536;
/** Room for the comma, newline and checksum around a row's text. */
const extraBytes = 64;
const comma = 0x2c;
const newline = 0x0a;
const closeBrace = 0x7d;

/**
 * The document's bytes, piece by piece. All pieces share one buffer, so that a large document
 * leaves no garbage: a piece is valid only until the next one is requested.
 */
export function* documentPieces(moment: Moment): Generator<Buffer> {
  const piece = new Piece();
  piece.write(headText(moment));
  for (const { kind, rows } of moment.lists) {
    const isList = kind.singleton === undefined;
    piece.write(`"${kind.name}":${isList ? "[" : ""}`);
    let isFirst = true;
    for (const row of rows) {
      const text = isList ? rowText(row) : singletonText(row);
      const needed = text.length * 3 + extraBytes;
      if (!piece.hasRoom(needed)) yield piece.take(needed);
      if (isList) piece.breakLine(isFirst);
      piece.writeChecked(text);
      isFirst = false;
    }
    if (!piece.hasRoom(extraBytes)) yield piece.take(extraBytes);
    piece.write(isList ? "\n],\n" : ",\n");
  }
  piece.writeEnd();
  yield piece.take(0);
}

function singletonText({ value: { id: _, ...value }, ...row }: Row): string {
  return rowText({ ...row, value });
}

function headText({ seq, lastChange, takenAt }: Moment): string {
  return (
    `{\n"forno":${documentFormat},\n"seq":${seq},\n"lastChange":${lastChange},\n` +
    `"takenAt":"${takenAt}",\n`
  );
}

/** A buffer that the document is written into, and the checksum of all bytes so far. */
class Piece {
  #buffer: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  #length = 0;
  #crc = 0;
  /** Bytes of the buffer that the checksum includes. */
  #summed = 0;

  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= this.#buffer.length;
  }

  /** Returns the bytes written, and makes room for `needed` more. */
  take(needed: number): Buffer {
    this.#sum();
    const bytes = this.#buffer.subarray(0, this.#length);
    if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(needed);
    this.#length = 0;
    this.#summed = 0;
    return bytes;
  }

  /** Only for ASCII. */
  write(text: string): void {
    this.#length += this.#buffer.write(text, this.#length, "latin1");
  }

  breakLine(isFirst: boolean): void {
    if (!isFirst) this.#buffer[this.#length++] = comma;
    this.#buffer[this.#length++] = newline;
  }

  /** Writes a JSON object and adds the checksum as its last member. */
  writeChecked(object: string): void {
    this.#length += this.#buffer.write(object, this.#length);
    this.#buffer[this.#length - 1] = comma;
    this.#writeChecksum();
    this.#buffer[this.#length++] = closeBrace;
  }

  writeEnd(): void {
    this.#writeChecksum();
    this.write("\n}\n");
  }

  #writeChecksum(): void {
    this.#length = writeChecksum(this.#sum(), this.#buffer, this.#length);
  }

  #sum(): number {
    this.#crc = crc32(this.#buffer.subarray(this.#summed, this.#length), this.#crc);
    this.#summed = this.#length;
    return this.#crc;
  }
}
