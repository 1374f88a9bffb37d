/**
 * The checksum `"crc":"1c291ca3"` at the end of a journal record, a document's line and a document.
 *
 * It is the CRC-32 (zlib's) of all bytes before it: in a record, from the start of the line; in a
 * document, from the start of the file. Eight hexadecimal digits, lower case.
 */

import { Buffer } from "node:buffer";

const start: Buffer = Buffer.from('"crc":"');
const digits: Buffer = Buffer.from("0123456789abcdef");
const quote = 0x22;

/** The length of the whole member `"crc":"…"`. */
export const checksumBytes: number = start.length + 8 + 1;

/** The eight digits. */
export function checksumText(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/** Writes the member at `offset`; returns the offset after it. */
export function writeChecksum(crc: number, into: Buffer, offset: number): number {
  let at = offset;
  // Byte by byte: for seven bytes a call of Buffer.copy takes longer.
  for (let index = 0; index < start.length; index++) into[at++] = start[index] ?? 0;
  for (let shift = 28; shift >= 0; shift -= 4) into[at++] = digits[(crc >>> shift) & 15] ?? 0;
  into[at] = quote;
  return at + 1;
}

const written: Buffer = Buffer.alloc(checksumBytes);

/** True if the bytes at `offset` are the member for this checksum. */
export function isChecksum(crc: number, bytes: Buffer, offset: number): boolean {
  if (offset < 0 || offset + checksumBytes > bytes.length) return false;
  writeChecksum(crc, written, 0);
  for (let index = 0; index < checksumBytes; index++) {
    if (bytes[offset + index] !== written[index]) return false;
  }
  return true;
}
