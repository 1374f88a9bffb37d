/**
 * GET /api/events (contract part 6): every durable change, as server-sent events for browsers or as
 * one JSON object per line for shells. A client resumes with the id of its last event, and gets the
 * changes of orders that it may read.
 */

import { audienceOf, type Audience, includes, type OrderReads } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import { noCache, type Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Operation, Route } from "../http/route.ts";
import { closedObject } from "../resources/field.ts";
import { jsonWithNames, type Kind } from "../resources/kind.ts";
import { kindNamed } from "../resources/kinds.ts";
import type { Change, History } from "../store/history.ts";
import { jsonOf, type StoredKind } from "../store/stored-kind.ts";
import type { Store } from "../store/store.ts";
import type { Feed, Source } from "./feed.ts";
import { embed } from "./list-query.ts";
import { text } from "./openapi-info.ts";

interface EventsOptions {
  readonly store: Store;
  readonly feed: Feed;
  readonly orderReads: OrderReads;
}

export function eventsRoute({ store, feed, orderReads }: EventsOptions): Route {
  const pieces = new EventPieces(store.history);
  return {
    method: "GET",
    path: "/api/events",
    rule: "anyone",
    vary: orderReads === "public" ? "Accept" : "Accept, Authorization",
    query: [embed],
    handle: ({ query, headers, caller }: Request): Response => {
      const format = formatFor(headers.accept);
      const view = {
        format,
        audience: audienceOf(caller, orderReads),
        withNames: query.get(embed) === true,
      };
      const resumeAfter = parseEventId(headers["last-event-id"]);
      return {
        status: 200,
        headers: ["Content-Type", format.contentType, ...noCache, "X-Accel-Buffering", "no"],
        body: feed.subscribe(() => sourceOf(pieces, view, resumeAfter, caller)),
      };
    },
    operation,
  };
}

function sourceOf(
  pieces: EventPieces,
  view: View,
  resumeAfter: number | undefined,
  caller: Caller,
): Source {
  const { format } = view;
  let position = resumeAfter ?? pieces.last;
  const isKnown = pieces.pieceAfter(position, view) !== "unknown";
  if (!isKnown) position = pieces.last;
  const reset = isKnown ? "" : format.event(position, "reset", "{}");
  let opening = format.opening(resumeAfter === undefined ? position : undefined) + reset;
  return {
    next() {
      if (opening !== "") {
        const bytes = Buffer.from(opening);
        opening = "";
        return bytes;
      }
      const piece = pieces.pieceAfter(position, view);
      // So much was written that its position is forgotten.
      if (piece === "unknown") return "lost";
      if (piece === undefined) return undefined;
      position = piece.last;
      return piece.bytes;
    },
    heartbeat: format.heartbeat,
    caller,
  };
}

/** -1, a position that is never known, for text that is not an event id. */
function parseEventId(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? "");
  if (text === "") return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}

/** The format of a stream. Clients ignore heartbeats (comments or empty lines). */
interface EventFormat {
  readonly contentType: string;
  /** The first text. `id`: the position of a new client; undefined if the client resumes. */
  opening(id: number | undefined): string;
  /** `data`: JSON text. */
  event(id: number, event: string, data: string): string;
  readonly heartbeat: string;
}

/** Time until a browser connects again. */
const retryMs = 2_000;

/** The HTML standard's server-sent events. */
const serverSentEvents: EventFormat = {
  contentType: "text/event-stream",
  // An id without data is not an event, but sets Last-Event-ID for a client that gets no events.
  opening: (id) => `retry: ${retryMs}\n${id === undefined ? "" : `id: ${id}\n`}\n`,
  event: (id, event, data) => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`,
  heartbeat: ":\n\n",
};

/** One JSON object per line. */
const jsonLines: EventFormat = {
  contentType: "application/x-ndjson",
  opening: () => "",
  event: (id, event, data) => `{"id":"${id}","event":"${event}","data":${data}}\n`,
  heartbeat: "\n",
};

/** JSON lines if Accept names them and not server-sent events. */
function formatFor(accept = ""): EventFormat {
  const types = accept.toLowerCase();
  const names = ({ contentType }: EventFormat): boolean => types.includes(contentType);
  return names(jsonLines) && !names(serverSentEvents) ? jsonLines : serverSentEvents;
}

/** The changes that a client may see, and their format. */
interface View {
  readonly format: EventFormat;
  readonly audience: Audience;
  readonly withNames: boolean;
}

/** Characters in a piece. */
const pieceLength = 65_536;
/** Changes examined for a piece. */
const maxChanges = 500;
/** Reached only if many clients catch up from different positions. */
const maxPieces = 64;

/** Some changes as text. */
interface EventPiece {
  readonly bytes: Buffer;
  /** The position behind it. */
  readonly last: number;
}

/** Makes the text of changes once for all clients with the same view and position. */
class EventPieces {
  readonly #history: History;
  readonly #made = new Map<string, EventPiece>();
  /** The last change when the pieces were made. */
  #madeAt = 0;

  constructor(history: History) {
    this.#history = history;
  }

  get last(): number {
    return this.#history.last;
  }

  /** The changes behind a position; undefined: there are none yet. */
  pieceAfter(position: number, view: View): EventPiece | "unknown" | undefined {
    const { last } = this;
    if (position === last) return undefined;
    const missed = this.#history.since(position, maxChanges);
    if (missed === undefined) return "unknown";
    const { format, audience, withNames } = view;
    const isOwn = (change: Change): boolean => includes(audience, placerOf(change));
    if (typeof audience !== "string" && missed.some(isOwn)) return this.#make(missed, view);
    // A customer who placed none of these orders shares the piece of callers who see no orders.
    const shared = audience === "everybody" ? audience : "nobody";
    if (this.#madeAt !== last || this.#made.size >= maxPieces) this.#made.clear();
    this.#madeAt = last;
    const key = `${position} ${shared} ${withNames} ${format.contentType}`;
    const piece = this.#made.get(key) ?? this.#make(missed, { ...view, audience: shared });
    this.#made.set(key, piece);
    return piece;
  }

  #make(missed: readonly Change[], { format, audience, withNames }: View): EventPiece {
    let text = "";
    let last = 0;
    for (const change of missed) {
      if (text.length >= pieceLength) return { bytes: Buffer.from(text), last };
      last = change.seq;
      if (change.kind.isHidden === true) continue;
      if (isOrder(change) && !includes(audience, placerOf(change))) continue;
      text += this.#textOf(change, format, withNames);
    }
    return { bytes: Buffer.from(text), last };
  }

  #textOf(change: Change, format: EventFormat, withNames: boolean): string {
    const { seq, kind, action, id, row } = change;
    const toJson = withNames ? jsonWithNames : jsonOf;
    const data =
      row === undefined ? JSON.stringify({ id }) : toJson(kindNamed(kind.name), row);
    return format.event(seq, `${kind.name}.${action}`, data);
  }
}

/** Only orders have restricted readers. */
function isOrder({ kind }: Change): boolean {
  return placedByOf(kind) !== undefined;
}

/** The subject that placed the order; undefined if none is known, and for other kinds. */
function placerOf({ kind, row, deleted }: Change): string | undefined {
  const order = row ?? deleted;
  return order && placedByOf(kind)?.(order);
}

function placedByOf({ name, isHidden }: StoredKind): Kind["placedBy"] {
  return isHidden === true ? undefined : kindNamed(name).placedBy;
}

const example = { name: "Truffle", isVegetarian: true, isVegan: true };
const exampleData = JSON.stringify({ id: "tartufo", ...example });

/** OpenAPI 3.1 cannot describe the parts of a stream: a schema of one line and an example do. */
const operation: Operation = {
  id: "getEvents",
  tag: { name: "events", description: "Changes as they happen." },
  summary: "Follow every change",
  description:
    "A stream without an end: server-sent events, or one JSON object per line if `Accept` is " +
    "`application/x-ndjson`. Events are `orders.created`, `orders.updated`, `orders.deleted`, " +
    "the same for the menu, and `shop.updated`. `data` is the resource, or only its `id` if it " +
    "was deleted. A heartbeat, which is a comment or an empty line, comes every 15 s. A caller " +
    "gets no events of orders that it may not read.\n\n" +
    "With `Last-Event-ID` the stream continues after that event, also after a restart. The " +
    "server remembers up to 10,000 changes (8 MiB of them), and after a restart those that its " +
    "file still has. If the event is further back, or belongs to a past that a restored backup " +
    "has replaced, the first event is `reset`: read everything again, then continue.",
  parameters: [
    {
      $component: "parameters/LastEventId",
      name: "Last-Event-ID",
      in: "header",
      description: "The id of the last event that the client has.",
      schema: text,
    },
  ],
  success: {
    description: "Events, as they happen.",
    content: {
      [serverSentEvents.contentType]: {
        ...text,
        examples: [serverSentEvents.event(28, "toppings.created", exampleData)],
      },
      [jsonLines.contentType]: {
        ...text,
        contentMediaType: "application/json",
        contentSchema: {
          $component: "schemas/Event",
          ...closedObject({
            id: { ...text, description: "Rises from event to event." },
            event: { ...text, description: "`orders.created`, or `reset`." },
            data: { type: "object", description: "The resource, or its `id`." },
          }),
          description: "One line of the stream.",
        },
        examples: [jsonLines.event(28, "toppings.created", exampleData)],
      },
    },
  },
};
