/** Reads a file line by line; never holds the whole file in memory. */

import { crc32 } from "node:zlib";
import { type OpenFile, readAll } from "./file-system.ts";

export interface Line {
  /** Without its newline; cut if it is too long. Valid only during the call. */
  readonly bytes: Buffer;
  /** 1 for the first. */
  readonly number: number;
  /** The file offset after the line and its newline. */
  readonly end: number;
  /** False for text after the last newline. */
  readonly hasNewline: boolean;
  /** True if it was cut. */
  readonly isTooLong: boolean;
}

/** Several times the longest line that Forno writes. */
const maxLineBytes = 4_194_304;
const newline = 0x0a;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Calls `each` for every line, also for a last line without newline. Resolves to the CRC-32 of the
 * whole file.
 */
export async function readLines(
  file: Pick<OpenFile, "read">,
  each: (line: Line) => void,
): Promise<number> {
  let number = 0;
  let offset = 0;
  let crc = 0;
  /** The part of the line in earlier pieces. */
  let begun = nothing;
  const take = (bytes: Buffer, end: number, hasNewline: boolean): void => {
    number += 1;
    each({ bytes, number, end, hasNewline, isTooLong: bytes.length > maxLineBytes });
  };
  for await (const piece of readAll(file)) {
    crc = crc32(piece, crc);
    let at = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, at)) {
      const bytes = joined(begun, piece.subarray(at, end));
      begun = nothing;
      at = end + 1;
      take(bytes, offset + at, true);
    }
    // A copy, because the next piece has the same buffer.
    begun = joined(begun, Buffer.from(piece.subarray(at)));
    offset += piece.length;
  }
  if (begun.length > 0) take(begun, offset, false);
  return crc;
}

/** A line that is too long is cut after its first byte too many, to show that it is. */
function joined(begun: Buffer, more: Buffer): Buffer {
  if (begun.length === 0) return more;
  if (begun.length > maxLineBytes) return begun;
  return Buffer.concat([begun, more], Math.min(begun.length + more.length, maxLineBytes + 1));
}
