/**
 * Press keys for the items of a list: see `pressKey` in shared/dom.ts. An item's key rises when it,
 * or an item above it, has changed or gone, since then something else lies under the finger. Pure
 * values.
 */

export interface PressKey {
  /** The item and all that it shows. */
  readonly text: string;
  readonly key: number;
}

/** The keys of a list after those of the last drawing. */
export function nextPressKeys(
  before: readonly PressKey[] = [], texts: readonly string[],
): readonly PressKey[] {
  const found = texts.findIndex((text, index) => before[index]?.text !== text);
  const firstChanged = found < 0 ? texts.length : found;
  const next = 1 + Math.max(0, ...before.map(({ key }) => key));
  return texts.map((text, index) =>
    index < firstChanged ? before[index] as PressKey : { text, key: next });
}
