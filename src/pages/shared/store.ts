/** Holds the one state of a page, and has it drawn once after any number of changes. */

export interface Store<State> {
  state(): State;
  set(change: Partial<State>): void;
  /** Before what has to be measured or printed. */
  drawNow(): void;
  onChange(draw: () => void): void;
}

export function storeOf<State>(first: State): Store<State> {
  const held = { state: first, isDue: false, draw: (): void => undefined };
  const drawNow = (): void => {
    held.isDue = false;
    held.draw();
  };
  return {
    state: () => held.state,
    set: (change) => {
      held.state = { ...held.state, ...change };
      if (held.isDue) return;
      held.isDue = true;
      queueMicrotask(drawNow);
    },
    drawNow,
    onChange: (draw) => { held.draw = draw; },
  };
}
