/** The word of a list that somebody probably meant: the one with the fewest letters to change. */
export function nearest(word: string, words: readonly string[]): string {
  const start = word.slice(0, 64).toLowerCase();
  const distances = words.map((other) => distance(start, other.toLowerCase()));
  return words[distances.indexOf(Math.min(...distances))] ?? "";
}

/** Levenshtein's: letters to insert, delete or replace. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const replaced = (row[j] ?? 0) + (other[j] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
