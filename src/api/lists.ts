/**
 * GET /api/{kind}: the rows that match a query, as a JSON array with one resource per line, and a
 * link to the next page.
 *
 * A short list is made once and shared until the next write. A long one is made in pieces while it
 * is sent, from a copy of all rows. All lists that begin before the next write share this copy, so
 * clients that do not read hold one copy, not one each.
 */

import { randomUUID } from "node:crypto";
import { conditional, strongTag } from "../http/etag.ts";
import { oneOf, type Query, type QueryParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import { jsonType, noCache, type Response } from "../http/response.ts";
import { lastTime } from "../resources/check.ts";
import { jsonOf, type Row, type StoredKind } from "../store/tables.ts";
import type { Store } from "../store/store.ts";

/** How the values of a field are written in a query. */
export type Filter = Pick<QueryParameter, "parse" | "expected">;

/** A filter for each scalar field. */
export type Filters<T> = { readonly [Name in keyof T]?: Filter };

export const anyText: Filter = { parse: (text) => text, expected: "a text" };
export const flag: Filter = oneOf({ true: true, false: false });
export const anyNumber: Filter = {
  parse: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined),
  expected: "a number",
};

export function oneOfWords(words: readonly string[]): Filter {
  return oneOf(Object.fromEntries(words.map((word) => [word, word])));
}

/** The rows that a caller may read. `key`: the same for callers who may read the same rows. */
interface Audience<T, K> {
  readonly key: string;
  readonly mayRead: (row: Row<T, K>) => boolean;
}

type Matches<T, K> = (row: Row<T, K>) => boolean;

/** Part of the tags, because versions may repeat after a restart. */
const startId = randomUUID();
/** The most lists shared at a time; each is no longer than a piece. */
const maxShared = 64;
/** Characters in a piece. */
const pieceLength = 64_000;

/** The lists of one kind. */
export class Lists<T, K> {
  /** The parameters that the query of a list may have. */
  readonly parameters: readonly QueryParameter[];
  readonly #kind: StoredKind<T, K>;
  readonly #store: Store;
  readonly #filters: readonly QueryParameter[];
  readonly #timeOf: ((value: T) => string) | undefined;
  /** Short lists of the table's current version, by query and audience. */
  readonly #shared = new Map<string, Response>();
  #version = -1;

  /** `timeOf`: what `since` and `until` look at. */
  constructor(
    kind: StoredKind<T, K>,
    filters: Filters<T>,
    store: Store,
    timeOf?: (value: T) => string,
  ) {
    this.#kind = kind;
    this.#store = store;
    this.#filters = Object.entries<Filter>(filters as Record<string, Filter>).map(
      ([name, filter]) => ({ name, isRepeatable: true, ...filter }),
    );
    this.#timeOf = timeOf;
    const times = timeOf === undefined ? [] : [since, until];
    this.parameters = [limit, after, sort, ...times, ...this.#filters];
  }

  /** Without an `audience`, everybody may read all rows. */
  response({ query, headers }: Request, audience?: Audience<T, K>): Response {
    const version = this.#store.version(this.#kind);
    if (this.#version !== version) this.#shared.clear();
    this.#version = version;
    const text = withoutIgnored(query.text);
    // A query has no space in it.
    const key = `${text} ${audience?.key ?? ""}`;
    const list = this.#shared.get(key) ?? this.#make(query, text, key, audience);
    return conditional(list, headers);
  }

  #make(query: Query, text: string, key: string, audience: Audience<T, K> | undefined): Response {
    const { name } = this.#kind;
    const matches = this.#matcherOf(query, audience);
    const { total, page, last } = find(this.#store.rows(this.#kind), query, matches);
    const next = last && { Link: `<${nextPage(name, text, last)}>; rel="next"` };
    const headers = { ...noCache, "X-Total-Count": `${total}`, ...next };
    const etag = strongTag(`${startId} ${name} ${this.#version} ${key}`);
    if (page === undefined) {
      const rows = select(this.#store.copyOfRows(this.#kind), query, matches);
      return { status: 200, type: jsonType, etag, headers, body: piecesOf(rows) };
    }
    const pieces = { [Symbol.iterator]: () => piecesOf(page) };
    const [first, second] = pieces;
    if (second !== undefined) return { status: 200, type: jsonType, etag, headers, body: pieces };
    const list = { status: 200, type: jsonType, etag, headers, body: first ?? Buffer.of() };
    if (this.#shared.size >= maxShared) this.#shared.clear();
    this.#shared.set(key, list);
    return list;
  }

  /** Undefined: every row matches. */
  #matcherOf(query: Query, audience: Audience<T, K> | undefined): Matches<T, K> | undefined {
    const tests: Matches<T, K>[] = [];
    // First, because a guest may read few of very many.
    if (audience !== undefined) tests.push(audience.mayRead);
    for (const parameter of this.#filters) {
      const name = parameter.name as keyof T;
      const values = new Set(query.all(parameter));
      if (values.size > 0) tests.push(({ value }) => values.has(value[name]));
    }
    const timeOf = this.#timeOf ?? (() => "");
    const [from, to] = [query.get(since), query.get(until)];
    if (from !== undefined) tests.push(({ value }) => timeOf(value) >= from);
    if (to !== undefined) tests.push(({ value }) => timeOf(value) < to);
    const [first] = tests;
    return tests.length > 1 ? (row) => tests.every((test) => test(row)) : first;
  }
}

/** Rows of a list without a limit. A list of more rows is certainly longer than a piece. */
const maxNoted = 1_000;

interface Found<R> {
  /** The number of matches on all pages. */
  readonly total: number;
  /** The rows of this page, in the requested order; undefined if too many were found to note. */
  readonly page: readonly R[] | undefined;
  /** The last row of the page; undefined on the last page. */
  readonly last: R | undefined;
}

/** `rows`: all of the kind. */
function find<R extends Row>(
  rows: readonly R[],
  query: Query,
  matches: ((row: R) => boolean) | undefined,
): Found<R> {
  const asked = query.get(limit);
  const max = asked ?? maxNoted;
  const isBehind = isBehindCursor(query);
  const found: R[] = [];
  let total = 0;
  // A reversed copy takes less time than a generator.
  for (const row of query.get(sort) === true ? rows.toReversed() : rows) {
    if (matches?.(row) === false) continue;
    total += 1;
    if (found.length <= max && isBehind(row)) found.push(row);
  }
  if (found.length <= max) return { total, page: found, last: undefined };
  if (asked === undefined) return { total, page: undefined, last: undefined };
  const page = found.slice(0, -1);
  return { total, page, last: page.at(-1) };
}

/** The rows of a list that was too long for `find` to note, one by one while they are sent. */
function* select<R extends Row>(
  rows: readonly R[],
  query: Query,
  matches: ((row: R) => boolean) | undefined,
): Generator<R, void> {
  const isBehind = isBehindCursor(query);
  const isNewestFirst = query.get(sort) === true;
  for (let index = 0; index < rows.length; index += 1) {
    // The index is within the bounds.
    const row = rows.at(isNewestFirst ? -1 - index : index) as R;
    if (matches?.(row) !== false && isBehind(row)) yield row;
  }
}

function isBehindCursor(query: Query): (row: Row) => boolean {
  const cursor = query.get(after);
  if (cursor === undefined) return () => true;
  return query.get(sort) === true ? ({ seq }) => seq < cursor : ({ seq }) => seq > cursor;
}

/** The list's text in pieces. */
function* piecesOf(rows: Iterable<Row>): Generator<Buffer, void> {
  let text = "[";
  let separator = "\n";
  for (const row of rows) {
    text += separator + jsonOf(row);
    separator = ",\n";
    if (text.length < pieceLength) continue;
    const piece = Buffer.from(text);
    // Before the yield: a client that does not read would hold the text too.
    text = "";
    yield piece;
  }
  yield Buffer.from(separator === "\n" ? `${text}]\n` : `${text}\n]\n`);
}

/** The query without ignored parameters (`_x=1`), so that they do not make further lists. */
function withoutIgnored(query: string): string {
  // An escaped _ stays, and only costs a list of its own.
  return query.split("&").filter((part) => !part.startsWith("_")).join("&");
}

function nextPage(name: string, query: string, { seq }: Row): string {
  const next = new URLSearchParams(query);
  next.set("after", `s${seq.toString(36)}`);
  return `/api/${name}?${next}`;
}

/** The most items on a page. */
const maxLimit = 1_000;

const limit: QueryParameter<number> = {
  name: "limit",
  parse(text) {
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= maxLimit ? limit : undefined;
  },
  expected: `a whole number from 1 to ${maxLimit}`,
};

/** The seq of the last item that the client has seen. */
const after: QueryParameter<number> = {
  name: "after",
  parse: (text) =>
    /^s[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : undefined,
  expected: "the cursor from the Link of the page before",
};

/** True: newest first. */
const sort: QueryParameter<boolean> = { name: "sort", ...oneOf({ newest: true, oldest: false }) };

const time = { parse: parseTime, expected: "a time such as 2026-01-31T18:00:00Z (RFC 3339)" };
const since: QueryParameter<string> = { name: "since", ...time };
const until: QueryParameter<string> = { name: "until", ...time };

const hoursMinutes = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const dateTime = new RegExp(
  `^(\\d{4}-\\d\\d-\\d\\d)[T ](${hoursMinutes}:[0-5]\\d)(\\.\\d+)?(Z|[+ -]${hoursMinutes})$`,
  "i",
);

/**
 * Parses an RFC 3339 time (section 5.6) and converts it to UTC, in milliseconds, as stored times
 * are. An unencoded plus arrives as a space.
 */
function parseTime(text: string): string | undefined {
  const [, date = "", time, fraction = "", zone = ""] = dateTime.exec(text) ?? [];
  // JavaScript parses February 30 as March 1 or 2, and month 13 not at all.
  const midnight = Date.parse(`${date}T00:00Z`);
  if (Number.isNaN(midnight)) return undefined;
  if (new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  const spelled = `${date}T${time}${fraction}${zone.replace(" ", "+").toUpperCase()}`;
  const milliseconds = Date.parse(spelled);
  return milliseconds > lastTime ? undefined : new Date(milliseconds).toISOString();
}
