/**
 * GET /api/{kind}: the rows that match a query, as a JSON array with one resource per line, and a
 * link to the next page.
 *
 * A short list that everybody may see is made once and shared until the next write. A long one is
 * made in pieces while it is sent: each resource comes once, as it is when its piece is made.
 */

import { randomUUID } from "node:crypto";
import { isKnown, strongTag } from "../http/etag.ts";
import type { Query, QueryParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import { jsonType, noCache, type Response } from "../http/response.ts";
import { firstIndex, jsonOf, type Row, type StoredKind } from "../store/tables.ts";
import type { Store } from "../store/store.ts";
import {
  after,
  cursorAfter,
  type Filter,
  type Filters,
  limit,
  since,
  sort,
  until,
} from "./list-parameters.ts";

/** The rows that a list chooses from. */
export interface Source<T, K> {
  /** The sub of a caller who sees own orders alone; undefined if everybody sees the same rows. */
  readonly reader: string | undefined;
  /** By seq. Asked again for each piece, because a write may have changed the array. */
  readonly rows: () => readonly Row<T, K>[];
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
  readonly #all: Source<T, K> = { reader: undefined, rows: () => this.#store.rows(this.#kind) };
  /** Short lists of the table's current version that everybody may see, by query. */
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

  /** Without a `source`, the list chooses from all rows. */
  response({ query, headers }: Request, source: Source<T, K> = this.#all): Response {
    const { name } = this.#kind;
    const version = this.#store.version(this.#kind);
    if (this.#version !== version) this.#shared.clear();
    this.#version = version;
    const { reader } = source;
    const text = withoutIgnored(query.text);
    const key = JSON.stringify([startId, name, version, text, reader]);
    const etag = strongTag(key);
    if (isKnown(etag, headers)) return { status: 304, etag, headers: noCache };
    const known = reader === undefined ? this.#shared.get(text) : undefined;
    if (known !== undefined) return known;
    const { link, pieces } = this.#find(query, text, source);
    const fields = link === undefined ? noCache : { ...noCache, Link: link };
    const list = { status: 200, type: jsonType, etag, headers: fields };
    const first = pieces.next();
    if (first.done !== true) return { ...list, body: joined(first.value, pieces) };
    const short = { ...list, body: first.value };
    if (reader !== undefined) return short;
    if (this.#shared.size >= maxShared) this.#shared.clear();
    this.#shared.set(text, short);
    return short;
  }

  /** The list in pieces, and the link to the next page if there is one. */
  #find(query: Query, text: string, { rows }: Source<T, K>): Found {
    const isNewestFirst = query.get(sort) === true;
    const start = query.get(after) ?? (isNewestFirst ? Infinity : 0);
    const matches = this.#matcherOf(query);
    const max = query.get(limit);
    if (max === undefined) {
      // Rows that are created while the list is sent do not come.
      const last = rows().at(-1)?.seq ?? 0;
      const behind = (position: number): Iterable<Row> =>
        rowsBehind(rows(), position, isNewestFirst, (row) => row.seq <= last && matches(row));
      return { link: undefined, pieces: piecesOf(behind, start) };
    }
    const page: Row<T, K>[] = [];
    let last: Row | undefined;
    for (const row of rowsBehind(rows(), start, isNewestFirst, matches)) {
      if (page.length === max) {
        last = page.at(-1);
        break;
      }
      page.push(row);
    }
    if (isNewestFirst) page.reverse();
    const behind = (position: number): Iterable<Row> =>
      rowsBehind(page, position, isNewestFirst, () => true);
    const link = last && `<${nextPage(this.#kind.name, text, last)}>; rel="next"`;
    return { link, pieces: piecesOf(behind, start) };
  }

  #matcherOf(query: Query): Matches<T, K> {
    const tests: Matches<T, K>[] = [];
    for (const parameter of this.#filters) {
      const name = parameter.name as keyof T;
      const values = new Set(query.all(parameter));
      if (values.size > 0) tests.push(({ value }) => values.has(value[name]));
    }
    const timeOf = this.#timeOf ?? (() => "");
    const [from, to] = [query.get(since), query.get(until)];
    if (from !== undefined) tests.push(({ value }) => timeOf(value) >= from);
    if (to !== undefined) tests.push(({ value }) => timeOf(value) < to);
    const [first = () => true] = tests;
    return tests.length > 1 ? (row) => tests.every((test) => test(row)) : first;
  }
}

interface Found {
  readonly link: string | undefined;
  readonly pieces: Pieces;
}

/** Yields all pieces of a list but the last, which it returns. */
type Pieces = Generator<Buffer, Buffer>;

/** The matches behind a position, in the order of the list. `rows`: by seq. */
function* rowsBehind<R extends Row>(
  rows: readonly R[],
  position: number,
  isNewestFirst: boolean,
  matches: (row: R) => boolean,
): Generator<R, void> {
  const first = firstIndex(rows, ({ seq }) => (isNewestFirst ? seq >= position : seq > position));
  const step = isNewestFirst ? -1 : 1;
  let index = isNewestFirst ? first - 1 : first;
  for (;;) {
    index = nextMatch(rows, index, step, matches);
    const row = rows[index];
    if (row === undefined) return;
    yield row;
    index += step;
  }
}

/**
 * The index of the next match, or one beyond the rows. Not a part of the generator, where V8 runs a
 * long loop slowly.
 */
function nextMatch<R>(
  rows: readonly R[],
  start: number,
  step: number,
  matches: (row: R) => boolean,
): number {
  let index = start;
  // The index is within the bounds.
  while (index >= 0 && index < rows.length && !matches(rows[index] as R)) index += step;
  return index;
}

/**
 * The text of a list in pieces. `behind`: the rows behind a position. It is called for each piece,
 * so that a client that does not read holds no rows.
 */
function* piecesOf(behind: (position: number) => Iterable<Row>, start: number): Pieces {
  let position = start;
  let separator = "\n";
  let text = "[";
  for (;;) {
    for (const row of behind(position)) {
      text += separator + jsonOf(row);
      separator = ",\n";
      position = row.seq;
      if (text.length >= pieceLength) break;
    }
    if (text.length < pieceLength) break;
    const piece = Buffer.from(text);
    // Before the yield: a client that does not read would hold the text too.
    text = "";
    yield piece;
  }
  return Buffer.from(separator === "\n" ? `${text}]\n` : `${text}\n]\n`);
}

function* joined(first: Buffer, others: Pieces): Generator<Buffer, void> {
  yield first;
  const last = yield* others;
  yield last;
}

/** The query without ignored parameters (`_x=1`), so that they do not make further lists. */
function withoutIgnored(query: string): string {
  // An escaped _ stays, and only costs a list of its own.
  return query.split("&").filter((part) => !part.startsWith("_")).join("&");
}

function nextPage(name: string, query: string, { seq }: Row): string {
  const next = new URLSearchParams(query);
  next.set(after.name, cursorAfter(seq));
  return `/api/${name}?${next}`;
}
