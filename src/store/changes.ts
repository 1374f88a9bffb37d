/** The newest durable changes, kept for those who follow them: each seen once, in order. */

import { position } from "./sorted-rows.ts";
import type { Entry } from "./table.ts";

/** One write that is on disk. */
export interface Change {
  readonly seq: number;
  readonly kind: string;
  readonly action: "created" | "updated" | "deleted";
  readonly id: string;
  /** What is stored now; undefined when deleted. */
  readonly entry: Entry | undefined;
  /** What was stored before. */
  readonly before: Entry | undefined;
}

/** At least so many changes are kept, unless their texts together are longer than `keptLength`. */
const kept = 10_000;
const keptLength = 33_554_432;

/** The newest changes, and who follows them. */
export class Changes {
  /** The number of the last change; after a start, of the last record. */
  last: number;
  /** Every change after this number is known. */
  #floor: number;
  readonly #recent: Change[] = [];
  /** The length of all their texts, in UTF-16 units. */
  #length = 0;
  #follower: (change: Change) => void = () => {};

  constructor(last: number) {
    this.last = last;
    this.#floor = last;
  }

  add(change: Change): void {
    this.last = change.seq;
    this.#recent.push(change);
    this.#length += lengthOf(change);
    // Twice the size before it is cut, so that cutting costs nothing per change.
    if (this.#recent.length >= 2 * kept || this.#length > keptLength) {
      this.#forget(Math.ceil(this.#recent.length / 2));
    }
    this.#follower(change);
  }

  /** Nobody can resume before the last change. */
  forgetAll(): void {
    this.#forget(this.#recent.length);
  }

  /**
   * The first `most` changes after `seq`; undefined when that is too far back, or ahead of all.
   */
  since(seq: number, most: number): readonly Change[] | undefined {
    if (seq < this.#floor || seq > this.last) return undefined;
    const start = position(this.#recent, seq + 1);
    return this.#recent.slice(start, start + most);
  }

  #forget(count: number): void {
    const cut = this.#recent.splice(0, count);
    for (const old of cut) this.#length -= lengthOf(old);
    this.#floor = cut.at(-1)?.seq ?? this.#floor;
  }

  /** Calls `follower`, the only one, for each change from now on. */
  follow(follower: (change: Change) => void): void {
    this.#follower = follower;
  }
}

function lengthOf({ entry, before }: Change): number {
  return (entry?.text.length ?? 0) + (before?.text.length ?? 0);
}
