/**
 * `"crc":"1c291ca3"`: what ends a record of the journal, a line of the document and the document.
 *
 * CRC-32 (as of zlib, PNG and `crc32` in a shell) of every byte before it: of a record those of its
 * line, in a document all from its beginning. Eight hexadecimal digits, lower case.
 */

import { Buffer } from "node:buffer";

const start: Buffer = Buffer.from('"crc":"');
const digits: Buffer = Buffer.from("0123456789abcdef");
const quote = 0x22;

/** Bytes of the member. */
export const checksumBytes: number = start.length + 8 + 1;

/** Its value. */
export function checksumText(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/** Writes the member at `offset`; returns the offset after it. */
export function writeChecksum(crc: number, into: Buffer, offset: number): number {
  let at = offset;
  // Byte by byte: so few cost less than a call of what copies them.
  for (let index = 0; index < start.length; index++) into[at++] = start[index] ?? 0;
  for (let shift = 28; shift >= 0; shift -= 4) into[at++] = digits[(crc >>> shift) & 15] ?? 0;
  into[at] = quote;
  return at + 1;
}

const written: Buffer = Buffer.alloc(checksumBytes);

/** Whether the member for this checksum stands at `offset`. */
export function isChecksum(crc: number, bytes: Buffer, offset: number): boolean {
  if (offset < 0 || offset + checksumBytes > bytes.length) return false;
  writeChecksum(crc, written, 0);
  for (let index = 0; index < checksumBytes; index++) {
    if (bytes[offset + index] !== written[index]) return false;
  }
  return true;
}
