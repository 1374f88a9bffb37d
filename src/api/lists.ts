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
import { turn } from "../http/turn.ts";
import type { Kind } from "../resources/kind.ts";
import { firstIndex, jsonOf, type Row } from "../store/tables.ts";
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
  /** The sub of a caller who sees own orders alone; undefined if everybody sees the same rows. */
  readonly reader: string | undefined;
  /**
   * Arrays of rows, each by seq; no row is in two of them. Called again in each turn of the event
   * loop, because a write may have changed the arrays.
   */
  readonly arrays: () => readonly (readonly Row<T, K>[])[];
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
    reader: undefined,
    arrays: () => [this.#store.rows(this.#kind)],
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
    { query, headers }: Request,
    source: ListSource<T, K> = this.#all,
  ): Promise<Response> {
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
    const { link, pieces } = await this.#pageOf(query, text, source);
    const fields = link === undefined ? noCache : { ...noCache, Link: link };
    const list = { status: 200, type: jsonType, etag, headers: fields };
    let first = pieces.next();
    while (first.done !== true && first.value.length === 0) {
      await turn();
      first = pieces.next();
    }
    if (first.done !== true) return { ...list, body: joined(first.value, pieces) };
    const short = { ...list, body: first.value };
    // A write may have come in a turn between.
    if (reader !== undefined || this.#version !== version) return short;
    if (this.#shared.size >= maxShared) this.#shared.clear();
    this.#shared.set(text, short);
    return short;
  }

  /** The list in pieces, and the link to the next page if there is one. */
  async #pageOf(query: Query, text: string, { arrays }: ListSource<T, K>): Promise<Page> {
    const isNewestFirst = query.get(sort) === true;
    const start = query.get(after) ?? (isNewestFirst ? Infinity : 0);
    const max = query.get(limit);
    // Rows that are created while the list is made do not come.
    const last = Math.max(0, ...arrays().map((rows) => rows.at(-1)?.seq ?? 0));
    const walk = walkOf(arrays, isNewestFirst, this.#matcherOf(query, last));
    if (max === undefined) return { link: undefined, pieces: piecesOf(walk, start) };
    const page: Row<T, K>[] = [];
    const take = (row: Row<T, K>): boolean => page.push(row) <= max;
    let position = walk(start, take);
    while (position !== undefined && page.length <= max) {
      await turn();
      position = walk(position, take);
    }
    const next = page.splice(max).length > 0 ? page.at(-1) : undefined;
    if (isNewestFirst) page.reverse();
    const walkPage = walkOf(() => [page], isNewestFirst, () => true);
    const link = next && `<${nextPage(this.#kind.name, text, next)}>; rel="next"`;
    return { link, pieces: piecesOf(walkPage, start) };
  }

  /** Tells the rows that the query asks for. `last`: the highest seq. */
  #matcherOf(query: Query, last: number): Matches<Row<T, K>> {
    const sent = this.#filters.flatMap((parameter) => {
      const values = query.all(parameter);
      const name = parameter.name as keyof T;
      return values.length === 0 ? [] : [{ name, values: new Set(values) }];
    });
    const timeOf = (value: T): string => this.#kind.timeOf?.(value) ?? "";
    const [from, to] = [query.get(since), query.get(until)];
    return ({ seq, value }) => {
      if (seq > last) return false;
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

/** Yields all pieces of a list but the last, which it returns. An empty piece is a pause. */
type ListPieces = Generator<Buffer, Buffer>;

/**
 * Calls `take` with the matches behind a position until that returns false. Returns the position
 * to go on from, since each turn of the event loop looks at a part of the rows; undefined at the
 * end of the list.
 */
type Walk<R> = (position: number, take: (row: R) => boolean) => number | undefined;

/** Looks at the rows of the arrays side by side. `arrays`: as in ListSource. */
function walkOf<R extends Row>(
  arrays: () => readonly (readonly R[])[],
  isNewestFirst: boolean,
  matches: Matches<R>,
): Walk<R> {
  const step = isNewestFirst ? -1 : 1;
  return (position, take) => {
    /** For each array its next row. The first of them all is the last here. */
    const heads: Head<R>[] = [];
    const add = (rows: readonly R[], index: number): void => {
      const row = rows[index];
      if (row === undefined) return;
      const order = step * row.seq;
      heads.splice(firstIndex(heads, (head) => head.order < order), 0, { rows, index, order });
    };
    for (const rows of arrays()) {
      const first = firstIndex(rows, ({ seq }) => isNewestFirst ? seq >= position : seq > position);
      add(rows, isNewestFirst ? first - 1 : first);
    }
    let looked = 0;
    for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
      const { rows } = head;
      const { order: end } = heads.at(-1) ?? { order: Infinity };
      let { index } = head;
      for (; index >= 0 && index < rows.length; index += step) {
        // The index is within the bounds.
        const row = rows[index] as R;
        if (step * row.seq > end) break;
        looked += 1;
        const isEnough = matches(row) && !take(row);
        if (isEnough || looked === maxLooked) return row.seq;
      }
      add(rows, index);
    }
    return undefined;
  };
}

interface Head<R> {
  readonly rows: readonly R[];
  readonly index: number;
  /** Lowest for the row that comes first in the list. */
  readonly order: number;
}

/**
 * The text of a list in pieces. It goes on from a position, so that a client that does not read
 * holds no rows.
 */
function* piecesOf(walk: Walk<Row>, start: number): ListPieces {
  let separator = "\n";
  let text = "[";
  const add = (row: Row): boolean => {
    text += separator + jsonOf(row);
    separator = ",\n";
    return text.length < pieceLength;
  };
  for (let position = walk(start, add); position !== undefined; position = walk(position, add)) {
    if (text.length < pieceLength) {
      yield pause;
      continue;
    }
    const piece = Buffer.from(text);
    // Before the yield: a client that does not read would hold the text too.
    text = "";
    yield piece;
  }
  return Buffer.from(separator === "\n" ? `${text}]\n` : `${text}\n]\n`);
}

const pause = Buffer.alloc(0);

function* joined(first: Buffer, others: ListPieces): Generator<Buffer, void> {
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
