/**
 * Endless responses: events and followed backups (contract part 6). After each durable batch the
 * feed wakes and sends every subscriber its missing pieces, a few subscribers per turn of the event
 * loop, so that thousands of them do not delay other requests.
 *
 * A subscriber is a position in its source. It gets the next piece when its client has taken the
 * last one, so a client that does not read costs one piece, which it shares with others. When the
 * source has forgotten the position (some MiB of writes later), the connection is closed.
 */

import type { Writable } from "node:stream";
import type { Caller } from "../auth/access.ts";
import type { Stream } from "../http/response.ts";
import { inTurn } from "../http/turns.ts";

/** Bytes for a subscriber. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** The subscriber's position after this piece. */
  readonly last: number;
}

/** Makes pieces, once for all subscribers with the same position. */
export interface Source {
  /** The next piece; undefined if there is none yet; "unknown" if the position is forgotten. */
  after(position: number): Piece | "unknown" | undefined;
}

export interface Subscription {
  readonly source: Source;
  readonly position: number;
  /** Sent first, piece by piece. */
  readonly opening: Iterable<Uint8Array>;
  /**
   * True if a part of the opening is useless. If the response stops within it, the connection is
   * then destroyed and not ended, so that the client sees the failure.
   */
  readonly needsOpening: boolean;
  /** Sent after 15 s of silence, because proxies and clients close silent connections. */
  readonly heartbeat: string;
  /** Who reads it. */
  readonly caller: Caller;
}

export interface FeedOptions {
  readonly heartbeatMs?: number;
  /** Asked before each piece and heartbeat. False ends the response. Default: true. */
  readonly mayGoOn?: (caller: Caller) => boolean;
}

export class Feed {
  readonly #heartbeatMs: number;
  readonly #mayGoOn: (caller: Caller) => boolean;
  readonly #subscribers = new Set<Subscriber>();
  /** Subscribers that wait for their turn of the event loop. */
  readonly #waiting = new Set<Subscriber>();
  #heartbeat: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ heartbeatMs = 15_000, mayGoOn = () => true }: FeedOptions = {}) {
    this.#heartbeatMs = heartbeatMs;
    this.#mayGoOn = mayGoOn;
  }

  /** Makes the body of a response. `open` is called when the body begins. */
  subscribe(open: () => Subscription): Stream {
    return (out) => {
      if (this.#isClosed) return void out.end();
      const subscriber = new Subscriber(open(), out, this.#mayGoOn);
      this.#subscribers.add(subscriber);
      this.#heartbeat ??= setInterval(() => this.#beat(), this.#heartbeatMs).unref();
      out.on("drain", () => this.#serve(subscriber));
      out.once("close", () => this.#remove(subscriber));
      this.#serve(subscriber);
    };
  }

  /** Call it when there is more to send. */
  wake(): void {
    for (const subscriber of this.#subscribers) this.#serve(subscriber);
  }

  /** Sends the remaining pieces, ends all responses, and ends later ones at once. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const subscriber of this.#subscribers) subscriber.finish();
  }

  #beat(): void {
    for (const subscriber of this.#subscribers) subscriber.isBeatDue = true;
    this.wake();
  }

  /** Sends one piece, and the next ones in later turns. */
  #serve(subscriber: Subscriber): void {
    if (this.#waiting.has(subscriber)) return;
    this.#waiting.add(subscriber);
    inTurn(() => {
      // False if the connection has closed.
      const isWaiting = this.#waiting.delete(subscriber);
      if (isWaiting && subscriber.step()) this.#serve(subscriber);
    });
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#waiting.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

class Subscriber {
  /** True if a heartbeat is due unless a piece is sent first. */
  isBeatDue = false;
  readonly #subscription: Subscription;
  readonly #out: Writable;
  readonly #mayGoOn: (caller: Caller) => boolean;
  /** Undefined after the whole opening was sent. */
  #opening: Iterator<Uint8Array> | undefined;
  #position: number;

  constructor(
    subscription: Subscription,
    out: Writable,
    mayGoOn: (caller: Caller) => boolean,
  ) {
    this.#subscription = subscription;
    this.#out = out;
    this.#mayGoOn = mayGoOn;
    this.#opening = subscription.opening[Symbol.iterator]();
    this.#position = subscription.position;
  }

  /** Sends the next piece if the client has taken the last one. True if there may be more. */
  step(): boolean {
    if (!this.#mayGoOn(this.#subscription.caller)) this.#end();
    if (this.#out.writableEnded || this.#out.destroyed) return false;
    if (this.#out.writableNeedDrain) {
      if (this.#opening === undefined && this.#next() === "unknown") this.#out.destroy();
      return false;
    }
    return this.#send();
  }

  /** Sends all remaining pieces without waiting for the client, and ends. */
  finish(): void {
    if (this.#opening !== undefined && this.#subscription.needsOpening) this.#end();
    while (!this.#out.writableEnded && !this.#out.destroyed) {
      if (!this.#send()) this.#end();
    }
  }

  #send(): boolean {
    const opening = this.#opening?.next();
    if (opening?.done === false) {
      this.#out.write(opening.value);
      return true;
    }
    this.#opening = undefined;
    const piece = this.#next();
    if (piece === "unknown") {
      this.#out.destroy();
      return false;
    }
    if (piece === undefined) {
      if (this.isBeatDue) this.#out.write(this.#subscription.heartbeat);
      this.isBeatDue = false;
      return false;
    }
    this.#position = piece.last;
    if (piece.bytes.length > 0) {
      this.#out.write(piece.bytes);
      this.isBeatDue = false;
    }
    return true;
  }

  #next(): Piece | "unknown" | undefined {
    return this.#subscription.source.after(this.#position);
  }

  #end(): void {
    if (this.#opening !== undefined && this.#subscription.needsOpening) this.#out.destroy();
    else this.#out.end();
  }
}
