/** The most recent durable changes, in order, so that a client can resume its event stream. */

import { firstIndex, type Row } from "./rows.ts";

/** One write that is on disk. */
export interface Change {
  readonly seq: number;
  readonly kind: string;
  readonly action: "created" | "updated" | "deleted";
  readonly id: string;
  /** The row after the write; undefined after a delete. */
  readonly row: Row | undefined;
  readonly deleted: Row | undefined;
}

/** The list holds at least this many changes, and at most twice as many. */
const recentCount = 10_000;

export class Changes {
  /** The seq of the last change; right after a start, of the journal's last record. */
  last: number;
  /** Every change with a higher seq is in the list. */
  #floor: number;
  readonly #recent: Change[] = [];

  constructor(last: number) {
    this.last = last;
    this.#floor = last;
  }

  add(change: Change): void {
    this.last = change.seq;
    this.#recent.push(change);
    // Half of the list at once, because each splice moves the whole rest.
    if (this.#recent.length < 2 * recentCount) return;
    const cut = this.#recent.splice(0, recentCount);
    this.#floor = cut.at(-1)?.seq ?? this.#floor;
  }

  /** The first `most` changes after `seq`; undefined if `seq` is too old, or not reached yet. */
  since(seq: number, most: number): readonly Change[] | undefined {
    if (seq < this.#floor || seq > this.last) return undefined;
    const start = firstIndex(this.#recent, (change) => change.seq > seq);
    return this.#recent.slice(start, start + most);
  }
}
