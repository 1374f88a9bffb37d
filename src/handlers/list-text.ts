/**
 * The text of a list: whole where it is short, else in pieces. A piece begins after the row at
 * which the one before it ended, so that a reader holds the number of that row and one piece. What
 * is read more than once is kept, and its readers hold the same pieces.
 */

import type { Entry } from "../store/table.ts";
import type { Selection } from "./selection.ts";

/** Characters in one piece: with the row that ends it, what the kernel takes as one packet. */
const pieceLength = 64_000;
/** In one that is kept. */
const keptLength = 2 * pieceLength;
/** Bytes that are kept of one list. */
const keptOfOne = 8_388_608;

/** What may still be kept, of several lists together. */
export interface Room {
  bytes: number;
}

interface Piece {
  readonly bytes: Uint8Array;
  /** The seq of its last row; undefined where the list ends. */
  readonly last: number | undefined;
}

/** A JSON array, one resource per line. */
export class ListText {
  readonly #selection: Selection;
  readonly #textOf: (entry: Entry) => string;
  readonly #room: Room;
  readonly #isShort: boolean;
  #whole: string | undefined;
  #readings = 0;
  /** By the row that they begin after, undefined for the first. */
  readonly #pieces = new Map<number | undefined, Piece>();
  #canKeep = keptOfOne;

  constructor(selection: Selection, textOf: (entry: Entry) => string, room: Room) {
    this.#selection = selection;
    this.#textOf = textOf;
    this.#room = room;
    this.#isShort = isShort(selection);
  }

  /** Undefined where it is long. */
  whole(): string | undefined {
    if (!this.#isShort) return undefined;
    if (this.#whole === undefined) {
      this.#whole = this.#read(undefined, Infinity).text;
      this.#room.bytes -= this.#whole.length;
    }
    return this.#whole;
  }

  *pieces(): Generator<Uint8Array, void> {
    this.#readings += 1;
    let after: number | undefined;
    do {
      const piece: Piece = this.#pieces.get(after) ?? this.#make(after);
      yield piece.bytes;
      after = piece.last;
    } while (after !== undefined);
  }

  /** Nothing is kept any more, though there may be readers who are not at the end. */
  forget(): void {
    this.#pieces.clear();
    this.#canKeep = 0;
  }

  #make(after: number | undefined): Piece {
    const isKept = this.#readings > 1 && Math.min(this.#canKeep, this.#room.bytes) > 0;
    const { text, last } = this.#read(after, isKept ? keptLength : pieceLength);
    const piece = { bytes: Buffer.from(text), last };
    if (isKept) {
      this.#canKeep -= piece.bytes.length;
      this.#room.bytes -= piece.bytes.length;
      this.#pieces.set(after, piece);
    }
    return piece;
  }

  /** The rows behind one of them, until the text is so long. */
  #read(after: number | undefined, length: number): { text: string; last: number | undefined } {
    let text = after === undefined ? "[" : "";
    let separator = after === undefined ? "\n" : ",\n";
    let last: number | undefined;
    for (const entry of this.#selection.rows(after)) {
      if (text.length >= length) return { text, last };
      text += separator + this.#textOf(entry);
      separator = ",\n";
      last = entry.seq;
    }
    return { text: text === "[" ? "[]\n" : `${text}\n]\n`, last: undefined };
  }
}

function isShort(selection: Selection): boolean {
  let length = 0;
  for (const { text } of selection.rows()) {
    length += text.length;
    if (length > pieceLength) return false;
  }
  return true;
}
