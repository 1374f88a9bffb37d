/**
 * One client's stream of events. It knows how far it has got, and is given the next piece when its
 * client has taken the last one: one that does not read costs no more than a piece, and is dropped
 * when too much comes meanwhile. It can resume where it was.
 */

import type { Audience } from "../auth/access.ts";
import type { Outlet } from "../http/reply.ts";
import { inTurn } from "../http/turns.ts";
import type { EventFormat } from "./event-format.ts";
import type { EventPieces } from "./event-pieces.ts";

export interface StreamOptions {
  readonly format: EventFormat;
  readonly audience: Audience;
  /** The client's Last-Event-ID, -1 when it is none of ours; undefined for a new client. */
  readonly resumeAfter: number | undefined;
  /** Whether the client's token is no longer accepted. */
  readonly isExpired: () => boolean;
}

/** Changes that may come while a client does not take what it was given. */
const untakenLimit = 500;

/** One client that is connected. */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #pieces: EventPieces;
  readonly #outlet: Outlet;
  /** Every change up to this one has been sent, where its audience may see it. */
  #position: number;
  /** Whether it goes on by itself, when its client has read or others have had their turn. */
  #isWaiting = false;
  /** The last change when it was given a piece that its client has not taken yet. */
  #untakenAt = Infinity;
  #isClosed = false;

  constructor(options: StreamOptions, pieces: EventPieces, outlet: Outlet) {
    this.#options = options;
    this.#pieces = pieces;
    this.#outlet = outlet;
    outlet.onClose(() => (this.#isClosed = true));
    const { format, resumeAfter } = options;
    this.#position = resumeAfter ?? pieces.last;
    const opening = format.opening(resumeAfter === undefined ? pieces.last : undefined);
    if (opening !== "") outlet.write(opening);
  }

  /** Sends the next piece, if there is one and the client takes it; the rest in turns to come. */
  goOn(): void {
    if (this.#isClosed) return;
    if (this.#isWaiting) {
      if (this.#pieces.last - this.#untakenAt > untakenLimit) this.#outlet.drop();
      return;
    }
    const { format, audience, isExpired } = this.#options;
    if (isExpired()) return this.end();
    const piece = this.#pieces.after(this.#position, format, audience);
    if (piece === undefined) return;
    this.#position = piece.last;
    const isTaken = piece.bytes.length === 0 || this.#outlet.write(piece.bytes);
    if (isTaken && this.#position === this.#pieces.last) return;
    this.#isWaiting = true;
    if (isTaken) return this.#goOnLater();
    this.#untakenAt = this.#pieces.last;
    this.#outlet.onDrain(() => this.#goOnLater());
  }

  #goOnLater(): void {
    this.#untakenAt = Infinity;
    inTurn(() => {
      this.#isWaiting = false;
      this.goOn();
    });
  }

  /** A heartbeat, or the end when the token has expired. */
  beat(): void {
    if (this.#isClosed) return;
    if (this.#options.isExpired()) this.end();
    // Something is on its way already; without more, the socket's timeout ends a stuck one.
    else if (this.#outlet.waitingBytes === 0) this.#outlet.write(this.#options.format.heartbeat);
  }

  end(): void {
    this.#outlet.end();
  }
}
