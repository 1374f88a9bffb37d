/** The store's file, for readers: its durable bytes, which never change. */

import type { FileStat, OpenFile } from "./file-system.ts";

/** A client that does not read holds one piece. */
const pieceBytes = 65_536;

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

  /** The first `length` bytes, a piece at a time. Throws Error if the file was cut. */
  async *pieces(length: number): AsyncGenerator<Buffer, void> {
    let at = 0;
    while (at < length) {
      const piece = Buffer.allocUnsafe(Math.min(length - at, pieceBytes));
      const count = await this.file.read(piece, at);
      if (count === 0) {
        throw new Error("the store's file was cut; put a backup in its place, then restart");
      }
      at += count;
      yield piece.subarray(0, count);
    }
  }
}
