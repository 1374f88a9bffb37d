/**
 * The store's file from the reading side: an open descriptor, how much of it is durable, and, once
 * a rewrite has replaced it, the file that goes on in its place. A reader of a followed backup goes
 * from file to file without a gap.
 *
 * A file is closed when nobody uses it: the store, its readers, and the file that it replaced,
 * because readers of that file go on in this one.
 */

import type { OpenFile } from "./file-system.ts";
import { type Line, readLines } from "./line-reader.ts";
import { fileCut, StoreError } from "./store-error.ts";

/** One file, in use or replaced. */
export class StoreFile {
  readonly file: OpenFile;
  /** As in FileStat. */
  readonly id: string;
  /** The `seq` of its header. */
  readonly seq: number;
  /** The offset after header and resources. */
  readonly changesStart: number;
  /** Durable bytes. They end with a whole line, and never change. */
  length: number;
  /** The file that replaced this one, and the offset in it where this one's end is. */
  successor: { readonly file: StoreFile; readonly start: number } | undefined;
  /** The first use is the store's. */
  #uses = 1;

  constructor(made: Pick<StoreFile, "file" | "id" | "seq" | "changesStart" | "length">) {
    this.file = made.file;
    this.id = made.id;
    this.seq = made.seq;
    this.changesStart = made.changesStart;
    this.length = made.length;
  }

  /** Throws StoreError if the file was replaced and closed: a second end would close the next. */
  use(): void {
    if (this.#uses === 0) throw new StoreError("closed", "the file was replaced");
    this.#uses += 1;
  }

  /** Ends one use. The last one closes the file. */
  async release(): Promise<void> {
    this.#uses -= 1;
    if (this.#uses > 0) return;
    // Nothing is left to be written, so a failed close does no harm.
    await this.file.close().catch(() => {});
    await this.successor?.file.release();
  }

  /** The store goes on in another file, which has the same content up to now. */
  replaceBy(next: StoreFile): void {
    next.use();
    this.successor = { file: next, start: next.length };
    // Writes do not wait: the disk takes long to free a large file. It never rejects.
    void this.release();
  }

  /** A reader from this offset on. It must be closed. */
  reader(offset = 0): FileReader {
    return new FileReader(this, offset);
  }

  /** A reader of everything after change `seq`; undefined if the file does not have that. */
  async readerAfter(seq: number): Promise<FileReader | undefined> {
    if (seq === this.seq) return this.reader(this.changesStart);
    const beginning = `{"seq":${seq},"after":`;
    let start: number | undefined;
    const note = ({ bytes, end }: Line): void => {
      if (bytes.toString("latin1", 0, beginning.length) === beginning) start = end;
    };
    this.use();
    try {
      await readLines(this.file, note, this.changesStart, this.length);
      return start === undefined ? undefined : this.reader(start);
    } finally {
      await this.release();
    }
  }
}

/** As much as a client that does not read may hold. */
const pieceBytes = 65_536;

/** A position in the store's bytes, over all replaced files. One read at a time. */
class FileReader {
  #file: StoreFile;
  #offset: number;
  #reading: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(file: StoreFile, offset: number) {
    file.use();
    this.#file = file;
    this.#offset = offset;
  }

  /** The next durable bytes, at most 64 KiB and `max`; undefined if there are none yet. */
  read(max: number = pieceBytes): Promise<Buffer | undefined> {
    const reading = this.#read(max);
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #read(max: number): Promise<Buffer | undefined> {
    while (this.#offset === this.#file.length) {
      const { successor } = this.#file;
      if (successor === undefined) return undefined;
      const old = this.#file;
      successor.file.use();
      [this.#file, this.#offset] = [successor.file, successor.start];
      await old.release();
    }
    const left = this.#file.length - this.#offset;
    const piece = Buffer.allocUnsafe(Math.min(max, left, pieceBytes));
    const count = await this.#file.file.read(piece, this.#offset);
    if (count === 0) throw fileCut();
    this.#offset += count;
    return piece.subarray(0, count);
  }

  /** Idempotent. Waits for a read, whose descriptor must not be closed under it. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#reading;
    await this.#file.release();
  }
}
