/**
 * One client's stream of events. It is live, and gets each round as it goes out; or it is catching
 * up with what came before, as fast as its client reads. A live one whose client does not read is
 * dropped before what waits for it can grow: the client resumes where it was.
 */

import type { Audience } from "../auth/access.ts";
import type { Outlet } from "../http/reply.ts";
import type { Change, Changes } from "../store/changes.ts";
import { changeText, type EventFormat } from "./event-format.ts";
import { isSeenBy, type Round } from "./event-round.ts";

/** What a live stream's client may leave unread. */
const waitingBytesLimit = 1_048_576;
/** Characters given at once to a client that catches up. */
const pieceLength = 65_536;
const changesAtOnce = 500;

export interface StreamOptions {
  readonly format: EventFormat;
  readonly audience: Audience;
  /** The client's Last-Event-ID, -1 when it is none of ours; undefined for a new client. */
  readonly resumeAfter: number | undefined;
  /** Whether the client's token is no longer accepted. */
  readonly isExpired: () => boolean;
}

/** What all streams follow. */
export interface Source {
  readonly changes: Changes;
  /** The last change of the rounds that have begun to go out. */
  readonly sentTo: number;
}

/** One client that is connected. */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #source: Source;
  readonly #outlet: Outlet;
  /** Every change up to this one has been sent. */
  #position: number;
  #isLive = true;

  constructor(options: StreamOptions, source: Source, outlet: Outlet) {
    this.#options = options;
    this.#source = source;
    this.#outlet = outlet;
    const { format, resumeAfter } = options;
    const { last } = source.changes;
    this.#position = resumeAfter ?? last;
    const opening = format.opening(resumeAfter === undefined ? last : undefined);
    if (opening !== "") outlet.write(opening);
    if (resumeAfter !== undefined) this.#catchUp();
  }

  send(round: Round): void {
    if (!this.#isLive) return;
    if (this.#options.isExpired()) return this.end();
    // It began, or had caught up, in the middle of the changes of this round.
    if (this.#position !== round.from) return this.#catchUp();
    this.#position = round.to;
    const bytes = round.bytesFor(this.#options.format, this.#options.audience);
    if (bytes.length === 0) return;
    if (this.#outlet.waitingBytes > waitingBytesLimit) this.#outlet.drop();
    else this.#outlet.write(bytes);
  }

  /** A heartbeat, or the end when the token has expired. */
  beat(): void {
    if (this.#options.isExpired()) this.end();
    // Something is on its way already; without more, the socket's timeout ends a stuck one.
    else if (this.#outlet.waitingBytes === 0) this.#outlet.write(this.#options.format.heartbeat);
  }

  end(): void {
    this.#outlet.end();
  }

  /** Goes on until the stream is where the last round ended, or the client has to read first. */
  #catchUp(): void {
    this.#isLive = false;
    while (!this.#options.isExpired()) {
      const missed = this.#source.changes.since(this.#position, changesAtOnce);
      if (missed === undefined) this.#reset();
      if (missed === undefined || this.#position >= this.#source.sentTo) {
        this.#isLive = true;
        return;
      }
      const piece = this.#takePiece(missed);
      if (piece === "" || this.#outlet.write(piece)) continue;
      // Nothing of what is missed is held for a client that does not read: it is asked for again.
      return this.#outlet.onDrain(() => this.#catchUp());
    }
    this.end();
  }

  /** As many of the changes as fit a piece, up to the end of the last round. */
  #takePiece(missed: readonly Change[]): string {
    const { format, audience } = this.#options;
    const { sentTo } = this.#source;
    let piece = "";
    for (const change of missed) {
      if (change.seq > sentTo) break;
      if (piece.length >= pieceLength) return piece;
      this.#position = change.seq;
      if (isSeenBy(audience, change)) piece += changeText(format, change);
    }
    const isAll = missed.length < changesAtOnce || (missed.at(-1)?.seq ?? 0) > sentTo;
    if (isAll) this.#position = sentTo;
    return piece;
  }

  /** What was missed is no longer known: the client has to read everything again. */
  #reset(): void {
    this.#position = this.#source.changes.last;
    this.#outlet.write(this.#options.format.event(this.#position, "reset", "{}"));
  }
}
