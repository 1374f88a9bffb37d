/** Changes that go to disk together, in one write and with one promise for all their writers. */

import { lineOf } from "./line.ts";
import { type Change, dataOf, eventName } from "./row.ts";
import type { StoreError } from "./store-error.ts";

export class Batch {
  /** The length of the changes' data, in UTF-16 units. */
  length = 0;
  resolve!: () => void;
  reject!: (error: StoreError) => void;
  readonly done: Promise<void> = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
  readonly changes: Change[] = [];
  /** The seq of the last change of its write, for each change. */
  readonly #ends: (number | undefined)[] = [];

  constructor() {
    // Nobody waits for a batch that is dropped before its first change.
    this.done.catch(() => {});
  }

  get isEmpty(): boolean {
    return this.changes.length === 0;
  }

  /** Adds the changes of a write. */
  add(changes: readonly Change[]): void {
    const end = changes.at(-1)?.seq;
    for (const change of changes) {
      this.changes.push(change);
      this.#ends.push(end);
      this.length += dataOf(change).length;
    }
  }

  /** The lines. `after`: the last change that is on disk. */
  encode(after: number): Buffer {
    let text = "";
    for (const [index, change] of this.changes.entries()) {
      const { seq, row } = change;
      const kept = JSON.stringify(row?.kept);
      const parts = { seq, event: eventName(change), data: dataOf(change), kept };
      const end = this.#ends[index];
      text += lineOf(parts, after, seq === end ? undefined : end);
    }
    return Buffer.from(text);
  }
}
