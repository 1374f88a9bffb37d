/**
 * Collects the faults of a body or of a stored resource, each with a JSON pointer, and describes
 * values in words.
 */

import { withoutTokens } from "../log/log.ts";

/** One fault. `pointer`: RFC 6901 section 6, "#/toppings/0/id". */
export interface BodyFault {
  readonly pointer: string;
  readonly detail: string;
}

/** Faults in a response. Further faults are only counted, to keep it short. */
export const maxFaults = 100;
/** Longer than any name of a field. */
const maxNameLength = 128;

export class Faults {
  /** The first hundred. */
  readonly list: BodyFault[] = [];
  #count = 0;

  /** `path`: from the body to the value; [] is the body. `detail` is called only if it is used. */
  add(path: readonly (string | number)[], detail: () => string): void {
    this.#count += 1;
    if (this.#count <= maxFaults) this.list.push({ pointer: pointer(path), detail: detail() });
  }

  /** Returns false, the result of a check that failed. `value` undefined: it is missing. */
  addUnexpected(path: readonly (string | number)[], expected: string, value: unknown): false {
    const isMissing = value === undefined;
    this.add(path, () =>
      isMissing
        ? `required, but missing: expected ${expected}`
        : `expected ${expected}, got ${inWords(value)}`,
    );
    return false;
  }

  /** The number of all faults. */
  get count(): number {
    return this.#count;
  }

  /** Throws Invalid if there are faults. */
  requireNone(): void {
    if (this.#count > 0) throw new Invalid(this);
  }

  /** The first fault, and how many others there are. */
  get summary(): string {
    const [first] = this.list;
    const which = this.#count > maxFaults ? `the first ${maxFaults} in errors` : "see errors";
    const others = this.#count > 1 ? ` (and ${this.#count - 1} more, ${which})` : "";
    return `${first?.pointer}: ${first?.detail}${others}`;
  }
}

/**
 * Thrown for an invalid value, with all its faults: for a body, for MENU_FILE, and for a line of
 * the store. http/pipeline.ts turns it into a Problem.
 */
export class Invalid extends Error {
  override readonly name = "Invalid";
  readonly faults: readonly BodyFault[];

  constructor(faults: Faults) {
    super(faults.summary);
    this.faults = faults.list;
  }

  /** One fault. `path`: as in Faults. */
  static at(path: readonly (string | number)[], detail: string): Invalid {
    const faults = new Faults();
    faults.add(path, () => detail);
    return new Invalid(faults);
  }
}

/**
 * A JSON pointer as a URI fragment (RFC 6901 section 6). For a member with a very long name, the
 * pointer of its parent.
 */
export function pointer(path: readonly (string | number)[]): string {
  const long = path.findIndex((part) => String(part).length > maxNameLength);
  const parts = path.slice(0, long === -1 ? path.length : long).map((part) => {
    const text = String(part).toWellFormed();
    return encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));
  });
  return ["#", ...parts].join("/");
}

/** The members of a JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** False for arrays and null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON value and its type in words, for the end of "expected X, got Y". */
export function inWords(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "string") return `the string ${quoted(value)}`;
  if (typeof value !== "number") return String(value);
  return Number.isFinite(value) ? `the number ${value}` : "a number out of range";
}

/** Text in quotes. A long one is cut. */
export function quoted(text: string): string {
  const json = JSON.stringify(withoutTokens(text).toWellFormed());
  return json.length <= 60 ? json : `${[...json.slice(0, 56)].slice(0, -1).join("")}…"`;
}

/**
 * The hint "; did you mean X?" with the most similar word, or "" if no word is similar: at most a
 * third of the longer word's letters may differ.
 */
export function didYouMean(word: string, words: Iterable<string>): string {
  const sent = word.toLowerCase();
  let meant: string | undefined;
  let fewest = Infinity;
  for (const other of words) {
    const max = Math.min(Math.max(sent.length, other.length) / 3, fewest - 1);
    if (Math.abs(sent.length - other.length) > max) continue;
    const changes = distance(sent, other.toLowerCase(), max);
    if (changes > max) continue;
    meant = other;
    fewest = changes;
  }
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/**
 * Letters to insert, delete or replace, and neighbors to swap: optimal string alignment. Above
 * `max`, any number above `max`.
 */
export function distance(one: string, other: string, max: number = Infinity): number {
  let rowBefore: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1];
    let least = i + 1;
    for (let j = 0; j < other.length; j += 1) {
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j];
      const swapped = isSwap ? (rowBefore[j - 1] ?? 0) + 1 : Infinity;
      const changes = Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      next.push(changes);
      least = Math.min(least, changes);
    }
    // A later row has no smaller number.
    if (least > max) return least;
    rowBefore = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
