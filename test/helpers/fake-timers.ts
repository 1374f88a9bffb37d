/**
 * `setTimeout` and `clearTimeout` whose time passes when a test says so. The mock timers of Node
 * 20.15 throw when `undefined` is cleared, which the web standard allows and the store does.
 */

import type { TestContext } from "node:test";

interface Timer {
  readonly due: number;
  readonly run: () => void;
  unref(): Timer;
}

export class FakeTimers {
  #now = 0;
  readonly #timers = new Set<unknown>();

  /** Replaces the global functions; the answer puts them back. */
  install(): () => void {
    const { setTimeout, clearTimeout } = globalThis;
    const set = (run: () => void, ms = 0): Timer => {
      const timer: Timer = { due: this.#now + ms, run, unref: () => timer };
      this.#timers.add(timer);
      return timer;
    };
    const clear = (timer: unknown): void => void this.#timers.delete(timer);
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    return () => void Object.assign(globalThis, { setTimeout, clearTimeout });
  }

  /** Runs the timers that are due in these milliseconds, earliest first. */
  tick(ms: number): void {
    this.#now += ms;
    const all = [...this.#timers] as Timer[];
    for (const timer of all.sort((one, other) => one.due - other.due)) {
      if (timer.due <= this.#now && this.#timers.delete(timer)) timer.run();
    }
  }
}

/** Fake timers for one test. */
export function fakeTimers(t: TestContext): FakeTimers {
  const timers = new FakeTimers();
  t.after(timers.install());
  return timers;
}
