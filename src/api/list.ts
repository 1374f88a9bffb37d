/**
 * GET /api/{kind}: what is selected as one JSON array, one resource per line, with the link to the
 * next page. A short list is answered whole, with its length; a long one in pieces, which are made
 * as they are sent: each begins after the row at which the one before it ended, so that a reader
 * holds the number of that row and one piece.
 *
 * What was asked for recently is kept, until the next write makes it stale; of a long list, when it
 * is read more than once, the pieces, which its readers share.
 */

import { randomUUID } from "node:crypto";
import type { Audience } from "../auth/access.ts";
import { conditional, strongTag, type Tagged } from "../http/etag.ts";
import { type Answer, type HeaderList, jsonType, noCache } from "../http/answer.ts";
import { type Query, withParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import { turn } from "../http/turns.ts";
import type { Kind } from "../resources/kind.ts";
import type { Entry, Table } from "../store/table.ts";
import { cursorAfter, parseListQuery } from "./list-query.ts";
import { select, type Selection } from "./selection.ts";

/** In the tags of long lists: the versions of tables begin anew with each start. */
const startId = randomUUID();

/**
 * Of a table that is longer, a list that is not kept is made in a turn to come: a piece from a
 * socket may hold a thousand requests, and what is pipelined behind such a one is not carried out.
 */
const rowsAtOnce = 100;

/** The lists of one kind. */
export class Lists {
  readonly #kind: Kind;
  /** Of the table's present version. */
  #kept = new Kept();
  #version = -1;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Only what `audience` may read. */
  reply(request: Request, table: Table, audience: Audience): Answer | Promise<Answer> {
    const query = withoutIgnored(request.query.text);
    // No query holds a space.
    const key = `${query} ${typeof audience === "string" ? audience : JSON.stringify(audience)}`;
    const known = this.#find(table, key);
    if (known !== undefined) return conditional(known, request.headers);
    const make = (): List | Promise<List> => this.#make(request.query, table, audience, key);
    const isSmall = table.rows.length <= rowsAtOnce;
    // Many may ask for it in the same turn: the first one's is shared.
    const list = isSmall ? make() : turn().then(() => this.#find(table, key) ?? make());
    if (list instanceof List) return conditional(list, request.headers);
    return list.then((made) => conditional(made, request.headers));
  }

  #find({ version }: Table, key: string): List | undefined {
    if (this.#version !== version || this.#kept.lists.size >= maxLists) {
      this.#kept.forget();
      this.#kept = new Kept();
      this.#version = version;
    }
    return this.#kept.lists.get(key);
  }

  #make(query: Query, table: Table, audience: Audience, key: string): List | Promise<List> {
    const parsed = parseListQuery(query, this.#kind);
    const textOf = (parsed.withNames ? this.#kind.withNames : undefined) ?? bodyOf;
    const version = `${startId} ${table.version} ${key}`;
    const kept = this.#kept;
    const finish = (selection: Selection): List => {
      const headers = headersOf(this.#kind, withoutIgnored(query.text), selection);
      const list = new List(headers, version, selection, textOf, kept);
      kept.lists.set(key, list);
      return list;
    };
    const selection = select(table, this.#kind, parsed, audience);
    return selection instanceof Promise ? selection.then(finish) : finish(selection);
  }
}

/** The query without names that begin with an underscore: one that changes asks for nothing new. */
function withoutIgnored(query: string): string {
  if (!query.includes("_")) return query;
  // Those with an escape are judged with the rest.
  return query.split("&").filter((part) => !/^_[^%]*$/.test(part)).join("&");
}

function headersOf({ name }: Kind, query: string, { last, total }: Selection): HeaderList {
  const headers = [...noCache, "X-Total-Count", `${total}`];
  if (last === undefined) return headers;
  const next = withParameter(query, "after", cursorAfter(last.seq));
  return [...headers, "Link", `</api/${name}?${next}>; rel="next"`];
}

function bodyOf(entry: Entry): string {
  return entry.body;
}

/** The text of a short one is no longer than a piece. */
const maxLists = 64;
/** In the pieces of the long ones together. */
const maxBytes = 33_554_432;

/** What is kept of one version of a table. */
class Kept {
  /** By audience and query. */
  readonly lists = new Map<string, List>();
  /** By the list, and the row that they begin after. */
  readonly pieces = new Map<string, Piece>();
  /** What may still be kept. */
  bytes = maxBytes;

  /** Nothing more is kept, though there may be readers who are not at the end. */
  forget(): void {
    this.lists.clear();
    this.pieces.clear();
    this.bytes = 0;
  }
}

/** Characters in one piece: with the row that ends it, what the kernel takes as one packet. */
const pieceLength = 64_000;
/** In one that is kept. */
const keptLength = 2 * pieceLength;

interface Piece {
  readonly bytes: Uint8Array;
  /** The seq of its last row; undefined where the list ends. */
  readonly last: number | undefined;
}

/** The answer that is a list: a JSON array, one resource per line, made as far as it is sent. */
class List implements Tagged {
  readonly status = 200;
  readonly headers: HeaderList;
  readonly etag: string;
  readonly #selection: Selection;
  readonly #textOf: (entry: Entry) => string;
  readonly #kept: Kept;
  /** All of it, where it is short. */
  readonly #whole: string | undefined;
  #readings = 0;

  constructor(
    headers: HeaderList,
    version: string,
    selection: Selection,
    textOf: (entry: Entry) => string,
    kept: Kept,
  ) {
    this.#selection = selection;
    this.#textOf = textOf;
    this.#kept = kept;
    this.#whole = isShort(selection) ? this.#read(undefined, Infinity).text : undefined;
    // A short one is known by its content, and by whether there is more: what others write beside
    // it does not change its tag.
    this.etag = strongTag(this.#whole === undefined ? version : headers.join() + this.#whole);
    this.headers = ["Content-Type", jsonType, "ETag", this.etag, ...headers];
  }

  get body(): string | Iterable<Uint8Array> {
    return this.#whole ?? this.#pieces();
  }

  *#pieces(): Generator<Uint8Array, void> {
    this.#readings += 1;
    let after: number | undefined;
    do {
      const key = `${this.etag} ${after}`;
      const piece: Piece = this.#kept.pieces.get(key) ?? this.#make(key, after);
      yield piece.bytes;
      after = piece.last;
    } while (after !== undefined);
  }

  #make(key: string, after: number | undefined): Piece {
    const isKept = this.#readings > 1 && this.#kept.bytes > 0;
    const { text, last } = this.#read(after, isKept ? keptLength : pieceLength);
    const piece = { bytes: Buffer.from(text), last };
    if (isKept) {
      this.#kept.bytes -= piece.bytes.length;
      this.#kept.pieces.set(key, piece);
    }
    return piece;
  }

  /** The rows behind one of them, until the text is so long. */
  #read(after: number | undefined, length: number): { text: string; last: number | undefined } {
    let text = after === undefined ? "[" : "";
    let separator = after === undefined ? "\n" : ",\n";
    let last: number | undefined;
    for (const entry of this.#selection.rows(after)) {
      if (text.length >= length) return { text, last };
      text += separator + this.#textOf(entry);
      separator = ",\n";
      last = entry.seq;
    }
    return { text: text === "[" ? "[]\n" : `${text}\n]\n`, last: undefined };
  }
}

function isShort(selection: Selection): boolean {
  let length = 0;
  for (const { text } of selection.rows()) {
    length += text.length;
    if (length > pieceLength) return false;
  }
  return true;
}
