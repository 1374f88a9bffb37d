/**
 * GET /api/events (contract part 6): every durable change, as server-sent events for browsers or as
 * one JSON object per line for shells. A client resumes with the id of its last event. It gets the
 * changes only of the orders that it may read.
 */

import { audienceOf, type Audience, mayReadOrdersOf } from "../auth/access.ts";
import { noCache, type Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { type OrderKept, orders } from "../resources/order.ts";
import type { History } from "../store/history.ts";
import { type Change, dataOf, eventName } from "../store/row.ts";
import type { EventPiece, Subscription } from "./feed.ts";
import type { Services } from "./services.ts";

export function eventsRoute({ store, feed, settings, eventIds }: Services): Route {
  const { history } = store;
  const { orderReads } = settings;
  return {
    method: "GET",
    path: "/api/events",
    rule: "anyone",
    vary: orderReads === "public" ? "Accept" : "Accept, Authorization",
    handle(request: Request): Response {
      const { headers, caller } = request;
      const format = formatFor(headers.accept);
      const audience = audienceOf(caller, orderReads);
      const idOf = audience === "everybody" ? String : (seq: number) => eventIds.hidden(seq);
      const recipient = { format, audience, idOf };
      const lastId = String(headers["last-event-id"] ?? "");
      const resumeAfter = lastId === "" ? undefined : eventIds.parse(lastId);
      return {
        status: 200,
        type: format.contentType,
        headers: { ...noCache, "X-Accel-Buffering": "no" },
        body: feed.subscribe(() => subscriptionOf(history, recipient, resumeAfter, request)),
      };
    },
  };
}

/** A client: the changes that it may see, and their format. */
interface Recipient {
  readonly format: EventFormat;
  readonly audience: Audience;
  /** The id of change `seq`. */
  readonly idOf: (seq: number) => string;
}

/** Characters in a piece. */
const pieceLength = 65_536;
/** Changes examined for a piece. */
const maxChanges = 500;

function subscriptionOf(
  history: History,
  recipient: Recipient,
  resumeAfter: number | undefined,
  { caller, holder }: Request,
): Subscription {
  const { format, idOf } = recipient;
  let position = resumeAfter ?? history.last;
  const isKnown = history.after(position, 0) !== undefined;
  if (!isKnown) position = history.last;
  const reset = isKnown ? "" : format.event(idOf(position), "reset", "{}");
  const opening = format.opening(resumeAfter === undefined ? idOf(position) : undefined) + reset;
  const pieces = piecesOf(history, recipient, position, opening);
  return { pieces, heartbeat: format.heartbeat, caller, holder };
}

function* piecesOf(
  history: History,
  recipient: Recipient,
  after: number,
  opening: string,
): Generator<EventPiece, void> {
  yield opening;
  let position = after;
  let missed = history.after(position, maxChanges);
  // Undefined: so much was written that the history has dropped the position.
  while (missed !== undefined) {
    let text = "";
    for (const change of missed) {
      if (text.length >= pieceLength) break;
      position = change.seq;
      text += eventOf(change, recipient);
    }
    yield missed.length === 0 ? undefined : text;
    missed = history.after(position, maxChanges);
  }
}

/** The change as an event; "" if the client may not see it. */
function eventOf(change: Change, recipient: Recipient): string {
  const { seq, kind, row, deleted } = change;
  if (kind.isHidden === true) return "";
  if (kind === orders) {
    // Rows of this kind are orders.
    const { placedBy } = ((row ?? deleted)?.kept ?? {}) as OrderKept;
    if (!mayReadOrdersOf(recipient.audience, placedBy)) return "";
  }
  return recipient.format.event(recipient.idOf(seq), eventName(change), dataOf(change));
}

/** The format of a stream. Clients ignore heartbeats (comments or empty lines). */
interface EventFormat {
  readonly contentType: string;
  /** The first text. `id`: the position of a new client; undefined if the client resumes. */
  opening(id: string | undefined): string;
  /** `data`: JSON text. */
  event(id: string, event: string, data: string): string;
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
  opening: () => "\n",
  event: (id, event, data) => `{"id":"${id}","event":"${event}","data":${data}}\n`,
  heartbeat: "\n",
};

/** JSON lines if Accept names them and not server-sent events. */
function formatFor(accept = ""): EventFormat {
  const types = accept.toLowerCase();
  const names = ({ contentType }: EventFormat): boolean => types.includes(contentType);
  return names(jsonLines) && !names(serverSentEvents) ? jsonLines : serverSentEvents;
}
