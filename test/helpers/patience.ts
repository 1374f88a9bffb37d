/**
 * How long a test waits for the next sign of something before it says that nothing comes, and the
 * clock of rates and pauses, which a test moves on by itself.
 */

import type { TestContext } from "node:test";
import { setImmediate, setTimeout as wait } from "node:timers/promises";

/**
 * Far more than anything takes, also where sixty others want the processor. It ends no wait in
 * which something moves: each sign of life begins it anew. PATIENCE shortens it, in seconds, for
 * people who wait for a test that fails.
 */
export const patienceMs = Number(process.env["PATIENCE"] ?? 180) * 1000;

/** Calls `giveUp` when nothing has moved for a long time. `refresh()` it when something has. */
export function startPatience(giveUp: () => void): NodeJS.Timeout {
  // A test that has failed does not wait for it.
  return setTimeout(giveUp, patienceMs).unref();
}

/**
 * Resolves when it is so. Looks in each turn of the event loop, and after a hundred of them each
 * millisecond: then another process has to do something, and wants the processor for it.
 */
export async function until(isSo: () => unknown): Promise<void> {
  let isHopeless = false;
  const patience = startPatience(() => (isHopeless = true));
  for (let looks = 1; !(await isSo()); looks += 1) {
    if (isHopeless) throw new Error(`it never came: ${isSo}`);
    await (looks < 100 ? setImmediate() : wait(1));
  }
  clearTimeout(patience);
}

/** Stops the clock that never steps back, at a whole millisecond. The function moves it on. */
export function holdTime(t: TestContext): (ms: number) => void {
  let now = Math.ceil(performance.now());
  t.mock.method(performance, "now", () => now);
  return (ms) => void (now += ms);
}
