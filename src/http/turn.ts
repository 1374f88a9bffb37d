/**
 * Turns of the event loop, first come, first served. Long work is done in steps of well below a
 * millisecond, each in a turn that nobody else was given. So other requests are answered in
 * between, however many clients read long responses.
 *
 * There is one queue, because a process has one event loop.
 */

/** Called one a turn, oldest first. */
const waiting: (() => void)[] = [];

/** Resolves in a turn of its own. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
