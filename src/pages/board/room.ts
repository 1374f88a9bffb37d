/** How many columns there are, and which cards stand in each. They are only room. Pure values. */

const gapRem = 0.625;
const narrowRem = 15;
const wideRem = 18;
/** From here on columns are wide. */
const wideFromRem = 60;

/** The columns that fit, with the one of what is ready. */
export function columnCount(widthRem: number): number {
  const least = widthRem < wideFromRem ? narrowRem : wideRem;
  return Math.max(1, Math.floor((widthRem - gapRem) / (least + gapRem)));
}

/**
 * The keys of each column. A card keeps its column and its place there as long as its key is given;
 * a new one goes to the end of the shortest. Another `count` begins anew. `keys`: oldest first.
 * `heights`: by key, in any unit; a card that only keeps its place has none.
 */
export function columnsFor(
  keys: readonly string[], heights: ReadonlyMap<string, number>, count: number,
  before: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const given = new Set(keys);
  const columns = Array.from({ length: count }, (_, index) =>
    before.length === count ? (before[index] ?? []).filter((key) => given.has(key)) : []);
  const heightOf = (column: readonly string[]): number =>
    column.reduce((sum, key) => sum + (heights.get(key) ?? 0), 0);
  const kept = new Set(columns.flat());
  for (const key of keys.filter((each) => !kept.has(each))) {
    const least = Math.min(...columns.map(heightOf));
    columns.find((column) => heightOf(column) === least)?.push(key);
  }
  return columns;
}
