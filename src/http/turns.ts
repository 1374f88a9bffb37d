/**
 * Turns of the event loop. Work that is long in all is done in steps of well below a millisecond,
 * a few of them a turn, first come first served: whatever somebody asks for, the requests of others
 * are answered in between.
 */

/** So many that the turns themselves cost little, and so few that nobody notices one. */
const stepsPerTurn = 4;

const waiting: (() => void)[] = [];
let isScheduled = false;

/** Calls `step`, which must not throw, in a turn to come. */
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
  // What these ask for comes behind all that waits.
  for (const step of waiting.splice(0, stepsPerTurn)) step();
  schedule();
}

/** Resolves in a turn to come. */
export function turn(): Promise<void> {
  return new Promise(inTurn);
}
