/**
 * The document: everything of one moment, one resource a line. It is what store.json holds and what
 * GET /api/backup answers; data/README.md tells the format to those who read it elsewhere.
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
 * forno       the format: raised when an older Forno could not read it.
 * seq         every record up to this one is in the document: a replay skips those.
 * lastChange  the last of them that changed anything; marks (journal-file.ts) may follow it.
 * takenAt     RFC 3339, UTC, milliseconds.
 * crc         checksum.ts. The last one proves the whole; those of the lines say where damage is.
 *
 * A resource's line is its entry's text (table.ts) with that checksum; seq rises from line to line.
 * A standing one, which is the only one of its kind, is a member itself and without its id.
 */

import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { checksumBytes, isChecksum, writeChecksum } from "./checksum.ts";
import type { FileSystem } from "./file-system.ts";
import { type Line, readLines } from "./line-reader.ts";
import type { View } from "./sorted-rows.ts";
import { damageHint, newerHint, StoreError } from "./store-error.ts";
import { type Entry, freeze, parseEntry, type Standing, type Table } from "./table.ts";

export const documentName = "store.json";

/** The value of `forno`. */
export const documentFormat = 1;

/** What a document says of the moment that it is of. */
export interface DocumentHead {
  readonly seq: number;
  readonly lastChange: number;
  readonly takenAt: string;
}

/** All that was durable at one moment: changes from then on do not show in it. */
export interface Moment extends DocumentHead {
  readonly rows: ReadonlyMap<string, View<Entry>>;
  /** The kinds that have one standing resource. */
  readonly standing: ReadonlySet<string>;
}

/** All that is in the tables now, of which these numbers are true. */
export function momentOf(
  tables: ReadonlyMap<string, Table>,
  seq: number,
  lastChange: number,
): Moment {
  const takenAt = new Date().toISOString();
  const standing = [...tables].filter(([, table]) => table.standing !== undefined);
  const names = new Set(standing.map(([name]) => name));
  return { seq, lastChange, takenAt, rows: freeze(tables), standing: names };
}

/** Bytes in one piece: far below a millisecond of work between two requests. */
const pieceBytes = 65_536;
/** The bytes of a line beside its text. */
const extraBytes = 64;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
/** Lines before the first list or resource. */
const headLines = 5;

/**
 * The document's bytes, piece by piece. They share their memory, so that a large document leaves
 * nothing to collect: each is good until the next is asked for.
 */
export function* documentPieces(moment: Moment): Generator<Buffer> {
  const piece = new Piece();
  piece.write(headText(moment));
  for (const [name, rows] of moment.rows) {
    const isStanding = moment.standing.has(name);
    if (!isStanding) piece.write(`"${name}":[`);
    let separator = isStanding ? `"${name}":` : "\n";
    for (const { id, text } of rows) {
      const needed = text.length * 3 + extraBytes;
      if (!piece.hasRoom(needed)) yield piece.take(needed);
      piece.writeChecked(separator, isStanding ? `{${text.slice(idMember(id).length)}` : text);
      separator = ",\n";
    }
    if (!piece.hasRoom(extraBytes)) yield piece.take(extraBytes);
    piece.write(isStanding ? ",\n" : "\n],\n");
  }
  piece.writeEnd();
  yield piece.take(0);
}

/** What the line of a standing resource lacks, its brace included. */
function idMember(id: string): string {
  return `{"id":"${id}",`;
}

function headText({ seq, lastChange, takenAt }: DocumentHead): string {
  return (
    `{\n"forno":${documentFormat},\n"seq":${seq},\n"lastChange":${lastChange},\n` +
    `"takenAt":"${takenAt}",\n`
  );
}

/** Bytes of the document in the making, and the checksum of all that came before. */
class Piece {
  #buffer: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  #length = 0;
  #crc = 0;
  /** Up to here the bytes are in the checksum. */
  #summed = 0;

  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= this.#buffer.length;
  }

  /** Gives the bytes away, and has room for more. */
  take(needed: number): Buffer {
    this.#sum();
    const bytes = this.#buffer.subarray(0, this.#length);
    if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(needed);
    this.#length = 0;
    this.#summed = 0;
    return bytes;
  }

  /** The text is ASCII. */
  write(text: string): void {
    this.#length += this.#buffer.write(text, this.#length, "latin1");
  }

  /** The checksum becomes the last member of the object. */
  writeChecked(separator: string, object: string): void {
    this.write(separator);
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

/** Reads the document at the path into the tables. Throws StoreError "damaged". */
export async function readDocument(
  fileSystem: FileSystem,
  path: string,
  tables: ReadonlyMap<string, Table>,
): Promise<DocumentHead> {
  const reading = new Reading(basename(path), tables);
  const file = await fileSystem.open(path, "read");
  try {
    await readLines(file, (line) => reading.take(line));
  } finally {
    await file.close();
  }
  return reading.result();
}

const headPattern = new RegExp(
  '^{\n"forno":(\\d+),\n"seq":(\\d{1,16}),\n"lastChange":(\\d{1,16}),\n"takenAt":"([^"]*)",\n$',
);

class Reading {
  readonly #file: string;
  readonly #tables: ReadonlyMap<string, Table>;
  #headText = "";
  #head: DocumentHead | undefined;
  #table: Table | undefined;
  #lastSeq = 0;
  #crc = 0;
  #line = 0;
  /** The last line that a checksum has proved. */
  #proved = 0;
  #isProved = false;
  #isEnded = false;

  constructor(file: string, tables: ReadonlyMap<string, Table>) {
    this.#file = file;
    this.#tables = tables;
  }

  take({ bytes, number, complete }: Line): void {
    this.#line = number;
    if (!complete || this.#isEnded) throw this.#damage("expected a whole line");
    if (this.#table !== undefined) this.#takeFromList(bytes, this.#table);
    else if (this.#isProved) this.#takeEnd(bytes);
    else if (bytes.at(-1) === openBracket) this.#beginList(bytes);
    else if (bytes[0] === openBrace && bytes.length > 1) throw this.#damage("expected a list");
    else if (bytes.at(-2) === closeBrace) this.#takeStanding(bytes);
    else if (this.#head !== undefined) this.#takeLastChecksum(bytes);
    else this.#takeFromHead(bytes);
  }

  result(): DocumentHead {
    if (this.#isEnded && this.#head !== undefined) return this.#head;
    this.#line += 1;
    throw this.#damage("expected more: the document ends too early");
  }

  #takeFromHead(bytes: Buffer): void {
    this.#headText += `${bytes.toString()}\n`;
    if (this.#line > headLines) throw this.#damage("expected a list or a resource");
    this.#add(bytes);
  }

  #beginList(bytes: Buffer): void {
    this.#head ??= this.#parseHead();
    this.#table = this.#tableOf(/^"([a-z]+)":\[$/.exec(bytes.toString())?.[1], bytes);
    this.#lastSeq = 0;
    this.#add(bytes);
  }

  #takeStanding(bytes: Buffer): void {
    this.#head ??= this.#parseHead();
    const name = /^"([a-z]+)":\{/.exec(bytes.toString())?.[1];
    const table = this.#tableOf(name, bytes);
    const { standing } = table;
    if (name === undefined || standing === undefined) throw this.#damage("expected a list");
    this.#lastSeq = -1;
    this.#takeResource(bytes, table, name.length + 3, standing);
  }

  #tableOf(name: string | undefined, bytes: Buffer): Table {
    const table = name === undefined ? undefined : this.#tables.get(name);
    if (table !== undefined) return table;
    const got = bytes.toString("utf8", 0, 40);
    throw this.#damage(`expected a member that this version knows, got ${got}`, newerHint);
  }

  #parseHead(): DocumentHead {
    const [, format, seq, lastChange, takenAt] = headPattern.exec(this.#headText) ?? [];
    if (format !== undefined && Number(format) > documentFormat) {
      throw this.#damage(`expected a document of format ${documentFormat}, got ${format}`, newerHint);
    }
    if (takenAt === undefined) throw this.#damage("expected the document's head before its lists");
    return { seq: Number(seq), lastChange: Number(lastChange), takenAt };
  }

  #takeFromList(bytes: Buffer, table: Table): void {
    if (bytes[0] === closeBracket) {
      this.#table = undefined;
      return this.#add(bytes);
    }
    this.#takeResource(bytes, table, 0);
  }

  #takeResource(bytes: Buffer, table: Table, start: number, standing?: Standing): void {
    const length = bytes.length - (bytes.at(-1) === comma ? 1 : 0);
    const proof = length - checksumBytes - 1;
    this.#prove(bytes, proof);
    this.#add(bytes, proof);
    bytes[proof - 1] = closeBrace;
    const text = bytes.toString("utf8", start, proof);
    const entry = parseEntry(standing ? idMember(standing.id) + text.slice(1) : text);
    if (entry === undefined || entry.seq <= this.#lastSeq) {
      throw this.#damage("expected a resource as Forno wrote it, with rising seq");
    }
    this.#lastSeq = entry.seq;
    table.put(entry);
  }

  #takeLastChecksum(bytes: Buffer): void {
    this.#prove(bytes, 0);
    this.#isProved = true;
  }

  #takeEnd(bytes: Buffer): void {
    this.#isEnded = bytes.length === 1 && bytes[0] === closeBrace;
    if (!this.#isEnded) throw this.#damage("expected the end of the document");
  }

  /** Requires at `offset` the checksum of all that comes before it. */
  #prove(bytes: Buffer, offset: number): void {
    this.#crc = crc32(bytes.subarray(0, Math.max(0, offset)), this.#crc);
    if (isChecksum(this.#crc, bytes, offset)) {
      this.#proved = this.#line;
      return;
    }
    throw this.#damage("expected the checksum of all up to here");
  }

  /** The bytes from `offset` on, and the newline that stands behind them. */
  #add({ buffer, byteOffset, length }: Buffer, offset = 0): void {
    const rest = new Uint8Array(buffer, byteOffset + offset, length - offset + 1);
    this.#crc = crc32(rest, this.#crc);
  }

  #damage(detail: string, hint: string = damageHint): StoreError {
    const [first, line] = [this.#proved + 1, this.#line];
    const where = first === line ? "it is" : `one of lines ${first} to ${line} is`;
    const message = `${detail}; ${where} not what Forno wrote`;
    return new StoreError("damaged", message, { file: this.#file, line, hint });
  }
}
