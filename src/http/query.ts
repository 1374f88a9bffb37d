/**
 * The query of a request: split, decoded, and checked against the parameters that its route
 * declares. Every fault is reported in one Problem. Names that begin with "_" are ignored; other
 * unknown names are refused, except on routes outside /api, where links carry tracking parameters.
 */

import { didYouMean, quoted } from "../problems/faults.ts";
import { Problem, type QueryFault } from "../problems/problem.ts";

/** A query parameter: how a value of it is parsed, and how it is described. */
export interface QueryParameter<T = unknown> {
  readonly name: string;
  /** Returns undefined for a text that is not a value. */
  readonly parse: (text: string) => T | undefined;
  /** The values it takes, in words, for "expected …, got …". */
  readonly expected: string;
  /** Whether the query may hold several. */
  readonly isRepeatable?: boolean;
  readonly description: string;
  readonly schema: object;
  readonly example?: unknown;
  /** The name of its description: see route.ts. */
  readonly $component?: string;
}

/** The parse half of a parameter whose values are a few words, each with what it means. */
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

  /** Undefined: not sent. */
  get<T>(parameter: QueryParameter<T>): T | undefined {
    return this.all(parameter)[0];
  }

  /** All values of a repeatable parameter, in the order of the query. */
  all<T>({ name }: QueryParameter<T>): readonly T[] {
    // Made by the parameter's own `parse`.
    return (this.#values.get(name) ?? []) as readonly T[];
  }
}

/** The query of a request without one. */
export const noQuery: Query = new Query("", new Map());

/** Whether a route with this path refuses unknown parameters: those under /api do. */
export function refusesUnknown(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/** More than anybody reads. */
const mostFaults = 100;

/**
 * Parses a query (without its question mark). `isStrict`: whether names that are not among
 * `parameters` are refused, not ignored. Throws Problem 400 "invalid-query" with every fault.
 */
export function parseQuery(
  text: string,
  parameters: readonly QueryParameter[],
  isStrict = true,
): Query {
  if (text === "") return noQuery;
  const faults: QueryFault[] = [];
  const add = (parameter: string, detail: string): void => {
    if (faults.length < mostFaults) faults.push({ parameter, detail });
  };
  const sent = new Map<string, string[]>();
  for (const part of text.split("&")) {
    // Decoding throws, which is slow: a query of many bad parts costs no more than its first ones.
    if (part === "" || faults.length === mostFaults) continue;
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
      if (faults.length < mostFaults && !name.startsWith("_")) add(name, unknownName(name, known));
    }
  }
  const [first] = faults;
  if (first === undefined) return new Query(text, values);
  const detail = `${first.parameter}: ${first.detail}`;
  throw new Problem("invalid-query", detail, { errors: faults });
}

function unknownName(name: string, known: readonly string[]): string {
  const hint = known.length === 0 ? "none are known" : `known are ${known.join(", ")}`;
  return `this parameter is not known here; ${hint}${didYouMean(name, known)}`;
}

/** Undefined if it is not percent-encoded UTF-8. */
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

/** A query as it may stand in a Link or a Location: what is no part of a URI, percent-encoded. */
export function uriQuery(query: string): string {
  return query.replaceAll(/[^\w\-.~!$&'()*+,;=:@/?%]/g, encodeURIComponent);
}
