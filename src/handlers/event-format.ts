/**
 * The two forms in which events are sent, and which of them a client asks for.
 *
 * The HTML standard's server-sent events, for browsers; one JSON object per line, for shells.
 * A heartbeat is what either reader skips: a comment, an empty line.
 */

import { answerText } from "../pizzeria/kinds.ts";
import type { Change } from "../store/changes.ts";

/** How events look on the wire. */
export interface EventFormat {
  readonly contentType: string;
  /** What a stream begins with; `id`, where it is no resumed one, is where to resume later. */
  opening(id: number | undefined): string;
  /** `data`: JSON text. */
  event(id: number, event: string, data: string): string;
  readonly heartbeat: string;
}

/** How soon a browser connects again. */
const retryMs = 2_000;

/** The HTML standard's server-sent events. */
export const serverSentEvents: EventFormat = {
  contentType: "text/event-stream",
  // An id without data is no event, but the next Last-Event-ID of a client that saw none.
  opening: (id) => `retry: ${retryMs}\n${id === undefined ? "" : `id: ${id}\n`}\n`,
  event: (id, event, data) => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`,
  heartbeat: ":\n\n",
};

/** One JSON object per line, for clients that are not browsers. */
export const jsonLines: EventFormat = {
  contentType: "application/x-ndjson",
  opening: () => "",
  event: (id, event, data) => `{"id":"${id}","event":"${event}","data":${data}}\n`,
  heartbeat: "\n",
};

/** One change as an event. */
export function changeText(format: EventFormat, change: Change): string {
  const { seq, kind, action, id, entry } = change;
  const data = entry === undefined ? JSON.stringify({ id }) : answerText(kind, entry);
  return format.event(seq, `${kind}.${action}`, data);
}

/** Lines for those whose Accept names them, and not the other form. */
export function formatFor(accept: string | undefined): EventFormat {
  const types = (accept ?? "").toLowerCase();
  const asksFor = ({ contentType }: EventFormat): boolean => types.includes(contentType);
  return asksFor(jsonLines) && !asksFor(serverSentEvents) ? jsonLines : serverSentEvents;
}
