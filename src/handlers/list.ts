/**
 * GET /api/{kind}: what is selected as one JSON array, one resource per line, with the link to the
 * next page. Texts are slices of what is in memory; those requested recently are kept.
 */

import { randomUUID } from "node:crypto";
import type { Audience } from "../auth/access.ts";
import { strongTag } from "../http/etag.ts";
import { headLine, type HeadLines, uriQuery } from "../http/head.ts";
import { jsonType, noCache, type Reply } from "../http/reply.ts";
import type { Entry, Table } from "../store/table.ts";
import { conditional, type Tagged } from "./conditional.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { cursorAfter, nameOf, parseListQuery } from "./list-query.ts";
import { RecentLists } from "./recent-lists.ts";
import type { Request } from "../http/route.ts";
import { select, type Selection } from "./selection.ts";

const startId = randomUUID();

/** The lists of one kind. */
export class Lists {
  readonly #kind: Kind;
  readonly #recent = new RecentLists();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Only what `audience` may read. Throws Problem 400. */
  reply(request: Request, table: Table, audience: Audience): Reply {
    const key = JSON.stringify([audience, request.query]);
    const reply = this.#recent.get(key, table.version) ?? this.#make(request, table, audience, key);
    return conditional(reply, request.fields);
  }

  #make(request: Request, table: Table, audience: Audience, key: string): Tagged {
    const query = parseListQuery(request.query, this.#kind);
    const selection = select(table, this.#kind, query, audience);
    const { entries } = selection;
    const head = headOf(this.#kind, request.query, selection);
    const { placed } = this.#kind;
    const textOf = query.withNames && placed !== undefined ? placed.withNames : bodyOf;
    const length = entries.length * averageLength(entries);
    if (length > wholeListLength || this.#recent.isCrowdedFor(length)) {
      // Too long to be read twice: the tag is of this start, this version and this query.
      const etag = strongTag(`${startId} ${table.version} ${key}`);
      const body = listPieces(entries.slice(), textOf);
      return { status: 200, type: jsonType, head, etag, body };
    }
    const body = [...listPieces(entries, textOf)].join("");
    const reply = { status: 200, type: jsonType, head, etag: strongTag(head + body), body };
    return this.#recent.keep(key, table.version, reply);
  }
}

function headOf(
  { name }: Kind,
  query: string,
  { entries, total, hasMore }: Selection,
): HeadLines {
  const head = noCache + headLine("X-Total-Count", `${total}`);
  const last = entries.at(-1);
  if (!hasMore || last === undefined) return head;
  return head + headLine("Link", `</api/${name}?${nextQuery(query, last)}>; rel="next"`);
}

/** The query with the cursor after an item. */
function nextQuery(query: string, last: Entry): string {
  const others = query.split("&").filter((part) => part !== "" && nameOf(part) !== "after");
  const next = [...others, `after=${cursorAfter(last.seq)}`].join("&");
  return uriQuery(next);
}

/** Near enough, without adding up a million lengths. */
function averageLength(entries: readonly Entry[]): number {
  const step = Math.ceil(entries.length / 64) || 1;
  let sum = 0;
  let count = 0;
  for (let index = 0; index < entries.length; index += step, count += 1) {
    sum += entries[index]?.text.length ?? 0;
  }
  return count === 0 ? 0 : sum / count;
}

function bodyOf(entry: Entry): string {
  return entry.body;
}

/** Characters in one piece of a list that is not made at once. */
const pieceLength = 131_072;

/** A list of more characters than this is made piece by piece, and never kept. */
const wholeListLength = 8_388_608;

/** A JSON array, one resource per line. */
function* listPieces(
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
): Generator<string> {
  let piece = entries.length === 0 ? "[" : "[\n";
  const last = entries.length - 1;
  for (let index = 0; index <= last; index += 1) {
    const entry = entries[index];
    if (entry === undefined) continue;
    piece += textOf(entry);
    piece += index === last ? "\n" : ",\n";
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]\n`;
}
