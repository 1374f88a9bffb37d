/**
 * The query of a request: split, decoded, and checked against the parameters that its route
 * declares. Every fault is reported in one Problem. Names that begin with "_" are ignored; other
 * unknown names are refused, except on routes outside /api, where links carry tracking parameters.
 */

import { didYouMean, maxFaults, quoted } from "../problems/faults.ts";
import { Problem, type QueryFault } from "../problems/problem.ts";

/** A query parameter: how its values are parsed, and its description. */
export interface QueryParameter<T = unknown> {
  readonly name: string;
  /** Returns undefined for a text that is not a value. */
  readonly parse: (text: string) => T | undefined;
  /** The values it takes, in words, for "expected …, got …". */
  readonly expected: string;
  /** True if it may appear several times. */
  readonly isRepeatable?: boolean;
  readonly description: string;
  readonly schema: object;
  readonly example?: unknown;
  /** Its name in the description: see route.ts. */
  readonly $component?: string;
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

  constructor(text: string, values: ReadonlyMap<string, readonly unknown[]>) {
    this.text = text;
    this.#values = values;
  }

  /** Undefined if the parameter was not sent. */
  get<T>(parameter: QueryParameter<T>): T | undefined {
    return this.all(parameter)[0];
  }

  /** All values of a repeatable parameter, in the order of the query. */
  all<T>({ name }: QueryParameter<T>): readonly T[] {
    // The parameter's own `parse` made them.
    return (this.#values.get(name) ?? []) as readonly T[];
  }
}

export const noQuery: Query = new Query("", new Map());

/** True for routes under /api, which refuse unknown parameters. */
export function refusesUnknown(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/**
 * Parses a query (without its question mark). `isStrict`: refuse names that are not among
 * `parameters`, instead of ignoring them. Throws Problem 400 "invalid-query" with every fault.
 */
export function parseQuery(
  text: string,
  parameters: readonly QueryParameter[],
  isStrict = true,
): Query {
  if (text === "") return noQuery;
  const faults: QueryFault[] = [];
  const add = (parameter: string, detail: string): void => {
    if (faults.length < maxFaults) faults.push({ parameter, detail });
  };
  const sent = new Map<string, string[]>();
  for (const part of text.split("&")) {
    // A failed decode throws, which is slow. So a query with very many bad parts stops here.
    if (part === "" || faults.length === maxFaults) continue;
    const cut = part.indexOf("=");
    const [name, value] = cut === -1 ? [part, ""] : [part.slice(0, cut), part.slice(cut + 1)];
    const [key, decoded] = [decode(name), decode(value)];
    if (key === undefined || decoded === undefined) {
      if (isStrict) add(name, `expected percent-encoded UTF-8, got ${quoted(part)}`);
      continue;
    }
    const others = sent.get(key);
    if (others === undefined) sent.set(key, [decoded]);
    else others.push(decoded);
  }
  const values = new Map<string, unknown[]>();
  for (const { name, parse, expected, isRepeatable = false } of parameters) {
    const texts = sent.get(name) ?? [];
    sent.delete(name);
    if (texts.length > 1 && !isRepeatable) {
      add(name, `expected it once, got it ${texts.length} times`);
    }
    const parsed = texts.map((one) => {
      const value = parse(one);
      if (value === undefined) add(name, `expected ${expected}, got ${quoted(one)}`);
      return value;
    });
    values.set(name, parsed);
  }
  if (isStrict) {
    const known = parameters.map(({ name }) => name);
    for (const name of sent.keys()) {
      if (faults.length < maxFaults && !name.startsWith("_")) add(name, unknownName(name, known));
    }
  }
  const [first] = faults;
  if (first === undefined) return new Query(text, values);
  const detail = `${first.parameter}: ${first.detail}`;
  throw new Problem("invalid-query", detail, { errors: faults });
}

function unknownName(name: string, known: readonly string[]): string {
  const expected = known.length === 0 ? "no parameters" : known.join(", ");
  return `unknown parameter: this path takes ${expected}${didYouMean(name, known)}`;
}

/** Undefined if the text is not percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  // Most have nothing to decode, which takes a twentieth of a short list's time.
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The query with one parameter set to a value, for the next page's Link. */
export function withParameter(text: string, name: string, value: string): string {
  const others = text.split("&").filter((part) => {
    const [sent = ""] = part.split("=", 1);
    return part !== "" && decode(sent) !== name;
  });
  return uriQuery([...others, `${name}=${value}`].join("&"));
}

/** Percent-encodes the characters that a URI's query must not have, for Link and Location. */
export function uriQuery(query: string): string {
  return query.replaceAll(/[^\w\-.~!$&'()*+,;=:@/?%]/g, encodeURIComponent);
}
