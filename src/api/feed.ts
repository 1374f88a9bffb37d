/**
 * Answers that go on: events and followed backups (contract part 6). The feed is woken when a batch
 * of writes is durable, and gives every subscriber what it has not had, some of them per turn of
 * the event loop, so that thousands of them hold nobody up.
 *
 * A subscriber is a position in what its source remembers. It gets the next piece when its client
 * has taken the last one, so one that does not read costs a piece, which it shares with others. It
 * is dropped once the source no longer remembers its position: some MiB of writes later.
 */

import type { Writable } from "node:stream";
import type { Stream } from "../http/answer.ts";

/** Bytes for a subscriber. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** The number of the last write that the subscriber has had after this piece. */
  readonly last: number;
}

/** Where pieces come from. It makes a piece once for all subscribers of the same position. */
export interface Source {
  /** Undefined: there is nothing after this write yet. "unknown": no longer remembered. */
  after(position: number): Piece | "unknown" | undefined;
}

export interface Subscription {
  readonly source: Source;
  readonly position: number;
  /** Sent before anything else, a piece at a time. */
  readonly opening: Iterable<Uint8Array>;
  /** A client that has not had the whole opening must not take it for one: it is cut off. */
  readonly needsOpening: boolean;
  /** Sent when nothing else was for 15 s: proxies and clients give up on silent answers. */
  readonly heartbeat: string;
  /** The answer ends at this time, like Date.now. */
  readonly expiresAt: number;
}

export interface FeedOptions {
  readonly heartbeatMs?: number;
  /** Like Date.now. */
  readonly now?: () => number;
}

/** Together about five milliseconds at the most, if each of them gets a new piece. */
const stepsPerTurn = 16;

/** All subscribers. */
export class Feed {
  readonly #heartbeatMs: number;
  readonly #now: () => number;
  readonly #subscribers = new Set<Subscriber>();
  /** Subscribers that may have something to send, first come first served. */
  readonly #ready = new Set<Subscriber>();
  #isScheduled = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ heartbeatMs = 15_000, now = Date.now }: FeedOptions = {}) {
    this.#heartbeatMs = heartbeatMs;
    this.#now = now;
  }

  /** The body of an answer. `open` is called when the body begins. */
  subscribe(open: () => Subscription): Stream {
    return (out) => {
      if (this.#isClosed) return void out.end();
      const subscriber = new Subscriber(open(), out, this.#now);
      this.#subscribers.add(subscriber);
      this.#heartbeat ??= setInterval(() => this.#beat(), this.#heartbeatMs).unref();
      out.on("drain", () => this.#add(subscriber));
      out.once("close", () => this.#remove(subscriber));
      this.#add(subscriber);
    };
  }

  /** Call it when there is more to send. */
  wake(): void {
    for (const subscriber of this.#subscribers) this.#ready.add(subscriber);
    this.#schedule();
  }

  /** Sends everything, ends every answer, and every later one at once. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const subscriber of this.#subscribers) subscriber.finish();
  }

  #beat(): void {
    for (const subscriber of this.#subscribers) subscriber.isBeatDue = true;
    this.wake();
  }

  #add(subscriber: Subscriber): void {
    this.#ready.add(subscriber);
    this.#schedule();
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#ready.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#ready.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isScheduled = false;
    let steps = 0;
    for (const subscriber of this.#ready) {
      if (steps === stepsPerTurn) break;
      steps += 1;
      this.#ready.delete(subscriber);
      // Behind all others that wait, so not in this turn if there are many.
      if (subscriber.step()) this.#ready.add(subscriber);
    }
    this.#schedule();
  }
}

class Subscriber {
  /** Whether a heartbeat goes out unless something else does. */
  isBeatDue = false;
  readonly #subscription: Subscription;
  readonly #out: Writable;
  readonly #now: () => number;
  /** Undefined once everything of it was sent. */
  #opening: Iterator<Uint8Array> | undefined;
  #position: number;

  constructor(subscription: Subscription, out: Writable, now: () => number) {
    this.#subscription = subscription;
    this.#out = out;
    this.#now = now;
    this.#opening = subscription.opening[Symbol.iterator]();
    this.#position = subscription.position;
  }

  /** Sends the next piece, if its client has taken the last one. Returns whether there is more. */
  step(): boolean {
    if (this.#now() >= this.#subscription.expiresAt) this.#end();
    if (this.#out.writableEnded || this.#out.destroyed) return false;
    if (this.#out.writableNeedDrain) {
      if (this.#opening === undefined && this.#next() === "unknown") this.#out.destroy();
      return false;
    }
    return this.#send();
  }

  /** Sends what is left, whether its client takes it or not, and ends. */
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
