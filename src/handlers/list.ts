/**
 * GET /api/{kind}: what is selected as one JSON array, one resource per line, with the link to the
 * next page. A short list is answered whole, with its length; a long one in pieces, which are made
 * as they are sent. What was asked for recently is kept, until the next write makes it stale.
 */

import { randomUUID } from "node:crypto";
import type { Audience } from "../auth/access.ts";
import { strongTag } from "../http/etag.ts";
import { headLine, type HeadLines, uriQuery } from "../http/head.ts";
import { jsonType, noCache, type Reply } from "../http/reply.ts";
import type { Request } from "../http/route.ts";
import { turn } from "../http/turns.ts";
import type { Kind } from "../pizzeria/kind.ts";
import type { Entry, Table } from "../store/table.ts";
import { conditional, type Tagged } from "./conditional.ts";
import { cursorAfter, nameOf, parseListQuery } from "./list-query.ts";
import { ListText, type Room } from "./list-text.ts";
import { select, type Selection } from "./selection.ts";

/** In the tags of lists: the versions of tables begin anew with each start. */
const startId = randomUUID();

const maxLists = 64;
const maxBytes = 33_554_432;

/**
 * Of a table that is longer, a list that is not kept is made in a turn to come: a piece from a
 * socket may hold a thousand requests, and what is pipelined behind such a one is not carried out.
 */
const rowsAtOnce = 100;

/** The lists of one kind. */
export class Lists {
  readonly #kind: Kind;
  /** Of the table's present version, by audience and query. */
  readonly #recent = new Map<string, List>();
  #version = -1;
  #room: Room = { bytes: maxBytes };

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Only what `audience` may read. Throws, or rejects with, Problem 400. */
  reply(request: Request, table: Table, audience: Audience): Reply | Promise<Reply> {
    const query = withoutIgnored(request.query);
    const key = JSON.stringify([audience, query]);
    const known = this.#find(table, key);
    if (known !== undefined) return conditional(known, request.fields);
    const make = (): List | Promise<List> => this.#make(query, table, audience, key);
    const isSmall = table.rows.length <= rowsAtOnce;
    // Many may ask for it in the same turn: the first one's is shared.
    const list = isSmall ? make() : turn().then(() => this.#find(table, key) ?? make());
    if (list instanceof List) return conditional(list, request.fields);
    return list.then((made) => conditional(made, request.fields));
  }

  #find(table: Table, key: string): List | undefined {
    this.#forgetStale(table);
    return this.#recent.get(key);
  }

  #make(query: string, table: Table, audience: Audience, key: string): List | Promise<List> {
    const parsed = parseListQuery(query, this.#kind);
    const textOf = (parsed.withNames ? this.#kind.withNames : undefined) ?? bodyOf;
    const etag = strongTag(`${startId} ${table.version} ${key}`);
    const room = this.#room;
    const finish = (selection: Selection): List => {
      const head = headOf(this.#kind, query, selection);
      const list = new List(head, etag, new ListText(selection, textOf, room));
      if (room === this.#room) this.#recent.set(key, list);
      else list.text.forget();
      return list;
    };
    const selection = select(table, this.#kind, parsed, audience);
    return selection instanceof Promise ? selection.then(finish) : finish(selection);
  }

  #forgetStale({ version }: Table): void {
    const isFull = this.#recent.size >= maxLists || this.#room.bytes <= 0;
    if (!isFull && this.#version === version) return;
    for (const { text } of this.#recent.values()) text.forget();
    this.#recent.clear();
    this.#version = version;
    this.#room = { bytes: maxBytes };
  }
}

/** The answer that is a list. Its text is made when, and as far as, it is sent. */
class List implements Tagged {
  readonly status = 200;
  readonly type: string = jsonType;
  readonly head: HeadLines;
  readonly etag: string;
  readonly text: ListText;

  constructor(head: HeadLines, etag: string, text: ListText) {
    this.head = head;
    this.etag = etag;
    this.text = text;
  }

  get body(): string | Iterable<Uint8Array> {
    return this.text.whole() ?? this.text.pieces();
  }
}

/** The query without names that begin with an underscore: one that changes asks for nothing new. */
function withoutIgnored(query: string): string {
  if (!query.includes("_")) return query;
  // Those with an escape are judged with the rest.
  return query.split("&").filter((part) => !/^_[^%]*$/.test(part)).join("&");
}

function headOf({ name }: Kind, query: string, { last, total }: Selection): HeadLines {
  const head = noCache + headLine("X-Total-Count", `${total}`);
  if (last === undefined) return head;
  return head + headLine("Link", `</api/${name}?${nextQuery(query, last)}>; rel="next"`);
}

/** The query with the cursor after an item. */
function nextQuery(query: string, last: Entry): string {
  const others = query.split("&").filter((part) => part !== "" && nameOf(part) !== "after");
  const next = [...others, `after=${cursorAfter(last.seq)}`].join("&");
  return uriQuery(next);
}

function bodyOf(entry: Entry): string {
  return entry.body;
}
