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
  /** The changes of each write. */
  readonly #writes: (readonly Change[])[] = [];

  constructor() {
    // Nobody waits for a batch that is dropped before its first change.
    this.done.catch(() => {});
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  get changes(): readonly Change[] {
    return this.#writes.flat();
  }

  /** Adds the changes of a write. */
  add(changes: readonly Change[]): void {
    this.#writes.push(changes);
    for (const change of changes) this.length += dataOf(change).length;
  }

  /** The lines. `after`: the last change that is on disk. */
  encode(after: number): Buffer {
    let text = "";
    for (const changes of this.#writes) {
      const last = changes.at(-1)?.seq;
      for (const change of changes) {
        const { seq, row } = change;
        const kept = JSON.stringify(row?.kept);
        const parts = { seq, event: eventName(change), data: dataOf(change), kept };
        text += lineOf(parts, after, seq === last ? undefined : last);
      }
    }
    return Buffer.from(text);
  }
}
