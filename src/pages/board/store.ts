/** Holds the one state of the board, and has it drawn once after any number of changes. */

import { firstState } from "./state.ts";
import type { State } from "./state.ts";

const held = { state: firstState, isDue: false, draw: (): void => undefined };

export function state(): State {
  return held.state;
}

export function set(change: Partial<State>): void {
  held.state = { ...held.state, ...change };
  if (held.isDue) return;
  held.isDue = true;
  queueMicrotask(drawNow);
}

/** Before what has to be measured or printed. */
export function drawNow(): void {
  held.isDue = false;
  held.draw();
}

export function onChange(draw: () => void): void {
  held.draw = draw;
}
