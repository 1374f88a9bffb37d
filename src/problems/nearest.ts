/** What somebody probably meant, for the end of a message. */

/**
 * "; did you mean …?" with the word that is nearest, where at most a third of the letters of the
 * longer one have to change; else "". Words that are much longer or shorter cost nothing.
 */
export function didYouMean(word: string, words: Iterable<string>): string {
  const sent = word.toLowerCase();
  let meant: string | undefined;
  let fewest = Infinity;
  for (const other of words) {
    const most = Math.min(Math.max(sent.length, other.length) / 3, fewest - 1);
    if (Math.abs(sent.length - other.length) > most) continue;
    const changes = distance(sent, other.toLowerCase());
    if (changes > most) continue;
    meant = other;
    fewest = changes;
  }
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
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
