/** The most recent durable changes, in order, so that a client can resume its event stream. */

import type { Change } from "./row.ts";
import { firstIndex } from "./tables.ts";

const maxCount = 10_000;
/** The sum of all `Change.length`. The rows of the changes take several times as much memory. */
const maxLength = 8_388_608;

/** The durable changes that are remembered. */
export class History {
  /** The seq of the last change; right after a start, the last one that the file includes. */
  last: number;
  /** The seq of the oldest change that a client can resume after. */
  #oldestKnown: number;
  readonly #recent: Change[] = [];
  #length = 0;

  constructor(last: number) {
    this.last = last;
    this.#oldestKnown = last;
  }

  add(change: Change): void {
    this.last = change.seq;
    this.#recent.push(change);
    this.#length += change.length;
    while (this.#recent.length > maxCount || this.#length > maxLength) {
      const oldest = this.#recent.shift();
      if (oldest === undefined) return;
      this.#length -= oldest.length;
      this.#oldestKnown = oldest.seq;
    }
  }

  /**
   * The first `max` changes after change `seq`; undefined if that change is not known. A number
   * between two changes is not known: it belongs to a past that a restored backup has replaced.
   */
  after(seq: number, max: number): readonly Change[] | undefined {
    if (seq === this.#oldestKnown) return this.#recent.slice(0, max);
    const index = firstIndex(this.#recent, (change) => change.seq >= seq);
    if (this.#recent[index]?.seq !== seq) return undefined;
    return this.#recent.slice(index + 1, index + 1 + max);
  }
}
