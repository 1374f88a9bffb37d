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
 * lastChange  the last of them that changed anything; marks (store/journal-file.ts) may follow it.
 * takenAt     RFC 3339, UTC, milliseconds.
 * crc         checksum.ts. The last one proves the whole; those of the lines say where damage is.
 *
 * A resource's line is its entry's text (store/table.ts) with that checksum; seq rises from line to
 * line. A standing one, which is the only one of its kind, is a member itself and without its id.
 */

import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { checksumBytes, checksumText, isChecksum, writeChecksum } from "./checksum.ts";
import { type Line, type Readable, readLines } from "./line-reader.ts";

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
  /** By kind, in the order of seq, as text that begins with the id. */
  readonly rows: ReadonlyMap<string, Iterable<{ readonly text: string }>>;
  readonly standing: StandingIds;
}

/** The ids of standing resources, by kind. */
export type StandingIds = ReadonlyMap<string, string>;

/** Bytes in one piece: far below a millisecond of work between two requests. */
const pieceBytes = 65_536;
/** The bytes of a line beside its text. */
const extraBytes = 64;
const comma = 0x2c;
const newline = 0x0a;
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
    const id = moment.standing.get(name);
    if (id === undefined) piece.write(`"${name}":[`);
    let isFirst = true;
    for (const { text } of rows) {
      const needed = text.length * 3 + extraBytes;
      if (!piece.hasRoom(needed)) yield piece.take(needed);
      if (id === undefined) piece.breakLine(isFirst);
      else piece.write(`"${name}":`);
      piece.writeChecked(id === undefined ? text : `{${text.slice(idMember(id).length)}`);
      isFirst = false;
    }
    if (!piece.hasRoom(extraBytes)) yield piece.take(extraBytes);
    piece.write(id === undefined ? "\n],\n" : ",\n");
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

  breakLine(isFirst: boolean): void {
    if (!isFirst) this.#buffer[this.#length++] = comma;
    this.#buffer[this.#length++] = newline;
  }

  /** The checksum becomes the last member of the object. */
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

/** The last checksum, and what stands behind it. */
const endBytes: number = checksumBytes + "\n}\n".length;

/** Where the resources of a document go. False: this version does not know what the text is of. */
export type TakeResource = (kind: string, text: string) => boolean;

/**
 * Reads a document as Forno wrote it, of so many bytes. Throws DocumentError with the line: then
 * what was taken is worth nothing.
 */
export async function readDocument(
  file: Readable,
  bytes: number,
  standing: StandingIds,
  take: TakeResource,
): Promise<DocumentHead> {
  const reading = new Reading(standing, take);
  const crc = await readSummed(file, bytes - endBytes, (line) => reading.take(line));
  const end = Buffer.alloc(endBytes);
  await file.read(end, Math.max(0, bytes - endBytes));
  if (end.toString() !== `"crc":"${checksumText(crc)}"\n}\n`) throw await damageIn(file);
  return reading.result();
}

/** Calls `each` for every line; resolves to the checksum of the first `length` bytes. */
async function readSummed(
  file: Readable,
  length: number,
  each: (line: Line) => void,
): Promise<number> {
  let crc = 0;
  const read: Readable["read"] = async (into, position) => {
    const count = await file.read(into, position);
    const summed = Math.min(count, length - position);
    if (summed > 0) crc = crc32(into.subarray(0, summed), crc);
    return count;
  };
  await readLines({ read }, each);
  return crc;
}

const headPattern = new RegExp(
  '^{\n"forno":(\\d+),\n"seq":(\\d{1,16}),\n"lastChange":(\\d{1,16}),\n"takenAt":"([^"]*)",\n$',
);

/** What the lines say, if they are what was written: that shows when all have been read. */
class Reading {
  readonly #standing: StandingIds;
  readonly #take: TakeResource;
  #head = "";
  /** The kind in whose list the line is. */
  #list: string | undefined;
  /** The first line that this version would not have written. */
  #strange: { readonly line: number; readonly text: string } | undefined;

  constructor(standing: StandingIds, take: TakeResource) {
    this.#standing = standing;
    this.#take = take;
  }

  take({ bytes, number }: Line): void {
    if (this.#list !== undefined && bytes[0] !== closeBracket) {
      this.#put(this.#list, textOf(bytes), number);
    } else if (this.#list !== undefined) {
      this.#list = undefined;
    } else if (number <= headLines) {
      this.#head += `${bytes.toString()}\n`;
    } else if (bytes.at(-1) === openBracket || bytes.at(-2) === closeBrace) {
      this.#takeMember(bytes, number);
    }
  }

  result(): DocumentHead {
    const [, format, seq, lastChange, takenAt = ""] = headPattern.exec(this.#head) ?? [];
    const isKnown = Number(format) === documentFormat;
    const strange = isKnown ? this.#strange : { line: 2, text: `"forno":${format}` };
    if (strange === undefined) return { seq: Number(seq), lastChange: Number(lastChange), takenAt };
    const got = strange.text.slice(0, 40);
    const detail = `expected what this version knows, got ${got}: a newer one may have written it`;
    throw new DocumentError(documentName, strange.line, detail);
  }

  /** Begins a list, or takes a standing resource: one of `name":[` and `name":{`. */
  #takeMember(bytes: Buffer, line: number): void {
    const isList = bytes.at(-1) === openBracket;
    const text = isList ? bytes.toString() : textOf(bytes);
    const kind = text.slice(1, text.indexOf(isList ? '":[' : '":{'));
    const id = this.#standing.get(kind);
    if (isList) this.#list = kind;
    else if (id === undefined) this.#strange ??= { line, text };
    else this.#put(kind, idMember(id) + text.slice(kind.length + 4), line);
  }

  #put(kind: string, text: string, line: number): void {
    if (!this.#take(kind, text)) this.#strange ??= { line, text: `${kind} ${text}` };
  }
}

/** Where the checksum begins in a line that ends with one. */
function checksumAt(bytes: Buffer): number {
  if (bytes.length === checksumBytes) return 0;
  return bytes.length - (bytes.at(-1) === comma ? 1 : 0) - 1 - checksumBytes;
}

/** The line without the checksum. */
function textOf(bytes: Buffer): string {
  const end = Math.max(1, checksumAt(bytes));
  // In the place of the comma before the checksum.
  bytes[end - 1] = closeBrace;
  return bytes.toString("utf8", 0, end);
}

/** With the first line whose checksum is not that of all before it. */
async function damageIn(file: Readable): Promise<DocumentError> {
  let crc = 0;
  let last = 0;
  let proved = 0;
  let broken = 0;
  await readLines(file, ({ bytes, number }) => {
    last = number;
    const at = checksumAt(bytes);
    if (at >= 0 && bytes.toString("latin1", at, at + 6) === '"crc":') {
      if (isChecksum(crc32(bytes.subarray(0, at), crc), bytes, at)) proved = number;
      else broken ||= number;
    }
    crc = crc32("\n", crc32(bytes, crc));
  });
  const line = broken || last + 1;
  const where = proved + 1 === line ? "it is" : `one of lines ${proved + 1} to ${line} is`;
  const detail = `${where} not what Forno wrote: a checksum is wrong`;
  return new DocumentError(documentName, line, detail);
}

/** What is wrong with a backup or a menu, for the operator: its file, the line, the reason. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  readonly line: number | undefined;
  readonly detail: string;

  constructor(file: string, line: number | undefined, detail: string) {
    const place = line === undefined ? file : `${file}, line ${line}`;
    super(`${place}: ${detail}`);
    this.line = line;
    this.detail = detail;
  }
}
