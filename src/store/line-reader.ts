/** Reads a file line by line, in large pieces; never holds the whole file in memory. */

import { Buffer } from "node:buffer";

export interface Readable {
  /** Resolves to the number of bytes read; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
}

/** A line of a file and its position. */
export interface Line {
  /** Without its newline. Valid only during the call. */
  readonly bytes: Buffer;
  /** 1 for the first. */
  readonly number: number;
  /** The file offset of the first byte. */
  readonly offset: number;
  /** False for text after the last newline. */
  readonly complete: boolean;
}

/** Most files fit in the first piece. Larger files continue in pieces of `pieceBytes`. */
const firstPieceBytes = 16_384;
const pieceBytes = 1_048_576;
const newline = 0x0a;

/** Calls `each` for every line, also for a last line without newline. */
export async function readLines(
  file: Readable,
  each: (line: Line) => void,
): Promise<void> {
  let buffer = Buffer.allocUnsafe(firstPieceBytes);
  let held = 0;
  let offset = 0;
  let number = 0;
  for (;;) {
    const count = await file.read(buffer.subarray(held), offset + held);
    if (count === 0) break;
    const searched = held;
    held += count;
    const isFull = held === buffer.length;
    let start = 0;
    let end = buffer.subarray(0, held).indexOf(newline, searched);
    while (end !== -1 && end < held) {
      const bytes = buffer.subarray(start, end);
      each({ bytes, number: ++number, offset: offset + start, complete: true });
      start = end + 1;
      end = buffer.indexOf(newline, start);
    }
    buffer.copyWithin(0, start, held);
    offset += start;
    held -= start;
    // The first piece was full, or a line is longer than the buffer.
    if (isFull && (buffer.length < pieceBytes || held === buffer.length)) {
      buffer = larger(buffer, held);
    }
  }
  if (held === 0) return;
  each({ bytes: buffer.subarray(0, held), number: number + 1, offset, complete: false });
}

function larger(buffer: Buffer, held: number): Buffer<ArrayBuffer> {
  const next = Buffer.allocUnsafe(Math.max(buffer.length * 2, pieceBytes));
  buffer.copy(next, 0, 0, held);
  return next;
}
