/**
 * GET /api/{kind}: the rows that match a query, as a JSON array with one resource per line, and a
 * link to the next page.
 *
 * A short list that everybody may see is made once and shared until the next write. A long one is
 * made in pieces while it is sent: each resource comes once, as it is when its piece is made.
 */

import { randomUUID } from "node:crypto";
import { conditional, isKnown, strongTag } from "../http/etag.ts";
import type { Query, QueryParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import { jsonType, noCache, type Response } from "../http/response.ts";
import { turn } from "../http/turn.ts";
import type { Kind } from "../resources/kind.ts";
import { jsonOf, type Row } from "../store/row.ts";
import { firstIndex } from "../store/tables.ts";
import type { Store } from "../store/store.ts";
import {
  after,
  cursorAfter,
  filterParameter,
  limit,
  since,
  sort,
  until,
} from "./list-parameters.ts";

/** The rows that a list chooses from. */
export interface ListSource<T, K> {
  /** The sub whose orders these are; undefined if everybody sees the same rows. */
  readonly ofSub: string | undefined;
  /** By seq. Called in each turn of the event loop, because a write may have changed the array. */
  readonly rows: () => readonly Row<T, K>[];
}

type Matches<R> = (row: R) => boolean;

/** Part of the tags, because versions may repeat after a restart. */
const startId = randomUUID();
/** The most lists shared at a time; each is no longer than a piece. */
const maxShared = 64;
/** Characters in a piece. */
const pieceLength = 64_000;
/** Rows to look at in a turn of the event loop, if few of them match. */
const maxLooked = 2_000;

/** The lists of one kind. */
export class Lists<T extends object, K> {
  /** The parameters that the query of a list may have. */
  readonly parameters: readonly QueryParameter[];
  readonly #kind: Kind<T, K>;
  readonly #store: Store;
  readonly #filters: readonly QueryParameter[];
  readonly #all: ListSource<T, K> = {
    ofSub: undefined,
    rows: () => this.#store.rows(this.#kind),
  };
  /** Short lists of the table's current version that everybody may see, by query. */
  readonly #shared = new Map<string, Response>();
  #version = -1;

  constructor(kind: Kind<T, K>, store: Store) {
    this.#kind = kind;
    this.#store = store;
    this.#filters =
      Object.entries(kind.filters).map(([name, filter]) => filterParameter(name, filter));
    const times = kind.timeOf === undefined ? [] : [since, until];
    this.parameters = [limit, after, sort, ...times, ...this.#filters];
  }

  /** Without a `source`, the list chooses from all rows. */
  async response(
    { query, headers, holder }: Request,
    source: ListSource<T, K> = this.#all,
  ): Promise<Response> {
    const { name } = this.#kind;
    const { ofSub } = source;
    const text = withoutIgnored(query.text);
    const sharedNow = (): Response | undefined =>
      ofSub === undefined ? this.#sharedLists().get(text) : undefined;
    let known = sharedNow();
    if (known === undefined) {
      // Many lists may be asked for at once, and each takes up to a millisecond.
      await turn(holder);
      known = sharedNow();
    }
    if (known !== undefined) return conditional(known, headers);
    const version = this.#store.version(this.#kind);
    const etag = strongTag(JSON.stringify([startId, name, version, text, ofSub]));
    if (isKnown(etag, headers)) return { status: 304, etag, headers: noCache };
    const { link, pieces } = await this.#pageOf(query, text, source, holder);
    const fields = link === undefined ? noCache : { ...noCache, Link: link };
    const list = { status: 200, type: jsonType, etag, headers: fields };
    const first = await pieces.next();
    if (first.done !== true) return { ...list, body: joined(first.value, pieces) };
    const short = { ...list, body: first.value };
    // A write may have come in a turn between.
    if (ofSub !== undefined || this.#store.version(this.#kind) !== version) return short;
    const shared = this.#sharedLists();
    if (shared.size >= maxShared) shared.clear();
    shared.set(text, short);
    return short;
  }

  /** Without those of an earlier version. */
  #sharedLists(): Map<string, Response> {
    const version = this.#store.version(this.#kind);
    if (this.#version !== version) this.#shared.clear();
    this.#version = version;
    return this.#shared;
  }

  /** The list in pieces, and the link to the next page if there is one. */
  async #pageOf(
    query: Query,
    text: string,
    { rows }: ListSource<T, K>,
    holder: string,
  ): Promise<Page> {
    const matches = this.#matcherOf(query);
    const step = query.get(sort) === true ? -1 : 1;
    const cursor = query.get(after);
    // Rows that are created while the list is made do not come.
    const newest = rows().at(-1)?.seq ?? 0;
    const start = step > 0 ? cursor ?? 0 : Math.min(cursor ?? Infinity, newest + 1);
    const whole = walkOf(rows, step, step > 0 ? newest : 0, matches);
    const end = await endOfPage(whole, start, query.get(limit), holder);
    if (end === undefined) return { link: undefined, pieces: piecesOf(whole, start, holder) };
    const link = `<${nextPage(this.#kind.name, text, end)}>; rel="next"`;
    return { link, pieces: piecesOf(walkOf(rows, step, end, matches), start, holder) };
  }

  /** Tells the rows that the query asks for. */
  #matcherOf(query: Query): Matches<Row<T, K>> {
    const sent = this.#filters.flatMap((parameter) => {
      const values = query.all(parameter);
      const name = parameter.name as keyof T;
      return values.length === 0 ? [] : [{ name, values: new Set(values) }];
    });
    const timeOf = (value: T): string => this.#kind.timeOf?.(value) ?? "";
    const [from, to] = [query.get(since), query.get(until)];
    return ({ value }) => {
      for (const { name, values } of sent) if (!values.has(value[name])) return false;
      if (from !== undefined && timeOf(value) < from) return false;
      return to === undefined || timeOf(value) < to;
    };
  }
}

interface Page {
  readonly link: string | undefined;
  readonly pieces: ListPieces;
}

/** Yields all pieces of a list but the last, which it returns. */
type ListPieces = AsyncGenerator<Buffer, Buffer>;

/**
 * Calls `take` with the matches behind a position until that returns false. Returns the position
 * to go on from, since each turn of the event loop looks at a part of the rows; undefined at the
 * end of the list.
 */
type Walk<R> = (position: number, take: (row: R) => boolean) => number | undefined;

/** `step`: 1 for the oldest first, -1 for the newest. `last`: seq of the last row. */
function walkOf<R extends Row>(
  rowsNow: () => readonly R[],
  step: 1 | -1,
  last: number,
  matches: Matches<R>,
): Walk<R> {
  return (start, take) => {
    const rows = rowsNow();
    let position = start;
    let index = step > 0 ? firstIndex(rows, ({ seq }) => seq > start)
      : firstIndex(rows, ({ seq }) => seq >= start) - 1;
    for (let looked = 0; looked < maxLooked; looked += 1) {
      const row = rows[index];
      if (row === undefined || step * row.seq > step * last) return undefined;
      position = row.seq;
      if (matches(row) && !take(row)) return position;
      index += step;
    }
    return position;
  };
}

/** The position of the last row of a page; undefined if no row is behind it. */
async function endOfPage<R extends Row>(
  walk: Walk<R>,
  start: number,
  max: number | undefined,
  holder: string,
): Promise<number | undefined> {
  if (max === undefined) return undefined;
  let count = 0;
  let end = start;
  const take = ({ seq }: R): boolean => {
    count += 1;
    if (count <= max) end = seq;
    return count <= max;
  };
  let position = walk(start, take);
  while (position !== undefined && count <= max) {
    await turn(holder);
    position = walk(position, take);
  }
  return count > max ? end : undefined;
}

/**
 * The text of a list in pieces. It goes on from a position, so that a client that does not read
 * holds no rows.
 */
async function* piecesOf(walk: Walk<Row>, start: number, holder: string): ListPieces {
  let separator = "\n";
  let text = "[";
  const add = (row: Row): boolean => {
    text += separator + jsonOf(row);
    separator = ",\n";
    return text.length < pieceLength;
  };
  for (let position = walk(start, add); position !== undefined; position = walk(position, add)) {
    if (text.length < pieceLength) {
      await turn(holder);
      continue;
    }
    const piece = Buffer.from(text);
    // Before the yield: a client that does not read would hold the text too.
    text = "";
    yield piece;
  }
  return Buffer.from(separator === "\n" ? `${text}]\n` : `${text}\n]\n`);
}

async function* joined(first: Buffer, others: ListPieces): AsyncGenerator<Buffer, void> {
  yield first;
  const last = yield* others;
  yield last;
}

/** The query without ignored parameters (`_x=1`), so that they do not make further lists. */
function withoutIgnored(query: string): string {
  // An escaped _ stays, and only costs a list of its own.
  return query.split("&").filter((part) => !part.startsWith("_")).join("&");
}

function nextPage(name: string, query: string, position: number): string {
  const next = new URLSearchParams(query);
  next.delete(`${after.name}[]`);
  next.set(after.name, cursorAfter(position));
  return `/api/${name}?${next}`;
}
