/** Collects what is wrong with a body: every fault at once, each with where it is. */

import { type Fault, Problem } from "../problem.ts";
import { withoutTokens } from "../redact.ts";

/** More than a body can have that is of any shape here: beyond it are made-up members. */
const most = 1_000;

/** The faults of one body. */
export class Faults {
  readonly #faults: Fault[] = [];

  /** `path`: the members and positions down to the value, [] for the body itself. */
  add(path: readonly (string | number)[], detail: string): void {
    if (this.#faults.length < most) this.#faults.push({ pointer: pointer(path), detail });
  }

  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  /** Problem 400 "invalid-body" with every fault. */
  toProblem(): Problem {
    const [first] = this.#faults;
    const place = first === undefined ? "" : "pointer" in first ? first.pointer : first.parameter;
    const others = this.#faults.length > 1 ? ` (and ${this.#faults.length - 1} more, see errors)` : "";
    return new Problem("invalid-body", `${place}: ${first?.detail}${others}`, {
      errors: this.#faults,
    });
  }
}

/** RFC 6901 section 6: a JSON pointer as a URI fragment. */
export function pointer(path: readonly (string | number)[]): string {
  const tokens = path.map((token) =>
    encodeURIComponent(String(token).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")),
  );
  return ["#", ...tokens].join("/");
}

/** A value in words, for "expected …, got …". Never the whole of a long one. */
export function inWords(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number too large to hold";
  const text = withoutTokens(JSON.stringify(value)).toWellFormed();
  return text.length <= 60 ? text : `${[...text.slice(0, 56)].slice(0, -1).join("")}…"`;
}
