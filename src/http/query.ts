/**
 * The query of a request under /api: split, decoded, and checked against the parameters that its
 * route declares. Every fault is reported in one Problem. Names that begin with "_" are ignored;
 * other unknown names are refused.
 */

import { didYouMean, maxFaults, quoted } from "../problems/faults.ts";
import { Problem, type QueryFault } from "../problems/problem.ts";

/** A query parameter, and how its values are parsed. */
export interface QueryParameter<T = unknown> {
  readonly name: string;
  /** Returns undefined for a text that is not a value. */
  readonly parse: (text: string) => T | undefined;
  /** The values it takes, in words, for the message "expected X, got Y". */
  readonly expected: string;
  /** The times it may appear. Default: once. */
  readonly maxTimes?: number;
}

/** `parse` and `expected` of a parameter that takes a few words. `choices`: value by word. */
export function oneOf<T>(
  choices: Readonly<Record<string, T>>,
): Pick<QueryParameter<T>, "parse" | "expected"> {
  const words = Object.keys(choices);
  return {
    parse: (text) => (words.includes(text) ? choices[text] : undefined),
    expected: words.join(" or "),
  };
}

/** The values of a query that has been checked. */
export class Query {
  /** As it was sent, without the question mark. */
  readonly text: string;
  readonly #values: ReadonlyMap<string, readonly unknown[]>;

  constructor(text: string, values: ReadonlyMap<string, readonly unknown[]> = new Map()) {
    this.text = text;
    this.#values = values;
  }

  /** Undefined if the parameter was not sent. */
  get<T>(parameter: QueryParameter<T>): T | undefined {
    return this.all(parameter)[0];
  }

  /** All values of a parameter that may appear several times, in the order of the query. */
  all<T>({ name }: QueryParameter<T>): readonly T[] {
    // The parameter's own `parse` made them.
    return (this.#values.get(name) ?? []) as readonly T[];
  }
}

export const noQuery: Query = new Query("");

/**
 * Parses a query (without its question mark). Throws Problem 400 "invalid-query" with every fault,
 * at most a hundred, or with the first part that is not percent-encoded UTF-8.
 */
export function parseQuery(text: string, parameters: readonly QueryParameter[] = []): Query {
  if (!isDecodable(text)) {
    const part = text.split("&").find((one) => !isDecodable(one)) ?? text;
    const [parameter = ""] = part.split("=", 1);
    const detail = `expected percent-encoded UTF-8, got ${quoted(part)}`;
    throw invalidQuery([{ parameter, detail }]);
  }
  const values = new Map<string, unknown[]>();
  const faults: QueryFault[] = [];
  for (const fault of faultsOf(textsOf(text), parameters, values)) {
    if (faults.push(fault) === maxFaults) break;
  }
  if (faults.length > 0) throw invalidQuery(faults);
  return new Query(text, values);
}

/** The values as they were sent, by name. Generated clients write `status[]=Ready` for arrays. */
function textsOf(query: string): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  for (const [sent, text] of new URLSearchParams(query)) {
    const name = sent.endsWith("[]") ? sent.slice(0, -2) : sent;
    const others = texts.get(name);
    if (others === undefined) texts.set(name, [text]);
    else others.push(text);
  }
  return texts;
}

/** Parses the values of `sent` into `values`, and yields their faults. */
function* faultsOf(
  sent: ReadonlyMap<string, readonly string[]>,
  parameters: readonly QueryParameter[],
  values: Map<string, unknown[]>,
): Generator<QueryFault, void> {
  for (const { name, parse, expected, maxTimes = 1 } of parameters) {
    const texts = sent.get(name);
    if (texts === undefined) continue;
    if (texts.length > maxTimes) {
      const times = maxTimes === 1 ? "once" : `at most ${maxTimes} times`;
      yield { parameter: name, detail: `expected it ${times}, got it ${texts.length} times` };
    }
    const parsed: unknown[] = [];
    for (const text of texts) {
      const value = parse(text);
      if (value !== undefined) parsed.push(value);
      else yield { parameter: name, detail: `expected ${expected}, got ${quoted(text)}` };
    }
    values.set(name, parsed);
  }
  const known = parameters.map(({ name }) => name);
  for (const name of sent.keys()) {
    if (known.includes(name) || name.startsWith("_")) continue;
    const takes = known.length === 0 ? "no parameters" : known.join(", ");
    const detail = `unknown parameter: this path takes ${takes}${didYouMean(name, known)}`;
    yield { parameter: name, detail };
  }
}

/** `faults`: at least one. */
function invalidQuery(faults: readonly QueryFault[]): Problem {
  const [first] = faults;
  return new Problem("invalid-query", `${first?.parameter}: ${first?.detail}`, { errors: faults });
}

/** URLSearchParams would read other bytes as U+FFFD. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
