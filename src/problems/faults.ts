/** What is wrong with a body, each fault with where it is, and the words for it. */

import { type BodyFault, Problem } from "./problem.ts";
import type { ProblemType } from "./problem-types.ts";
import { withoutTokens } from "../log/redact.ts";

/** Of more faults than anybody reads only the number is told: no answer is long, or costs much. */
const most = 100;
/** A longer token of a pointer is cut, with an ellipsis: it is no field's name. */
const tokenLength = 128;

/** The faults of one body. */
export class Faults {
  readonly #faults: BodyFault[] = [];
  #count = 0;

  /**
   * `path`: the members and positions down to the value, [] for the body itself. `detail` is
   * called at once, or never.
   */
  add(path: readonly (string | number)[], detail: () => string): void {
    this.#count += 1;
    if (this.#count <= most) this.#faults.push({ pointer: pointer(path), detail: detail() });
  }

  /** For a value that is not what it should be. */
  addUnexpected(path: readonly (string | number)[], expected: string, value: unknown): void {
    this.add(path, () => `expected ${expected}, got ${inWords(value)}`);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** A Problem with the first hundred, and how many there are. `detail`: of all of them. */
  toProblem(type: ProblemType = "invalid-body", detail?: string): Problem {
    const [first] = this.#faults;
    const which = this.#count > most ? `the first ${most} in errors` : "see errors";
    const others = this.#count > 1 ? ` (and ${this.#count - 1} more, ${which})` : "";
    return new Problem(type, detail ?? `${first?.pointer}: ${first?.detail}${others}`, {
      errors: this.#faults,
    });
  }
}

/** RFC 6901 section 6: a JSON pointer as a URI fragment. */
export function pointer(path: readonly (string | number)[]): string {
  const tokens = path.map((token) => {
    const text = String(token).toWellFormed();
    const cut = text.length > tokenLength ? `${text.slice(0, tokenLength).toWellFormed()}…` : text;
    return encodeURIComponent(cut.replaceAll("~", "~0").replaceAll("/", "~1"));
  });
  return ["#", ...tokens].join("/");
}

/** A value in words, for "expected …, got …". Never the whole of a long one. */
export function inWords(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number out of range";
  const text = withoutTokens(JSON.stringify(value)).toWellFormed();
  return text.length <= 60 ? text : `${[...text.slice(0, 56)].slice(0, -1).join("")}…"`;
}

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
