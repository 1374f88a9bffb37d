/** The newest durable changes, kept for clients that resume: each once, in order. */

import { firstIndex, type Row } from "./rows.ts";

/** One write that is on disk. */
export interface Change {
  readonly seq: number;
  readonly kind: string;
  readonly action: "created" | "updated" | "deleted";
  readonly id: string;
  /** What is stored now; undefined once it is deleted. */
  readonly row: Row | undefined;
  readonly before: Row | undefined;
}

/** At least so many changes are kept. */
const kept = 10_000;

/** The newest changes. */
export class Changes {
  /** The number of the last change; after a start, of the last record. */
  last: number;
  /** Every change after this number is known. */
  #floor: number;
  readonly #recent: Change[] = [];

  constructor(last: number) {
    this.last = last;
    this.#floor = last;
  }

  add(change: Change): void {
    this.last = change.seq;
    this.#recent.push(change);
    // Twice the number before they are cut, so that cutting costs nothing per change.
    if (this.#recent.length < 2 * kept) return;
    const cut = this.#recent.splice(0, kept);
    this.#floor = cut.at(-1)?.seq ?? this.#floor;
  }

  /** The first `most` changes after `seq`; undefined when that is too far back, or ahead of all. */
  since(seq: number, most: number): readonly Change[] | undefined {
    if (seq < this.#floor || seq > this.last) return undefined;
    const start = firstIndex(this.#recent, (change) => change.seq > seq);
    return this.#recent.slice(start, start + most);
  }
}
