/**
 * GET /api/events (contract part 6): every durable change, as server-sent events for browsers or as
 * one JSON object per line for shells. A client resumes with the id of its last event, and gets the
 * changes of orders that it may read.
 */

import { audienceOf, type Audience, mayReadOrdersOf } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import { noCache, type Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { MediaTypes, Operation, Route } from "../http/route.ts";
import { jsonWithNames } from "../resources/kind.ts";
import { kindNamed } from "../resources/kinds.ts";
import type { Change, History } from "../store/history.ts";
import { jsonOf } from "../store/stored-kind.ts";
import type { Piece, Source } from "./feed.ts";
import { embed } from "./list-query.ts";
import { text } from "./openapi-info.ts";
import type { Services } from "./services.ts";

export function eventsRoute({ store, feed, settings }: Services): Route {
  const { history } = store;
  const { orderReads } = settings;
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
        body: feed.subscribe(() => sourceOf(history, view, resumeAfter, caller)),
      };
    },
    operation,
  };
}

/** Characters in a piece. */
const pieceLength = 65_536;
/** Changes examined for a piece. */
const maxChanges = 500;

function sourceOf(
  history: History,
  view: View,
  resumeAfter: number | undefined,
  caller: Caller,
): Source {
  const { format } = view;
  let position = resumeAfter ?? history.last;
  const isKnown = history.since(position, 0) !== undefined;
  if (!isKnown) position = history.last;
  const reset = isKnown ? "" : format.event(position, "reset", "{}");
  const opening = format.opening(resumeAfter === undefined ? position : undefined) + reset;
  const pieces = piecesOf(history, view, position, opening);
  return { pieces, heartbeat: format.heartbeat, caller };
}

function* piecesOf(
  history: History,
  view: View,
  after: number,
  opening: string,
): Generator<Piece, void> {
  yield Buffer.from(opening);
  for (let position = after; ; ) {
    const missed = history.since(position, maxChanges);
    // So much was written that its position is forgotten.
    if (missed === undefined) return;
    let text = "";
    for (const change of missed) {
      if (text.length >= pieceLength) break;
      position = change.seq;
      text += eventOf(change, view);
    }
    yield missed.length === 0 ? undefined : Buffer.from(text);
  }
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

/** The change as an event; "" if the client may not see it. */
function eventOf(change: Change, { format, audience, withNames }: View): string {
  const { seq, kind: { name, isHidden }, action, id, row, deleted } = change;
  if (isHidden === true) return "";
  const kind = kindNamed(name);
  const lastRow = row ?? deleted;
  const placer = lastRow && kind.placedBy?.(lastRow);
  // Only orders have restricted readers.
  if (kind.placedBy !== undefined && !mayReadOrdersOf(audience, placer)) return "";
  const toJson = withNames ? jsonWithNames : jsonOf;
  const data = row === undefined ? JSON.stringify({ id }) : toJson(kind, row);
  return format.event(seq, `${name}.${action}`, data);
}

const example = '{"id":"tartufo","name":"Truffle","isVegetarian":true,"isVegan":true}';

function exampleOf({ contentType, event }: EventFormat): MediaTypes {
  return { [contentType]: { ...text, examples: [event(28, "toppings.created", example)] } };
}

/** OpenAPI 3.1 cannot describe the parts of a stream: an example does. */
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
      ...exampleOf(serverSentEvents),
      ...exampleOf(jsonLines),
    },
  },
};
