/**
 * Reads a JSON document with everything in it, {"toppings":[…],"orders":[…],…}, resource by
 * resource: of any size, in any layout, and never more than one resource of it in memory. Of a
 * follower's copy the lines behind the document come next.
 *
 * Here only the frame of the document is taken apart; what is within a value, JSON.parse judges.
 * A document that ends with a checksum (checksum.ts) must be as it was written.
 */

import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { messageOf } from "../log/system-error.ts";
import { inWords } from "../problems/faults.ts";
import { checksumBytes, checksumText, isChecksum } from "./checksum.ts";
import { DocumentError } from "./document.ts";

/** A value of the document: an item of a member's array, or of the member itself. */
export interface Part {
  readonly member: string;
  /** Its position in the array; undefined where there is none, or an empty one. */
  readonly index: number | undefined;
  readonly value: unknown;
  /** The line of its first character. */
  readonly line: number;
}

/** A line behind the document. */
export interface CopiedLine {
  /** Without its newline. Valid until the next one is asked for. */
  readonly bytes: Buffer;
  readonly line: number;
  /** False for what stands after the last newline. */
  readonly isWhole: boolean;
}

const pieceBytes = 1_048_576;
/** Several times what the largest resource takes, spelled as wastefully as JSON can be. */
const valueBytesLimit = 16_777_216;

const byte = (character: string): number => character.charCodeAt(0);
const newline = byte("\n");
const quote = byte('"');
const backslash = byte("\\");
const colon = byte(":");
const comma = byte(",");
const [openBrace, closeBrace] = [byte("{"), byte("}")];
const [openBracket, closeBracket] = [byte("["), byte("]")];
const end = -1;

/** A document that is read from its beginning to its end, once. All of it throws DocumentError. */
export class PartReader {
  readonly #file: string;
  readonly #handle: number;
  #buffer: Buffer = Buffer.allocUnsafe(pieceBytes);
  #at = 0;
  #length = 0;
  #line = 1;
  /** The checksum of the bytes up to `#summed` in the buffer. */
  #crc = 0;
  #summed = 0;
  /** The first line whose own checksum is wrong. */
  #doubted: number | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#handle = this.#attempt(() => openSync(file, "r"));
  }

  close(): void {
    closeSync(this.#handle);
  }

  /** Every part, in the order of the document. */
  *parts(): Generator<Part> {
    this.#skipByteOrderMark();
    this.#take(openBrace, "an object with a list for each kind");
    if (this.#peek() === closeBrace) this.#at += 1;
    else yield* this.#members();
  }

  /** The lines behind it that are not empty. */
  *lines(): Generator<CopiedLine> {
    while (this.#peek() !== end) {
      let length = -1;
      while ((length = this.#buffer.subarray(this.#at, this.#length).indexOf(newline)) === -1) {
        if (!this.#fill()) break;
      }
      const isWhole = length !== -1;
      const stop = isWhole ? this.#at + length : this.#length;
      yield { bytes: this.#buffer.subarray(this.#at, stop), line: this.#line, isWhole };
      this.#at = stop;
    }
  }

  *#members(): Generator<Part> {
    const known = new Set<string>();
    do {
      this.#peek();
      const crc = this.#sumTo(this.#at);
      const { value: member, line } = this.#value("a member's name");
      if (typeof member !== "string") throw this.#error(line, "expected a member's name in quotes");
      if (known.has(member)) throw this.#error(line, `${inWords(member)} appears twice`);
      known.add(member);
      this.#take(colon, 'a ":"');
      if (this.#peek() === openBracket) {
        yield* this.#items(member);
        continue;
      }
      const { value, line: valueLine } = this.#value("a value");
      if (member === "crc" && value !== checksumText(crc)) throw this.#changed(line);
      yield { member, index: undefined, value, line: valueLine };
    } while (this.#hasMore(closeBrace, '"," or "}"'));
  }

  *#items(member: string): Generator<Part> {
    const line = this.#line;
    this.#at += 1;
    if (this.#peek() === closeBracket) {
      this.#at += 1;
      yield { member, index: undefined, value: [], line };
      return;
    }
    let index = 0;
    do {
      yield { member, index, ...this.#value("a resource") };
      index += 1;
    } while (this.#hasMore(closeBracket, '"," or "]"'));
  }

  /** A later change shows in the document's checksum, and before that in those of its lines. */
  #changed(line: number): DocumentError {
    return this.#error(
      this.#doubted ?? line,
      "the checksum is not that of the document up to here, so it was damaged or changed; " +
        'who has changed it on purpose deletes its last member, "crc"',
    );
  }

  #noteDoubt(bytes: Buffer, line: number): void {
    const offset = bytes.length - checksumBytes - 1;
    if (offset < 0 || bytes.toString("latin1", offset, offset + 6) !== '"crc":') return;
    const crc = this.#sumTo(this.#at + offset);
    if (!isChecksum(crc, bytes, offset)) this.#doubted ??= line;
  }

  #sumTo(at: number): number {
    this.#crc = crc32(this.#buffer.subarray(this.#summed, at), this.#crc);
    this.#summed = at;
    return this.#crc;
  }

  #error(line: number, detail: string): DocumentError {
    return new DocumentError(this.#file, line, detail);
  }

  /** Takes a comma, or what ends the list. */
  #hasMore(closing: number, expected: string): boolean {
    const next = this.#peek();
    if (next !== comma && next !== closing) throw this.#unexpected(expected);
    this.#at += 1;
    return next === comma;
  }

  #take(wanted: number, expected: string): void {
    if (this.#peek() !== wanted) throw this.#unexpected(expected);
    this.#at += 1;
  }

  #unexpected(expected: string): DocumentError {
    const next = this.#peek();
    const got = next === end ? "the end of the file" : inWords(String.fromCharCode(next));
    return this.#error(this.#line, `expected ${expected}, got ${got}`);
  }

  #skipByteOrderMark(): void {
    this.#peek();
    if (this.#buffer.toString("utf8", this.#at, this.#at + 3) !== "\ufeff") return;
    this.#at += 3;
    this.#summed = 3;
  }

  /** The next byte that is no white space, not yet taken. */
  #peek(): number {
    for (;; this.#at += 1) {
      if (this.#at === this.#length && !this.#fill()) return end;
      const next = this.#buffer[this.#at] ?? end;
      if (next === newline) this.#line += 1;
      else if (next !== 0x20 && next !== 0x0d && next !== 0x09) return next;
    }
  }

  /** Takes one value of whatever type. */
  #value(expected: string): { readonly value: unknown; readonly line: number } {
    if (this.#peek() === end) throw this.#unexpected(expected);
    const line = this.#line;
    const length = this.#valueLength();
    const bytes = this.#buffer.subarray(this.#at, this.#at + length);
    if (length === 0) throw this.#unexpected(expected);
    if (!isUtf8(bytes)) throw this.#error(line, "expected UTF-8, got other bytes");
    this.#noteDoubt(bytes, line);
    this.#at += length;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
      this.#line += 1;
    }
    try {
      return { value: JSON.parse(bytes.toString()), line };
    } catch (error) {
      throw this.#error(line, `not JSON: ${messageOf(error)}`);
    }
  }

  /** Bytes from here to where the braces, brackets and quotes are closed that were opened here. */
  #valueLength(): number {
    let buffer = this.#buffer;
    let start = this.#at;
    let depth = 0;
    let isQuoted = false;
    for (let length = 0; ; length += 1) {
      while (start + length >= this.#length) {
        if (!this.#fill()) return this.#length - this.#at;
        buffer = this.#buffer;
        start = this.#at;
      }
      const next = buffer[start + length];
      if (next === quote) {
        isQuoted = !isQuoted;
        if (!isQuoted && depth === 0) return length + 1;
      } else if (isQuoted) {
        if (next === backslash) length += 1;
      } else if (next === openBrace || next === openBracket) {
        depth += 1;
      } else if (next === closeBrace || next === closeBracket) {
        depth -= 1;
        if (depth <= 0) return depth < 0 ? length : length + 1;
      } else if (depth === 0 && (next === comma || next === colon || isSpace(next))) {
        return length;
      }
    }
  }

  /** Reads on, keeping what is not yet taken. False at the end of the file. */
  #fill(): boolean {
    this.#sumTo(this.#at);
    this.#buffer.copyWithin(0, this.#at, this.#length);
    this.#summed = 0;
    this.#length -= this.#at;
    this.#at = 0;
    if (this.#length > valueBytesLimit) {
      const detail = `expected resources, got a value of over ${valueBytesLimit} bytes`;
      throw this.#error(this.#line, detail);
    }
    if (this.#length === this.#buffer.length) {
      this.#buffer = Buffer.concat([this.#buffer], this.#length * 2);
    }
    const room = this.#buffer.length - this.#length;
    const count = this.#attempt(() =>
      readSync(this.#handle, this.#buffer, this.#length, room, null),
    );
    this.#length += count;
    return count > 0;
  }

  #attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw new DocumentError(this.#file, undefined, messageOf(error));
    }
  }
}

function isSpace(character: number | undefined): boolean {
  return character === 0x20 || character === newline || character === 0x0d || character === 0x09;
}
