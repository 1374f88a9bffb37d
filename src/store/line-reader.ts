/** Reads a file line by line; never holds the whole file in memory. */

import { type OpenFile, readPieces } from "./file-system.ts";

export interface Line {
  /** Without its newline; cut at `maxLineBytes`. Valid only during the call. */
  readonly bytes: Buffer;
  /** 1 for the first. */
  readonly number: number;
  /** The file offset of the first byte, and of the first byte behind the newline. */
  readonly start: number;
  readonly end: number;
  /** False for text after the last newline, and for a line that was cut. */
  readonly isWhole: boolean;
}

/** Several times the longest line that Forno writes. */
const maxLineBytes = 4_194_304;
const newline = 0x0a;

/** Calls `each` for every line of a file, also for a last line without newline. */
export async function readLines(
  file: Pick<OpenFile, "read">,
  each: (line: Line) => void,
): Promise<void> {
  let number = 1;
  let start = 0;
  /** The parts of a line that began in earlier pieces, and its length so far. */
  let begun: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    const room = Math.max(0, maxLineBytes - length);
    // A copy, because the next piece has the same buffer.
    if (room > 0) begun.push(Buffer.from(part.subarray(0, room)));
    length += part.length;
  };
  for await (const piece of readPieces(file, 0, Infinity)) {
    let from = 0;
    for (let to = piece.indexOf(newline); to !== -1; to = piece.indexOf(newline, from)) {
      const part = piece.subarray(from, to);
      from = to + 1;
      if (length > 0) add(part);
      const bytes = length > 0 ? Buffer.concat(begun) : part;
      const end = start + (length || part.length) + 1;
      each({ bytes, number, start, end, isWhole: length <= maxLineBytes });
      [begun, length, start] = [[], 0, end];
      number += 1;
    }
    if (from < piece.length) add(piece.subarray(from));
  }
  if (length === 0) return;
  each({ bytes: Buffer.concat(begun), number, start, end: start + length, isWhole: false });
}
