/** Reads a file line by line; never holds the whole file in memory. */

import { type OpenFile, readPieces } from "./file-system.ts";

export interface Line {
  /** Without its newline; cut if it is too long. Valid only during the call. */
  readonly bytes: Buffer;
  /** 1 for the first. */
  readonly number: number;
  /** The file offset of the first byte, and of the first byte after the newline. */
  readonly start: number;
  readonly end: number;
  /** False for text after the last newline, and for a line that was cut. */
  readonly isWhole: boolean;
}

/** Several times the longest line that Forno writes. */
const maxLineBytes = 4_194_304;
const newline = 0x0a;
const nothing: Buffer = Buffer.alloc(0);

/** Calls `each` for every line of a part of the file, also for a last line without newline. */
export async function readLines(
  file: Pick<OpenFile, "read">,
  each: (line: Line) => void,
  from: number = 0,
  to: number = Infinity,
): Promise<void> {
  let number = 1;
  let start = from;
  let offset = from;
  /** The part of the line in earlier pieces. */
  let begun = nothing;
  for await (const piece of readPieces(file, from, to)) {
    let at = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, at)) {
      const bytes = joined(begun, piece.subarray(at, end));
      at = end + 1;
      const isWhole = bytes.length <= maxLineBytes;
      each({ bytes, number, start, end: offset + at, isWhole });
      begun = nothing;
      number += 1;
      start = offset + at;
    }
    // A copy, because the next piece has the same buffer.
    begun = joined(begun, Buffer.from(piece.subarray(at)));
    offset += piece.length;
  }
  if (begun.length > 0) each({ bytes: begun, number, start, end: offset, isWhole: false });
}

/** A line that is too long is cut after the first byte too many. */
function joined(begun: Buffer, more: Buffer): Buffer {
  if (begun.length === 0) return more;
  if (begun.length > maxLineBytes) return begun;
  return Buffer.concat([begun, more], Math.min(begun.length + more.length, maxLineBytes + 1));
}
