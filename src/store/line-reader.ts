/** Reads a file line by line; never holds the whole file in memory. */

import { Buffer } from "node:buffer";
import { type OpenFile, readPieces } from "./file-system.ts";

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

const newline = 0x0a;

type EachLine = (line: Line) => void;
type ReadFile = Pick<OpenFile, "read" | "close">;

/** Calls `each` for every line of a file, also for a last line without newline. */
export async function readLines(
  files: { open(path: string, mode: "read"): Promise<ReadFile> },
  path: string,
  each: EachLine,
): Promise<void> {
  const file = await files.open(path, "read");
  await splitLines(file, each).finally(() => file.close());
}

async function splitLines(file: ReadFile, each: EachLine): Promise<void> {
  let number = 1;
  let offset = 0;
  /** The parts of the line that the last piece ended in. */
  let begun: Buffer[] = [];
  for await (const piece of readPieces(file, Infinity)) {
    let start = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      const part = piece.subarray(start, end);
      const bytes = begun.length === 0 ? part : Buffer.concat([...begun, part]);
      each({ bytes, number, offset, complete: true });
      begun = [];
      number += 1;
      offset += bytes.length + 1;
      start = end + 1;
    }
    // A copy, because the next piece has the same buffer.
    if (start < piece.length) begun.push(Buffer.from(piece.subarray(start)));
  }
  if (begun.length === 0) return;
  each({ bytes: Buffer.concat(begun), number, offset, complete: false });
}
