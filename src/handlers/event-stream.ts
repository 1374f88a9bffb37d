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

export interface StreamOptions {
  readonly format: EventFormat;
  readonly audience: Audience;
  /** The client's Last-Event-ID, -1 when it is none of ours; undefined for a new client. */
  readonly resumeAfter: number | undefined;
  /** Milliseconds since 1970, of the client's token. */
  readonly expiresAt: number;
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
  /** What a stream that is catching up sends next, up to the change `#backlogTo`. */
  #backlog: Iterator<Change> | undefined;
  #backlogTo = 0;

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
    // It began, or had caught up, in the middle of the changes of this round.
    if (this.#position !== round.from) return this.#catchUp();
    this.#position = round.to;
    const bytes = round.bytesFor(this.#options.format, this.#options.audience);
    if (bytes.length === 0) return;
    if (this.#outlet.waitingBytes > waitingBytesLimit) this.#outlet.drop();
    else this.#outlet.write(bytes);
  }

  /** A heartbeat, or the end when the token has expired. */
  beat(nowMs: number): void {
    if (nowMs >= this.#options.expiresAt) this.end();
    // Something is on its way already; without more, the socket's timeout ends a stuck one.
    else if (this.#outlet.waitingBytes === 0) this.#outlet.write(this.#options.format.heartbeat);
  }

  end(): void {
    this.#outlet.end();
  }

  /** Goes on until the stream is where the last round ended, or the client has to read first. */
  #catchUp(): void {
    this.#isLive = false;
    while (this.#backlog !== undefined || this.#takeBacklog()) {
      const piece = this.#takePiece();
      if (piece === "" || this.#outlet.write(piece)) continue;
      return this.#outlet.onDrain(() => this.#catchUp());
    }
    this.#isLive = true;
  }

  /** What there is more to send becomes the backlog. False: there is nothing. */
  #takeBacklog(): boolean {
    const { changes, sentTo } = this.#source;
    const missed = changes.since(this.#position);
    if (missed === undefined) this.#reset();
    if (missed === undefined || this.#position >= sentTo) return false;
    this.#backlog = missed.values();
    this.#backlogTo = sentTo;
    return true;
  }

  #takePiece(): string {
    let piece = "";
    while (piece.length < pieceLength) {
      const next = this.#backlog?.next();
      if (next === undefined || next.done === true || next.value.seq > this.#backlogTo) {
        this.#backlog = undefined;
        this.#position = this.#backlogTo;
        break;
      }
      this.#position = next.value.seq;
      if (isSeenBy(this.#options.audience, next.value)) {
        piece += changeText(this.#options.format, next.value);
      }
    }
    return piece;
  }

  /** What was missed is no longer known: the client has to read everything again. */
  #reset(): void {
    this.#position = this.#source.changes.last;
    this.#outlet.write(this.#options.format.event(this.#position, "reset", "{}"));
  }
}
