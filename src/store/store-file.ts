/**
 * The store's file, for readers: its durable bytes, which never change, and the tags of its
 * beginnings. A tag has the checksum of the header, the length, and the checksum of the last line
 * before that: a restored backup has the same header, and then other lines.
 */

import type { FileStat, OpenFile } from "./file-system.ts";

/** A client that does not read holds one piece. */
const pieceBytes = 65_536;
/** More than a header has. */
const headerBytes = 256;
const seal = /"crc":"([0-9a-f]{8})"\}\n/;
/** The length of a seal. */
const sealBytes = 18;

export class StoreFile {
  readonly file: OpenFile;
  /** As in FileStat. */
  readonly id: string;
  /** Durable bytes. They end with a whole line. */
  length: number;

  /** `size`: of an open file that is synced. */
  constructor(file: OpenFile, { id, size }: Pick<FileStat, "id" | "size">) {
    this.file = file;
    this.id = id;
    this.length = size;
  }

  /** The entity tag of the first `length` bytes. */
  async tag(length: number): Promise<string> {
    const beginning = await this.#text(0, Math.min(length, headerBytes));
    const end = await this.#text(Math.max(0, length - sealBytes), length);
    const [header, last] = [beginning, end].map((text) => seal.exec(text)?.[1]);
    return `"${header}-${length}-${last}"`;
  }

  /** The length in a tag of this file; undefined for a tag of another one. */
  async lengthIn(tag: string): Promise<number | undefined> {
    const length = Number(/^"[0-9a-f]{8}-(\d{1,15})-[0-9a-f]{8}"$/.exec(tag)?.[1]);
    return length <= this.length && (await this.tag(length)) === tag ? length : undefined;
  }

  /** The bytes from `start` to `end`, a piece at a time. Throws Error if the file was cut. */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer, void> {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(end - at, pieceBytes));
      const count = await this.file.read(piece, at);
      if (count === 0) {
        throw new Error("the store's file was cut; put a backup in its place, then restart");
      }
      at += count;
      yield piece.subarray(0, count);
    }
  }

  async #text(start: number, end: number): Promise<string> {
    let text = "";
    for await (const piece of this.pieces(start, end)) text += piece.toString("latin1");
    return text;
  }
}
