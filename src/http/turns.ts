/**
 * Turns of the event loop. Long work is done in steps of well below a millisecond, a few of them
 * per turn, first come, first served, so that other requests are answered in between.
 */

/** Enough that the turns themselves cost little, few enough that a turn stays short. */
const stepsPerTurn = 4;

const waiting: (() => void)[] = [];
let isScheduled = false;

/** Calls `step`, which must not throw, in a later turn. */
export function inTurn(step: () => void): void {
  waiting.push(step);
  schedule();
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setImmediate(takeTurn);
}

function takeTurn(): void {
  isScheduled = false;
  // Steps that these steps add go to the end of the queue.
  for (const step of waiting.splice(0, stepsPerTurn)) step();
  schedule();
}

/** Resolves in a later turn. */
export function turn(): Promise<void> {
  return new Promise(inTurn);
}
