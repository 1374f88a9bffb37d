/**
 * GET /api/{kind}: the rows that match a query, as a JSON array with one resource per line, and a
 * link to the next page.
 *
 * A list filters an immutable view of the rows; a large table takes several turns of the event
 * loop. A short list is kept as bytes until the next write. A long list is made in pieces while it
 * is sent, so a slow client holds only the view and one piece.
 */

import { randomUUID } from "node:crypto";
import { type Audience, includes } from "../auth/access.ts";
import { conditional, strongTag, type Tagged } from "../http/etag.ts";
import { type HeaderList, jsonType, noCache, type Response } from "../http/response.ts";
import { withParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import { turn } from "../http/turns.ts";
import type { Kind } from "../resources/kind.ts";
import type { Row, Rows } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { cursorAfter, type ListQuery, parseListQuery } from "./list-query.ts";

/** Part of the tags of long lists, because table versions may repeat after a restart. */
const startId = randomUUID();
/** Rows filtered in a step: about half a millisecond. */
const rowsPerTurn = 10_000;
/** The most lists kept at a time; each is no longer than a piece. */
const maxLists = 64;
/** Characters in a piece: with its last row, about the most that the kernel sends at once. */
const pieceLength = 64_000;

/** The lists of one kind. */
export class Lists {
  readonly #kind: Kind;
  readonly #store: Store;
  /** Lists of the table's current version, by audience and query. */
  #kept = new Map<string, List | Promise<List>>();
  #version = -1;

  constructor(kind: Kind, store: Store) {
    this.#kind = kind;
    this.#store = store;
  }

  /** Answers with the rows that the audience may read. */
  response(request: Request, audience: Audience): Response | Promise<Response> {
    const version = this.#store.version(this.#kind);
    if (this.#version !== version || this.#kept.size >= maxLists) {
      this.#kept = new Map();
      this.#version = version;
    }
    const query = withoutIgnored(request.query.text);
    // A query has no space in it.
    const key = `${query} ${typeof audience === "string" ? audience : JSON.stringify(audience)}`;
    const lists = this.#kept;
    const kept = lists.get(key);
    if (kept instanceof List) return conditional(kept.response(), request.headers);
    // Requests for a list that is being made share it.
    const making = kept ?? this.#make(request, query, audience, `${startId} ${version} ${key}`);
    lists.set(key, making);
    return making.then((list) => {
      lists.set(key, list);
      return conditional(list.response(), request.headers);
    });
  }

  /** Throws Problem 400. */
  #make(request: Request, query: string, audience: Audience, version: string): Promise<List> {
    const kind = this.#kind;
    const parsed = parseListQuery(request.query, kind);
    const rows = this.#store.rows(kind);
    // In a turn of its own: one client may have sent a thousand such requests at once.
    return turn()
      .then(() => find(rows, parsed, matcherFor(kind, parsed, audience)))
      .then((found) => {
        const headers = headersOf(kind, query, found);
        return new List(headers, version, found, this.#textOf(parsed));
      });
  }

  #textOf({ withNames }: ListQuery): TextOf {
    const kind = this.#kind;
    if (!withNames || kind.withNames === undefined) return (row) => JSON.stringify(row.value);
    return (row) => JSON.stringify(kind.withNames?.(row));
  }
}

type Matches = (row: Row) => boolean;
type TextOf = (row: Row) => string;

/** Undefined: every row matches. */
function matcherFor(kind: Kind, query: ListQuery, audience: Audience): Matches | undefined {
  const { since, until, filters } = query;
  const tests: Matches[] = [];
  for (const [name, values] of filters) tests.push((row) => values.has(memberOf(row, name)));
  if (since !== undefined) tests.push((row) => String(memberOf(row, "placedAt")) >= since);
  if (until !== undefined) tests.push((row) => String(memberOf(row, "placedAt")) < until);
  if (audience !== "everybody") tests.push((row) => includes(audience, kind.placedBy?.(row)));
  const [first] = tests;
  return tests.length > 1 ? (row) => tests.every((test) => test(row)) : first;
}

/** The value of a field. */
function memberOf({ value }: Row, name: string): unknown {
  return (value as unknown as Readonly<Record<string, unknown>>)[name];
}

/** The rows that match a query. */
interface Found {
  /** The number of matches on all pages. */
  readonly total: number;
  /** The last row of the page; undefined on the last page. */
  readonly last: Row | undefined;
  /** The rows in the requested order. Undefined: many were examined, others should have a turn. */
  rows(): Iterable<Row | undefined>;
}

/**
 * A list without a limit is filtered once if it has fewer matches than this: they are collected
 * while they are counted. A longer list is filtered again while it is sent.
 */
const notedMost = 1_001;

function find(rows: Rows, query: ListQuery, matches?: Matches): Found | Promise<Found> {
  const { limit, newestFirst, after } = query;
  const start = after ?? (newestFirst ? Infinity : -1);
  const inOrder = (): Iterable<Row> => (newestFirst ? rows.before(start) : rows.after(start));
  if (matches === undefined) {
    if (limit === undefined) return { total: rows.length, last: undefined, rows: inOrder };
    return pageOf(rows.length, firstOf(inOrder(), limit + 1), limit);
  }
  const isAfterStart = ({ seq }: Row): boolean => (newestFirst ? seq < start : seq > start);
  const most = limit === undefined ? notedMost : limit + 1;
  const counting = count(rows.blocks(newestFirst), matches, isAfterStart, most);
  return inTurns(counting).then(({ total, first }) => {
    if (limit !== undefined) return pageOf(total, first, limit);
    if (first.length < most) return pageOf(total, first, most);
    return { total, last: undefined, rows: () => filtered(inOrder(), matches) };
  });
}

/** `rows`: those of the page and, if there is one, the first of the next page. */
function pageOf(total: number, rows: readonly Row[], limit: number): Found {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { total, last, rows: () => page };
}

function firstOf(rows: Iterable<Row>, most: number): readonly Row[] {
  const first: Row[] = [];
  for (const row of rows) if (first.push(row) === most) break;
  return first;
}

/** The matches of a query. */
interface Counted {
  readonly total: number;
  /** The first ones after the cursor. */
  readonly first: readonly Row[];
}

/** Yields after each `rowsPerTurn` rows. */
function* count(
  blocks: Iterable<readonly Row[]>,
  matches: Matches,
  isAfterStart: Matches,
  most: number,
): Generator<void, Counted> {
  const first: Row[] = [];
  let total = 0;
  let read = 0;
  for (const block of blocks) {
    for (const row of block) {
      if (!matches(row)) continue;
      total += 1;
      if (first.length < most && isAfterStart(row)) first.push(row);
    }
    read += block.length;
    if (read < rowsPerTurn) continue;
    read = 0;
    yield;
  }
  return { total, first };
}

/** The result. Takes a turn of the event loop for each step. */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await turn();
  }
}

/** The rows that match, and undefined after each `rowsPerTurn` rows examined. */
function* filtered(rows: Iterable<Row>, matches: Matches): Generator<Row | undefined, void> {
  let read = 0;
  for (const row of rows) {
    if (matches(row)) yield row;
    read += 1;
    if (read % rowsPerTurn === 0) yield undefined;
  }
}

/** The query without ignored parameters (`_…`), so that they do not create new lists. */
function withoutIgnored(query: string): string {
  if (!query.includes("_")) return query;
  // A name with an escape stays; it only costs a list of its own.
  return query.split("&").filter((part) => !/^_[^%]*$/.test(part)).join("&");
}

function headersOf({ name }: Kind, query: string, { last, total }: Found): HeaderList {
  const headers = [...noCache, "X-Total-Count", `${total}`];
  if (last === undefined) return headers;
  const next = withParameter(query, "after", cursorAfter(last.seq));
  return [...headers, "Link", `</api/${name}?${next}>; rel="next"`];
}

/** A list as a response. */
class List {
  readonly #etag: string;
  readonly #headers: HeaderList;
  readonly #found: Found;
  readonly #textOf: TextOf;
  /** The bytes of a short list, shared by all responses with it. */
  readonly #whole: Buffer | undefined;

  constructor(headers: HeaderList, version: string, found: Found, textOf: TextOf) {
    this.#found = found;
    this.#textOf = textOf;
    const [first, second] = this.#pieces();
    this.#whole = second === undefined ? first : undefined;
    // The tag of a short list depends on its content and headers (the next page's link), so writes
    // elsewhere in the table do not change it.
    const content = this.#whole && headers.join() + this.#whole.toString();
    this.#etag = strongTag(content ?? version);
    this.#headers = ["Content-Type", jsonType, "ETag", this.#etag, ...headers];
  }

  response(): Tagged {
    const body = this.#whole ?? this.#pieces();
    return { status: 200, headers: this.#headers, etag: this.#etag, body };
  }

  /** The text in pieces, which may be empty. */
  *#pieces(): Generator<Buffer, void> {
    let text = "[";
    let separator = "\n";
    for (const row of this.#found.rows()) {
      if (row !== undefined) {
        text += separator + this.#textOf(row);
        separator = ",\n";
        if (text.length < pieceLength) continue;
      }
      const piece = Buffer.from(text);
      text = "";
      yield piece;
    }
    yield Buffer.from(separator === "\n" ? `${text}]\n` : `${text}\n]\n`);
  }
}
