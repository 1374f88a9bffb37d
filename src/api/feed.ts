/**
 * Endless responses: events and followed backups (contract part 6). After each durable batch the
 * feed wakes and sends every subscriber its missing pieces, one subscriber per turn of the event
 * loop, so that thousands of them do not delay other requests.
 *
 * A subscriber is a position in its source. It gets the next piece when its client has taken the
 * last one, so a client that does not read costs one piece. A stop ends every stream at once
 * (http/response.ts): clients resume.
 */

import type { Writable } from "node:stream";
import type { Caller } from "../auth/callers.ts";
import type { Stream } from "../http/response.ts";
import { turn } from "../http/turns.ts";

/** Bytes, which may be empty; undefined: there are none yet; "lost": it cannot go on. */
export type Piece = Uint8Array | undefined | "lost";

/** The pieces for one subscriber. */
export interface Source {
  /** The next piece. Called when the last one was taken. */
  next(): Piece | Promise<Piece>;
  /** Called once, at the end. */
  close?(): void;
  /** Sent after 15 s of silence, because proxies and clients close silent connections. */
  readonly heartbeat: string;
  /** Who reads it. */
  readonly caller: Caller;
}

interface FeedOptions {
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

  constructor({ heartbeatMs = 15_000, mayGoOn = () => true }: FeedOptions = {}) {
    this.#heartbeatMs = heartbeatMs;
    this.#mayGoOn = mayGoOn;
  }

  /** Makes the body of a response. `open` is called when the body begins. */
  subscribe(open: () => Source): Stream {
    return (out) => {
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

  #beat(): void {
    for (const subscriber of this.#subscribers) subscriber.isBeatDue = true;
    this.wake();
  }

  /** Sends one piece, and the next ones in later turns. */
  #serve(subscriber: Subscriber): void {
    if (this.#waiting.has(subscriber)) return;
    this.#waiting.add(subscriber);
    void turn().then(() => {
      // False if the connection has closed.
      if (this.#waiting.delete(subscriber)) subscriber.step(() => this.#serve(subscriber));
    });
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#waiting.delete(subscriber);
    subscriber.close();
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

class Subscriber {
  /** True if a heartbeat is due unless a piece is sent first. */
  isBeatDue = false;
  readonly #source: Source;
  readonly #out: Writable;
  readonly #mayGoOn: (caller: Caller) => boolean;
  #isReading = false;
  /** True if it was woken while a piece was being read. */
  #isWoken = false;

  constructor(source: Source, out: Writable, mayGoOn: (caller: Caller) => boolean) {
    this.#source = source;
    this.#out = out;
    this.#mayGoOn = mayGoOn;
  }

  /** Sends the next piece if the client has taken the last one. `again`: there may be more. */
  step(again: () => void): void {
    if (this.#isOpen() && !this.#mayGoOn(this.#source.caller)) this.#out.end();
    this.#isWoken = this.#isReading;
    if (this.#isReading || !this.#isOpen() || this.#out.writableNeedDrain) return;
    const piece = this.#source.next();
    if (!(piece instanceof Promise)) return this.#send(piece, again);
    this.#isReading = true;
    void piece
      .catch((): Piece => "lost")
      .then((read) => {
        this.#isReading = false;
        if (this.#isOpen()) this.#send(read, again);
      });
  }

  close(): void {
    this.#source.close?.();
  }

  #isOpen(): boolean {
    return !this.#out.writableEnded && !this.#out.destroyed;
  }

  #send(piece: Piece, again: () => void): void {
    if (piece === "lost") return void this.#out.destroy();
    const bytes = piece ?? (this.isBeatDue ? this.#source.heartbeat : "");
    if (bytes.length > 0) {
      this.#out.write(bytes);
      this.isBeatDue = false;
    }
    if (piece !== undefined || this.#isWoken) again();
  }
}
