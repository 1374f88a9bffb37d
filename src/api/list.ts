/**
 * GET /api/{kind}: the rows that match a query, as a JSON array with one resource per line, and a
 * link to the next page.
 *
 * A list filters an immutable view of the rows. A short list is made as bytes and shared until the
 * next write. A long list is made in pieces while it is sent, so a slow client holds only the view
 * and one piece.
 */

import { randomUUID } from "node:crypto";
import { type Audience, mayReadOrdersOf } from "../auth/access.ts";
import { conditional, strongTag } from "../http/etag.ts";
import type { Request } from "../http/request.ts";
import { type HeaderList, jsonType, noCache, type Response } from "../http/response.ts";
import type { JsonObject } from "../problems/faults.ts";
import { jsonWithNames, type Kind } from "../resources/kind.ts";
import type { Row, Rows } from "../store/rows.ts";
import { jsonOf } from "../store/stored-kind.ts";
import type { Store } from "../store/store.ts";
import { cursorAfter, type ListQuery, parseListQuery } from "./list-query.ts";

/** Part of the tags of long lists, because table versions may repeat after a restart. */
const startId = randomUUID();
/** The most lists shared at a time; each is no longer than a piece. */
const maxShared = 64;
/** The most matches of a list without a limit that are noted while they are counted. */
const maxNoted = 10_000;
/** Characters in a piece. */
const pieceLength = 64_000;

/** The lists of one kind. */
export class Lists {
  readonly #kind: Kind;
  readonly #store: Store;
  /** Lists of the table's current version, by query and audience. */
  readonly #shared = new Map<string, Response>();
  #version = -1;

  constructor(kind: Kind, store: Store) {
    this.#kind = kind;
    this.#store = store;
  }

  /** The response with the rows that the audience may read. */
  response({ query, headers }: Request, audience: Audience): Response {
    const version = this.#store.version(this.#kind);
    if (this.#version !== version || this.#shared.size >= maxShared) this.#shared.clear();
    this.#version = version;
    const text = withoutIgnored(query.text);
    // A query has no space in it.
    const key = `${text} ${typeof audience === "string" ? audience : JSON.stringify(audience)}`;
    let list = this.#shared.get(key);
    if (list === undefined) {
      list = this.#make(parseListQuery(query, this.#kind), text, audience, `${version} ${key}`);
      this.#shared.set(key, list);
    }
    return conditional(list, headers);
  }

  /** `version`: names the content of the list until the next start. */
  #make(query: ListQuery, text: string, audience: Audience, version: string): Response {
    const kind = this.#kind;
    const found = find(this.#store.rows(kind), query, matcherFor(kind, query, audience));
    const toJson = query.withNames ? jsonWithNames : jsonOf;
    const pieces = { [Symbol.iterator]: () => piecesOf(found.rows(), (row) => toJson(kind, row)) };
    const own = headersOf(kind, text, found);
    const [first, second] = pieces;
    const whole = second === undefined ? first : undefined;
    // The tag of a short list depends on its content and headers (the next page's link), so writes
    // elsewhere in the table do not change it.
    const etag = strongTag(whole ? own.join() + whole.toString() : `${startId} ${version}`);
    const headers = ["Content-Type", jsonType, "ETag", etag, ...own];
    return { status: 200, headers, body: whole ?? pieces };
  }
}

type Matches = (row: Row) => boolean;

/** Undefined: every row matches. */
function matcherFor(kind: Kind, query: ListQuery, audience: Audience): Matches | undefined {
  const { since, until, filters } = query;
  const tests: Matches[] = [];
  for (const [name, values] of filters) tests.push((row) => values.has(memberOf(row, name)));
  if (since !== undefined) tests.push((row) => String(memberOf(row, "placedAt")) >= since);
  if (until !== undefined) tests.push((row) => String(memberOf(row, "placedAt")) < until);
  if (audience !== "everybody") tests.push((row) => mayReadOrdersOf(audience, kind.placedBy?.(row)));
  const [first] = tests;
  return tests.length > 1 ? (row) => tests.every((test) => test(row)) : first;
}

/** The value of a field. */
function memberOf({ value }: Row, name: string): unknown {
  return (value as unknown as JsonObject)[name];
}

/** The rows that match a query. */
interface Found {
  /** The number of matches on all pages. */
  readonly total: number;
  /** The last row of the page; undefined on the last page. */
  readonly last: Row | undefined;
  /** In the requested order. */
  rows(): Iterable<Row>;
}

function find(rows: Rows, query: ListQuery, matches: Matches | undefined): Found {
  const { limit, newestFirst, after = newestFirst ? Infinity : -1 } = query;
  const inOrder = (): Iterable<Row> =>
    newestFirst ? rows.rowsBefore(after) : rows.rowsAfter(after);
  const max = limit === undefined ? maxNoted : limit + 1;
  const noted: Row[] = [];
  let total = 0;
  if (matches === undefined) {
    total = rows.length;
    for (const row of inOrder()) if (noted.push(row) === max) break;
  } else {
    for (const block of rows.blocks(newestFirst)) {
      for (const row of block) {
        if (!matches(row)) continue;
        total += 1;
        const isAfter = newestFirst ? row.seq < after : row.seq > after;
        if (isAfter && noted.length < max) noted.push(row);
      }
    }
  }
  if (limit === undefined && noted.length === max) {
    return { total, last: undefined, rows: () => filter(inOrder(), matches) };
  }
  const page = noted.slice(0, limit);
  return { total, last: noted.length > page.length ? page.at(-1) : undefined, rows: () => page };
}

function* filter(rows: Iterable<Row>, matches: Matches | undefined): Generator<Row, void> {
  for (const row of rows) if (matches === undefined || matches(row)) yield row;
}

/** The query without ignored parameters (`_…`), so that they do not create new lists. */
function withoutIgnored(query: string): string {
  // An escaped _ stays; it only costs a list of its own.
  return query.split("&").filter((part) => !part.startsWith("_")).join("&");
}

function headersOf({ name }: Kind, query: string, { last, total }: Found): HeaderList {
  const headers = [...noCache, "X-Total-Count", `${total}`];
  if (last === undefined) return headers;
  const next = new URLSearchParams(query);
  next.set("after", cursorAfter(last.seq));
  return [...headers, "Link", `</api/${name}?${next}>; rel="next"`];
}

/** The list's text in pieces. */
function* piecesOf(rows: Iterable<Row>, toJson: (row: Row) => string): Generator<Buffer, void> {
  let text = "[";
  let separator = "\n";
  for (const row of rows) {
    text += separator + toJson(row);
    separator = ",\n";
    if (text.length < pieceLength) continue;
    const piece = Buffer.from(text);
    // Before the yield: a client that does not read would hold the text too.
    text = "";
    yield piece;
  }
  yield Buffer.from(separator === "\n" ? `${text}]\n` : `${text}\n]\n`);
}
