/** The query of a list: limit, after, sort, since, until, embed and equality on scalar fields. */

import type { Parameter } from "../http/route.ts";
import { lastTime } from "../log/json-text.ts";
import type { Field, Schema } from "../resources/field.ts";
import type { Kind } from "../resources/kind.ts";
import { didYouMean, inWords } from "../problems/faults.ts";
import { Problem, type QueryFault } from "../problems/problem.ts";

/** What the query of a list asks for. */
export interface ListQuery {
  /** At most this many; undefined: all. */
  readonly limit: number | undefined;
  /** The seq of the last item that the client has seen. */
  readonly after: number | undefined;
  readonly newestFirst: boolean;
  /** Items placed at this time or later: RFC 3339, UTC, milliseconds. */
  readonly since: string | undefined;
  /** Items placed before this time; likewise. */
  readonly until: string | undefined;
  readonly withNames: boolean;
  /** By field, the values of which one must be the item's. */
  readonly filters: ReadonlyMap<string, readonly unknown[]>;
}

/** Items on one page, at the most. */
const limitMost = 1_000;

/** Far more than anybody reads. */
const mostFaults = 100;

/** Throws Problem 400 "invalid-query" with every fault. */
export function parseListQuery(query: string, kind: Kind): ListQuery {
  const { sortKey, shape } = kind;
  return readQuery(query, (reading) => ({
    limit: reading.single("limit", parseLimit, `a whole number from 1 to ${limitMost}`),
    after: reading.single("after", parseCursor, "the cursor of a Link that this server gave"),
    newestFirst: reading.choice("sort", { newest: true, oldest: false }) ?? false,
    since: sortKey && reading.single("since", parseTime, timeExpected),
    until: sortKey && reading.single("until", parseTime, timeExpected),
    withNames: readEmbed(reading, kind),
    filters: new Map(
      Object.entries<Field<unknown>>(shape).flatMap(([name, { fromQuery, expected }]) => {
        const values = fromQuery && reading.all(name, fromQuery, expected);
        return values === undefined || values.length === 0 ? [] : [[name, values] as const];
      }),
    ),
  }));
}

/** The query of a single item: only `embed`, where the kind has it. Throws Problem 400. */
export function parseItemQuery(
  query: string,
  kind: Pick<Kind, "withNames">,
): { readonly withNames: boolean } {
  if (query === "") return { withNames: false };
  return readQuery(query, (reading) => ({ withNames: readEmbed(reading, kind) }));
}

/** The query of the events: only `embed`. Throws Problem 400. */
export function parseEventsQuery(query: string): { readonly withNames: boolean } {
  return readQuery(query, (reading) => ({
    withNames: reading.choice("embed", { names: true }) ?? false,
  }));
}

/** The query of a backup: only `follow`. Throws Problem 400. */
export function parseBackupQuery(query: string): { readonly follows: boolean } {
  return readQuery(query, (reading) => ({
    follows: reading.choice("follow", { true: true, false: false }) ?? false,
  }));
}

function readEmbed(reading: QueryReading, { withNames }: Pick<Kind, "withNames">): boolean {
  return withNames !== undefined && reading.choice("embed", { names: true }) === true;
}

/** The cursor after an item. */
export function cursorAfter(seq: number): string {
  return `s${seq.toString(36)}`;
}

/** What `read` makes of the query. Throws Problem 400 with its faults, and for names unread. */
function readQuery<T>(query: string, read: (reading: QueryReading) => T): T {
  const reading = new QueryReading(query);
  const result = read(reading);
  reading.end();
  return result;
}

/** Undefined for a text that it does not take. */
type Parse<T> = (text: string) => T | undefined;

class QueryReading {
  /** In the order of the query, decoded. */
  readonly #pairs: readonly (readonly [name: string, value: string])[];
  readonly #faults: QueryFault[] = [];
  /** Every name that has been asked for: they are all there are. */
  readonly #known = new Set<string>();

  constructor(query: string) {
    this.#pairs = query.split("&").flatMap((part) => this.#decode(part));
  }

  /** Each value of that name, undefined for one that cannot be parsed, which is a fault. */
  all<T>(name: string, parse: Parse<T>, expected: string): (T | undefined)[] {
    return this.#textsOf(name).map((text) => this.#parse(name, text, parse, expected));
  }

  single<T>(name: string, parse: Parse<T>, expected: string): T | undefined {
    const texts = this.#textsOf(name);
    const [text] = texts;
    if (texts.length > 1) this.#add(name, `expected it once, got it ${texts.length} times`);
    return text === undefined ? undefined : this.#parse(name, text, parse, expected);
  }

  choice<T>(name: string, choices: Readonly<Record<string, T>>): T | undefined {
    const words = Object.keys(choices);
    const parse: Parse<T> = (text) => (words.includes(text) ? choices[text] : undefined);
    return this.single(name, parse, words.join(" or "));
  }

  end(): void {
    const known = [...this.#known];
    const names = new Set(this.#pairs.map(([name]) => name));
    const unknown = [...names].filter((name) => !this.#known.has(name) && !name.startsWith("_"));
    for (const name of unknown.slice(0, mostFaults)) {
      const guess = `known are ${known.join(", ")}${didYouMean(name, known)}`;
      const hint = known.length === 0 ? "none are known" : guess;
      this.#add(name, `this parameter is not known here; ${hint}`);
    }
    const [first] = this.#faults;
    if (first === undefined) return;
    const detail = `${first.parameter}: ${first.detail}`;
    throw new Problem("invalid-query", detail, { errors: this.#faults });
  }

  #decode(part: string): [name: string, value: string][] {
    // An error is costly to make: of thousands only those that are told are looked for.
    if (part === "" || this.#faults.length >= mostFaults) return [];
    const [name = "", ...value] = part.split("=");
    try {
      return [[decode(name), decode(value.join("="))]];
    } catch {
      this.#add(name, `expected percent-encoded UTF-8, got ${inWords(part)}`);
      return [];
    }
  }

  #textsOf(name: string): string[] {
    this.#known.add(name);
    return this.#pairs.flatMap(([other, value]) => (other === name ? [value] : []));
  }

  #parse<T>(name: string, text: string, parse: Parse<T>, expected: string): T | undefined {
    const value = parse(text);
    if (value === undefined) this.#add(name, `expected ${expected}, got ${inWords(text)}`);
    return value;
  }

  #add(parameter: string, detail: string): void {
    if (this.#faults.length < mostFaults) this.#faults.push({ parameter, detail });
  }
}

/** The name in one `name=value` of a query that has been parsed. */
export function nameOf(part: string): string {
  const [name = ""] = part.split("=", 1);
  return decode(name);
}

/** Throws URIError. */
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function parseLimit(text: string): number | undefined {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= limitMost ? limit : undefined;
}

function parseCursor(text: string): number | undefined {
  return /^s[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : undefined;
}

const timeExpected = "a time such as 2026-01-31T18:00:00Z (RFC 3339)";
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d+))?(?:Z|[+ -](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * RFC 3339 section 5.6, to the next whole millisecond in UTC. A plus that was not encoded arrives
 * as a space.
 */
function parseTime(text: string): string | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [, year = "", month = "", day = "", fraction = ""] = match;
  if (!isDay(Number(year), Number(month), Number(day))) return undefined;
  const spelled = `${text.slice(0, 10)}T${text.slice(11).replace(" ", "+")}`;
  const rounding = /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  const milliseconds = Date.parse(spelled.toUpperCase()) + rounding;
  // Later than all, as texts, which is how times are compared.
  return milliseconds > lastTime ? "~" : new Date(milliseconds).toISOString();
}

function isDay(year: number, month: number, day: number): boolean {
  // The calendar repeats every 400 years, and Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const daysInMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth;
}

/** The parameters of a list of this kind, described. */
export function listParameters({ shape, sortKey, withNames }: Kind): readonly Parameter[] {
  const scalars = Object.entries(shape).filter(([, { fromQuery }]) => fromQuery !== undefined);
  const filters = scalars.map(([name, { schema }]) => ({
    $component: `parameters/${name.charAt(0).toUpperCase()}${name.slice(1)}Filter`,
    name,
    in: "query" as const,
    description: `Only those whose \`${name}\` is this, or one of these.`,
    schema: { type: "array", items: filterSchema(schema) },
  }));
  const times = sortKey === undefined ? [] : timeParameters;
  const embed = withNames === undefined ? [] : [embedParameter];
  return [...pageParameters, ...times, ...embed, ...filters];
}

/** A value of the right type that nothing can have is fine: it matches nothing. */
function filterSchema(schema: Schema): Schema {
  return schema["enum"] === undefined ? { type: schema["type"] } : schema;
}

const pageParameters: readonly Parameter[] = [
  {
    $component: "parameters/Limit",
    name: "limit",
    in: "query",
    description: "The length of a page. Left out, the list is whole.",
    schema: { type: "integer", minimum: 1, maximum: limitMost },
    example: 50,
  },
  {
    $component: "parameters/After",
    name: "after",
    in: "query",
    description: "Where the page begins: the opaque cursor in the `Link` of the page before.",
    schema: { type: "string", pattern: "^s[0-9a-z]{1,10}$" },
  },
  {
    $component: "parameters/Sort",
    name: "sort",
    in: "query",
    description: "The order of the list, by when its items were created.",
    schema: {
      $component: "schemas/Sort",
      type: "string",
      enum: ["oldest", "newest"],
      default: "oldest",
    },
  },
];

const timeParameters: readonly Parameter[] = [
  {
    $component: "parameters/Since",
    name: "since",
    in: "query",
    description: "Only orders placed at this time or later.",
    schema: { type: "string", format: "date-time" },
  },
  {
    $component: "parameters/Until",
    name: "until",
    in: "query",
    description: "Only orders placed before this time.",
    schema: { type: "string", format: "date-time" },
  },
];

/** For lists, single items and events. */
export const embedParameter: Parameter = {
  $component: "parameters/Embed",
  name: "embed",
  in: "query",
  description: "Adds to every reference the name that the item had when it was ordered.",
  schema: { $component: "schemas/Embed", type: "string", enum: ["names"] },
};
