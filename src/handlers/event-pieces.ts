/**
 * What a stream of events is to be sent next: the changes after a position that its audience may
 * see, as bytes. They are made once for all streams of one position, form and audience, and so for
 * all that are up to date.
 */

import { type Audience, includes } from "../auth/access.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { kindsFor } from "../pizzeria/kinds.ts";
import type { Change, Changes } from "../store/changes.ts";
import { changeText, type EventFormat } from "./event-format.ts";

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
  after(position: number, format: EventFormat, audience: Audience): EventPiece | undefined {
    const { last } = this.#changes;
    if (position === last) return undefined;
    const missed = this.#changes.since(position, changesAtOnce);
    // It is no longer known: the client has to read everything again.
    if (missed === undefined) {
      return { bytes: Buffer.from(format.event(last, "reset", "{}")), last };
    }
    if (typeof audience !== "string" && missed.some((change) => isOwn(audience, change))) {
      return this.#make(missed, format, audience);
    }
    // A customer who has placed none of these orders shares the bytes of those who see none.
    const shared = audience === "everybody" ? audience : "nobody";
    if (this.#madeAt !== last || this.#recent.size >= piecesKept) this.#recent.clear();
    this.#madeAt = last;
    const key = `${position} ${shared} ${format.contentType}`;
    const piece = this.#recent.get(key) ?? this.#make(missed, format, shared);
    this.#recent.set(key, piece);
    return piece;
  }

  #make(missed: readonly Change[], format: EventFormat, audience: Audience): EventPiece {
    let text = "";
    let last = 0;
    let left = missed.length;
    for (const change of missed) {
      if (text.length >= pieceLength) break;
      left -= 1;
      last = change.seq;
      if (!isPlaced(change) || isOwn(audience, change)) text += changeText(format, change);
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
