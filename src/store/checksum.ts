/**
 * The checksum `"crc":"1c291ca3"` at the end of a journal record, a document's line and a document.
 *
 * It is the CRC-32 (zlib's) of all bytes before it: in a record, from the start of the line; in a
 * document, from the start of the file. Eight hexadecimal digits, lower case.
 */

import type { Buffer } from "node:buffer";

/** The length of the whole member `"crc":"…"`. */
export const checksumBytes = 16;

/** The member as text. */
export function checksumText(crc: number): string {
  return `"crc":"${crc.toString(16).padStart(8, "0")}"`;
}

/** Writes the member at `offset`; returns the offset after it. */
export function writeChecksum(crc: number, into: Buffer, offset: number): number {
  return offset + into.write(checksumText(crc), offset, "latin1");
}

/** True if the bytes at `offset` are the member for this checksum. */
export function isChecksum(crc: number, bytes: Buffer, offset: number): boolean {
  const end = offset + checksumBytes;
  return offset >= 0 && bytes.toString("latin1", offset, end) === checksumText(crc);
}
