/** Holds the one state of a page, and has it drawn once after any number of changes. */
export function pageStateOf<State>(first: State) {
  const held = { state: first, isDue: false, draw: (): void => undefined };
  /** Draws at once, before something is measured or printed. */
  const drawNow = (): void => {
    held.isDue = false;
    held.draw();
  };
  return {
    state: (): State => held.state,
    set(change: Partial<State>): void {
      held.state = { ...held.state, ...change };
      if (held.isDue) return;
      held.isDue = true;
      queueMicrotask(() => { if (held.isDue) drawNow(); });
    },
    drawNow,
    onChange(draw: () => void): void {
      held.draw = draw;
    },
  };
}
