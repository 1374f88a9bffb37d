/**
 * Events as text. There are two forms: the HTML standard's server-sent events, for browsers; one
 * JSON object per line, for shells. A heartbeat is what either reader skips: a comment, an empty
 * line.
 *
 * What a stream is to be sent next, the changes after a position that its audience may see, is made
 * once for all streams of one position, form and audience, and so for all that are up to date.
 */

import { type Audience, includes } from "../auth/access.ts";
import type { Kind } from "../resources/kind.ts";
import { answerText, kindsFor } from "../resources/kinds.ts";
import type { Change, Changes } from "../store/changes.ts";

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
export function changeText(format: EventFormat, change: Change, withNames = false): string {
  const { seq, kind, action, id, entry } = change;
  const data = entry === undefined ? JSON.stringify({ id }) : answerText(kind, entry, withNames);
  return format.event(seq, `${kind}.${action}`, data);
}

/** Lines for those whose Accept names them, and not the other form. */
export function formatFor(accept: string | undefined): EventFormat {
  const types = (accept ?? "").toLowerCase();
  const asksFor = ({ contentType }: EventFormat): boolean => types.includes(contentType);
  return asksFor(jsonLines) && !asksFor(serverSentEvents) ? jsonLines : serverSentEvents;
}

/** Characters in one piece, and changes that are looked at for it. */
const pieceLength = 65_536;
const changesAtOnce = 500;
/** Streams that catch up may all be somewhere else. */
const piecesKept = 64;

export interface EventPiece {
  /** Empty where there is nothing for this audience. */
  readonly bytes: Uint8Array;
  /** The last change that it tells of, or leaves out. */
  readonly last: number;
}

/** The pieces that streams are sent. */
export class EventPieces {
  readonly #changes: Changes;
  readonly #recent = new Map<string, EventPiece>();
  /** The last change when they were made. */
  #madeAt = 0;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** The last change. */
  get last(): number {
    return this.#changes.last;
  }

  /** Undefined when there is nothing after the position yet. */
  after(
    position: number,
    format: EventFormat,
    audience: Audience,
    withNames: boolean,
  ): EventPiece | undefined {
    const { last } = this.#changes;
    if (position === last) return undefined;
    const missed = this.#changes.since(position, changesAtOnce);
    // It is no longer known: the client has to read everything again.
    if (missed === undefined) {
      return { bytes: Buffer.from(format.event(last, "reset", "{}")), last };
    }
    if (typeof audience !== "string" && missed.some((change) => isOwn(audience, change))) {
      return this.#make(missed, format, audience, withNames);
    }
    // A customer who has placed none of these orders shares the bytes of those who see none.
    const shared = audience === "everybody" ? audience : "nobody";
    if (this.#madeAt !== last || this.#recent.size >= piecesKept) this.#recent.clear();
    this.#madeAt = last;
    const key = `${position} ${shared} ${withNames} ${format.contentType}`;
    const piece = this.#recent.get(key) ?? this.#make(missed, format, shared, withNames);
    this.#recent.set(key, piece);
    return piece;
  }

  #make(
    missed: readonly Change[],
    format: EventFormat,
    audience: Audience,
    withNames: boolean,
  ): EventPiece {
    let text = "";
    let last = 0;
    let left = missed.length;
    for (const change of missed) {
      if (text.length >= pieceLength) break;
      left -= 1;
      last = change.seq;
      if (!isPlaced(change) || isOwn(audience, change)) {
        text += changeText(format, change, withNames);
      }
    }
    // After a start the last number may be that of a record which changed nothing.
    if (left === 0 && missed.length < changesAtOnce) last = this.#changes.last;
    return { bytes: Buffer.from(text), last };
  }
}

/** By kind: who placed a resource. */
const placedBy: ReadonlyMap<string, Kind["placedBy"]> = new Map(
  kindsFor("public").map((kind) => [kind.name, kind.placedBy]),
);

/** Whether it is of an order: changes of the menu are for everybody. */
function isPlaced({ kind }: Change): boolean {
  return placedBy.get(kind) !== undefined;
}

function isOwn(audience: Audience, { kind, entry, before }: Change): boolean {
  const order = entry ?? before;
  return includes(audience, order && placedBy.get(kind)?.(order));
}
