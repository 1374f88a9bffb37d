/**
 * The two forms in which events are sent, and which of them a client prefers.
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

/** Lines only where Accept (RFC 9110 section 12.5.1) puts them first. */
export function preferredFormat(accept: string | undefined): EventFormat {
  const ranges = (accept ?? "").split(",").map(parseRange);
  const lines = preference(jsonLines.contentType, ranges);
  const events = preference(serverSentEvents.contentType, ranges);
  const isFirst =
    lines.weight > events.weight ||
    (lines.weight === events.weight && lines.precision > events.precision);
  return isFirst && lines.weight > 0 ? jsonLines : serverSentEvents;
}

interface MediaRange {
  readonly type: string;
  /** 0 to 1. */
  readonly weight: number;
}

interface Preference {
  readonly weight: number;
  /** 2 for the type itself, 1 for its half, 0 for anything. */
  readonly precision: number;
}

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** What the most precise range that fits says of a media type. */
function preference(contentType: string, ranges: readonly MediaRange[]): Preference {
  const fitting = ["*/*", `${contentType.split("/")[0]}/*`, contentType];
  for (let precision = fitting.length - 1; precision >= 0; precision -= 1) {
    const range = ranges.find(({ type }) => type === fitting[precision]);
    if (range !== undefined) return { weight: range.weight, precision };
  }
  return { weight: 0, precision: 0 };
}
