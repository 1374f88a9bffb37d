/**
 * Reads a document in Forno's own layout (document.ts) line by line, however large it is. Each
 * line's checksum covers all bytes before it, so the first wrong checksum locates damage.
 *
 * A person who edits a backup deletes the checksum at its end. The line checksums then don't count.
 */

import { type Buffer, isUtf8 } from "node:buffer";
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

/** Receives a resource of a document. Throws Invalid. */
type TakeResource = (kind: string, members: unknown) => void;

const comma = 0x2c;
const headLines = 5;
const headPattern = new RegExp(
  '^{\n"forno":(\\d+),\n"seq":(\\d{1,16}),\n"lastChange":(\\d{1,16}),\n"takenAt":"([^"]*)",\n$',
);
const memberPattern = /^"([^"\\]+)":/;

/** Takes the lines of a file one by one. Throws DocumentError. */
export class DocumentLines {
  /** Set after the fifth line. */
  head: DocumentHead | undefined;
  /** True once the last line of the document was taken. */
  hasEnded = false;
  readonly #file: string;
  readonly #take: TakeResource;
  #headText = "";
  #format: number = documentFormat;
  /** The kind whose list is open, and the next position in it. */
  #list: string | undefined;
  #index = 0;
  /** The number of the last line. */
  #line = 0;
  #crc = 0;
  /** The last line with a right checksum, and the first line with a wrong checksum. */
  #proved = 0;
  #doubted: number | undefined;
  /** True after the checksum of the whole document. */
  #isSealed = false;
  /** False when the last line has no newline. */
  #isWhole = true;

  constructor(file: string, take: TakeResource) {
    this.#file = file;
    this.#take = take;
  }

  take({ bytes, number, complete }: Line): void {
    this.#line = number;
    if (this.hasEnded) throw this.#damage("the document has ended");
    const isProved = this.#checkSum(bytes);
    if (isProved && this.#format !== documentFormat) throw this.#otherFormat();
    this.#isWhole = complete;
    if (!isProved && !isUtf8(bytes)) throw this.#damage("it is not UTF-8");
    const text = bytes.toString();
    if (number <= headLines) this.#takeHead(text);
    else if (this.#isSealed || text.startsWith("}")) this.#takeEnd(text);
    else if (text === "]" || text === "],") this.#closeList();
    else if (this.#list !== undefined) this.#takeResource(this.#list, this.#index++, text);
    else this.#takeMember(text, isProved);
  }

  /** Throws unless the document has ended. */
  requireEnd(): DocumentHead {
    if (!this.hasEnded || this.head === undefined) {
      throw this.#damage("the document goes on", this.#line + 1);
    }
    if (this.#format !== documentFormat) throw this.#otherFormat();
    return this.head;
  }

  /** Also requires the final checksum, which store.json and followed copies always have. */
  requireSealed(): DocumentHead {
    const head = this.requireEnd();
    if (!this.#isSealed) throw this.#damage("the checksum is missing");
    if (!this.#isWhole) throw this.#damage("its newline is missing");
    return head;
  }

  /** True if the line ends with a right checksum. */
  #checkSum(bytes: Buffer): boolean {
    const at = checksumAt(bytes);
    const hasOne = at >= 0 && bytes.toString("latin1", at, at + 6) === '"crc":';
    const before = hasOne ? crc32(bytes.subarray(0, at), this.#crc) : this.#crc;
    this.#crc = crc32("\n", crc32(bytes.subarray(hasOne ? at : 0), before));
    if (!hasOne) return false;
    const isProved = this.#doubted === undefined && isChecksum(before, bytes, at);
    if (isProved) this.#proved = this.#line;
    else this.#doubted ??= this.#line;
    return isProved;
  }

  #takeHead(text: string): void {
    this.#headText += `${text}\n`;
    if (this.#line < headLines) return;
    const match = headPattern.exec(this.#headText);
    if (match === null) throw this.#damage("they are not the head of a document");
    const [, format, seq, lastChange, takenAt = ""] = match;
    this.#format = Number(format);
    this.head = { seq: Number(seq), lastChange: Number(lastChange), takenAt };
  }

  /** Thrown only after a right checksum: a damaged digit must not look like another format. */
  #otherFormat(): DocumentError {
    const detail = `expected a document of format ${documentFormat}, got format ${this.#format}`;
    return new DocumentError(this.#file, detail, { line: 2 });
  }

  #closeList(): void {
    if (this.#list === undefined) throw this.#damage("no list ends here");
    this.#list = undefined;
  }

  #takeMember(text: string, isProved: boolean): void {
    if (text.startsWith('"crc":') && text.length === checksumBytes) {
      if (!isProved) throw this.#damage("a checksum is wrong");
      this.#isSealed = true;
      return;
    }
    const [start, kind = ""] = memberPattern.exec(text) ?? [];
    if (start === undefined) throw this.#damage("expected a list or the end");
    if (text === `${start}[`) {
      this.#list = kind;
      this.#index = 0;
    } else this.#takeResource(kind, undefined, text.slice(start.length));
  }

  /** `text`: its JSON, perhaps with a comma behind it. */
  #takeResource(kind: string, index: number | undefined, text: string): void {
    let members: unknown;
    try {
      members = JSON.parse(text.endsWith(",") ? text.slice(0, -1) : text);
    } catch {
      throw this.#damage("it is not JSON");
    }
    try {
      this.#take(kind, members);
    } catch (error) {
      const detail = faultOf(error);
      if (this.#doubted !== undefined) throw this.#damage("a checksum is wrong");
      const line = this.#line;
      throw new DocumentError(this.#file, `${placeOf(kind, index)}: ${detail}`, { line });
    }
  }

  #takeEnd(text: string): void {
    if (text !== "}" || this.#list !== undefined) throw this.#damage('expected "}"');
    this.hasEnded = true;
  }

  /** The error names the first line that is certainly wrong. */
  #damage(reason: string, line: number = this.#line): DocumentError {
    const last = this.#doubted ?? line;
    const first = this.#proved + 1;
    const where = first === last ? "it is" : `one of lines ${first} to ${last} is`;
    const why = this.#doubted === undefined ? reason : "a checksum is wrong";
    const detail = `${where} not what Forno wrote: ${why}`;
    return new DocumentError(this.#file, detail, { line: last, isDamage: true });
  }
}

/** `toppings[3]`, or `"shop"`. */
export function placeOf(member: string, index: number | undefined): string {
  return index === undefined ? `"${member}"` : `${member}[${index}]`;
}

/** The offset at which a checksum would begin in this line. A row ends with `}` or `},`. */
function checksumAt(bytes: Buffer): number {
  if (bytes.length === checksumBytes) return 0;
  return bytes.length - checksumBytes - (bytes.at(-1) === comma ? 2 : 1);
}
