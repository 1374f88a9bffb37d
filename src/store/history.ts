/** The most recent durable changes, in order, so that a client can resume its event stream. */

import { firstIndex, jsonOf, type Row, type StoredKind } from "./rows.ts";

/** One write that is on disk. */
export interface Change {
  readonly seq: number;
  readonly kind: StoredKind;
  readonly action: "created" | "updated" | "deleted";
  readonly id: string;
  /** The row after the write; undefined after a delete. */
  readonly row: Row | undefined;
  /** The row before a delete; undefined after any other write. */
  readonly deleted: Row | undefined;
  /** About the length of its line and of the deleted row, which only the change still holds. */
  readonly length: number;
}

/** The change's `event`: in its line, and in event streams. */
export function eventName({ kind, action }: Change): string {
  return `${kind.name}.${action}`;
}

/** The change's `data`, as JSON. */
export function dataOf({ id, row }: Change): string {
  return row === undefined ? JSON.stringify({ id }) : jsonOf(row);
}

const maxCount = 10_000;
/** More than the usual changes of `maxCount`. Their rows take several times as much memory. */
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
   * between two changes is not: it belongs to a past that a restored backup has replaced.
   */
  since(seq: number, max: number): readonly Change[] | undefined {
    if (seq === this.#oldestKnown) return this.#recent.slice(0, max);
    const index = firstIndex(this.#recent, (change) => change.seq >= seq);
    if (this.#recent[index]?.seq !== seq) return undefined;
    return this.#recent.slice(index + 1, index + 1 + max);
  }
}
