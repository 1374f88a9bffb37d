/**
 * Reads a document in Forno's own layout (document.ts) line by line, however large it is. Each
 * line's checksum covers all bytes before it, so the first wrong checksum locates damage.
 *
 * A person who edits a backup deletes the checksum at its end. The line checksums then don't count.
 */

import { Buffer, isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { checksumBytes, isChecksum } from "./checksum.ts";
import { documentFormat } from "./document.ts";
import { DocumentError, faultOf } from "./document-error.ts";
import type { Line } from "./line-reader.ts";

/** The members at the top of a document. */
export interface DocumentHead {
  readonly seq: number;
  readonly lastChange: number;
  readonly takenAt: string;
}

/** Receives a resource of a document. Throws Problem. */
export type TakeResource = (kind: string, members: unknown) => void;

const comma = 0x2c;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const openBracket = 0x5b;
const headLines = 5;
const headPattern = new RegExp(
  '^{\n"forno":(\\d+),\n"seq":(\\d{1,16}),\n"lastChange":(\\d{1,16}),\n"takenAt":"([^"]*)",\n$',
);
const memberPattern = /^"([^"\\]+)":/;
const newlineBytes: Buffer = Buffer.from("\n");

/** Takes the lines of a file one by one. Throws DocumentError. */
export class DocumentLines {
  /** Set after the fifth line. */
  head: DocumentHead | undefined;
  /** The number of the line after the document; undefined until the document ends. */
  next: number | undefined;
  readonly #file: string;
  readonly #take: TakeResource;
  #headText = "";
  #format: number = documentFormat;
  /** The kind whose list is open, and the next position in it. */
  #list: string | undefined;
  #index = 0;
  /** The number of the next line. */
  #line = 1;
  #crc = 0;
  /** The last line with a right checksum, and the first line with a wrong checksum. */
  #proved = 0;
  #doubted: number | undefined;
  #isSealed = false;
  /** False when the last line has no newline. */
  #isWhole = true;

  constructor(file: string, take: TakeResource) {
    this.#file = file;
    this.#take = take;
  }

  take({ bytes, number, complete }: Line): void {
    this.#line = number + 1;
    if (this.next !== undefined) throw this.#damage(number, "the document has ended");
    const isProved = this.#checkSum(bytes, number);
    if (isProved && this.#format !== documentFormat) throw this.#otherFormat();
    this.#isWhole = complete;
    if (number <= headLines) return this.#takeHead(bytes, number);
    if (this.#isSealed || bytes[0] === closeBrace) return this.#takeEnd(bytes, number);
    if (bytes[0] === closeBracket && endOf(bytes) === 1) return this.#closeList(number);
    if (!isProved && !isUtf8(bytes)) throw this.#damage(number, "it is not UTF-8");
    if (this.#list !== undefined) {
      this.#takeResource(this.#list, this.#index++, bytes.toString("utf8", 0, endOf(bytes)));
    } else this.#takeMember(bytes, isProved);
  }

  /** Throws unless the document has ended. */
  requireEnd(): DocumentHead {
    if (this.next === undefined || this.head === undefined) {
      throw this.#damage(this.#line, "the document goes on");
    }
    if (this.#format !== documentFormat) throw this.#otherFormat();
    return this.head;
  }

  /** Also requires the final checksum, which store.json and followed copies always have. */
  requireSealed(): DocumentHead {
    const head = this.requireEnd();
    const last = this.#line - 1;
    if (!this.#isSealed) throw this.#damage(last, "the checksum is missing");
    if (!this.#isWhole) throw this.#damage(last, "its newline is missing");
    return head;
  }

  /** True if the line ends with a right checksum. */
  #checkSum(bytes: Buffer, line: number): boolean {
    const at = checksumAt(bytes);
    const hasOne = at >= 0 && bytes.toString("latin1", at, at + 6) === '"crc":';
    const before = hasOne ? crc32(bytes.subarray(0, at), this.#crc) : this.#crc;
    this.#crc = crc32(newlineBytes, crc32(bytes.subarray(hasOne ? at : 0), before));
    if (!hasOne) return false;
    const isProved = this.#doubted === undefined && isChecksum(before, bytes, at);
    if (isProved) this.#proved = line;
    else this.#doubted ??= line;
    return isProved;
  }

  #takeHead(bytes: Buffer, line: number): void {
    this.#headText += `${bytes.toString()}\n`;
    if (line < headLines) return;
    const match = headPattern.exec(this.#headText);
    if (match === null) throw this.#damage(line, "they are not the head of a document");
    const [, format, seq, lastChange, takenAt = ""] = match;
    this.#format = Number(format);
    this.head = { seq: Number(seq), lastChange: Number(lastChange), takenAt };
  }

  /** Thrown only after a right checksum: a damaged digit must not look like another format. */
  #otherFormat(): DocumentError {
    const detail = `expected a document of format ${documentFormat}, got format ${this.#format}`;
    return new DocumentError(this.#file, 2, detail);
  }

  #closeList(line: number): void {
    if (this.#list === undefined) throw this.#damage(line, "no list ends here");
    this.#list = undefined;
  }

  #takeMember(bytes: Buffer, isProved: boolean): void {
    const line = this.#line - 1;
    if (bytes.length === checksumBytes && checksumAt(bytes) === 0) {
      if (!isProved) throw this.#damage(line, "a checksum is wrong");
      this.#isSealed = true;
      return;
    }
    const text = bytes.toString("utf8", 0, endOf(bytes));
    const [start, kind = ""] = memberPattern.exec(text) ?? [];
    if (start === undefined) throw this.#damage(line, "expected a list or the end");
    if (bytes.at(-1) === openBracket && bytes.length === start.length + 1) {
      this.#list = kind;
      this.#index = 0;
    } else this.#takeResource(kind, undefined, text.slice(start.length));
  }

  #takeResource(kind: string, index: number | undefined, text: string): void {
    const line = this.#line - 1;
    let members: unknown;
    try {
      members = JSON.parse(text);
    } catch {
      throw this.#damage(line, "it is not JSON");
    }
    try {
      this.#take(kind, members);
    } catch (error) {
      const detail = faultOf(error);
      if (this.#doubted !== undefined) throw this.#damage(line, "a checksum is wrong");
      throw new DocumentError(this.#file, line, `${placeOf(kind, index)}: ${detail}`);
    }
  }

  #takeEnd(bytes: Buffer, line: number): void {
    if (bytes.length !== 1 || bytes[0] !== closeBrace || this.#list !== undefined) {
      throw this.#damage(line, 'expected "}"');
    }
    this.next = line + 1;
  }

  /** The error names the first line that is certainly wrong. */
  #damage(line: number, reason: string): DocumentError {
    const last = this.#doubted ?? line;
    const first = this.#proved + 1;
    const where = first === last ? "it is" : `one of lines ${first} to ${last} is`;
    const why = this.#doubted === undefined ? reason : "a checksum is wrong";
    return new DocumentError(this.#file, last, `${where} not what Forno wrote: ${why}`, true);
  }
}

/** `toppings[3]`, or `"shop"`. */
export function placeOf(member: string, index: number | undefined): string {
  return index === undefined ? `"${member}"` : `${member}[${index}]`;
}

/** The offset at which a checksum would begin in this line. */
function checksumAt(bytes: Buffer): number {
  if (bytes.length === checksumBytes) return 0;
  return endOf(bytes) - 1 - checksumBytes;
}

/** The length of a line without the comma at its end. */
function endOf(bytes: Buffer): number {
  return bytes.length - (bytes.at(-1) === comma ? 1 : 0);
}
