/**
 * Guards for the items of a list: see `guard` in shared/dom.ts. An item's guard rises when it, or
 * an item above it, has changed or gone, since then something else lies under the finger. Pure
 * values.
 */

export interface Guard {
  /** The item and all that it shows. */
  readonly text: string;
  readonly guard: number;
}

/** The guards of a list after those of the last drawing. */
export function nextGuards(
  before: readonly Guard[] = [], texts: readonly string[],
): readonly Guard[] {
  const found = texts.findIndex((text, index) => before[index]?.text !== text);
  const firstChanged = found < 0 ? texts.length : found;
  const next = 1 + Math.max(0, ...before.map(({ guard }) => guard));
  return texts.map((text, index) =>
    index < firstChanged ? before[index] as Guard : { text, guard: next });
}
