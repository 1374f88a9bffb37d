/**
 * Streams without an end (contract part 6). After each durable batch the feed wakes and sends every
 * subscriber the pieces that it lacks, one subscriber per turn of the event loop, so that thousands
 * of subscribers do not delay other requests.
 *
 * A subscriber gets the next piece when its client has taken the last one, so a client that does
 * not read costs one piece. A stop ends every stream at once (http/response.ts): clients resume.
 */

import type { Writable } from "node:stream";
import type { Caller } from "../auth/callers.ts";
import type { Stream } from "../http/response.ts";
import { turn } from "../http/turn.ts";

/** The pieces for one subscriber. */
export interface Subscription {
  /** Asked for the next piece when the last one was taken. Its end closes the connection. */
  readonly pieces: Iterator<EventPiece>;
  /** Sent every four seconds if there is no piece: clients take a silent stream for a lost one. */
  readonly heartbeat: string;
  /** The reader. */
  readonly caller: Caller;
  /** The client or account that its turns count for. */
  readonly holder: string;
}

/** Text, which may be empty; undefined: there is none yet. */
export type EventPiece = string | undefined;

const noPiece = { done: false, value: undefined } as const;

interface FeedOptions {
  readonly heartbeatMs?: number;
  /** Asked before each piece and heartbeat. False ends the response. Default: true. */
  readonly mayGoOn?: (caller: Caller) => boolean;
}

export class Feed {
  readonly #heartbeatMs: number;
  readonly #mayGoOn: (caller: Caller) => boolean;
  /** A function for each subscriber, which makes it look for pieces again. */
  readonly #subscribers = new Set<() => void>();
  /** Grows by one with every heartbeat. */
  #beats = 0;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor({ heartbeatMs = 4_000, mayGoOn = () => true }: FeedOptions = {}) {
    this.#heartbeatMs = heartbeatMs;
    this.#mayGoOn = mayGoOn;
  }

  /** Makes the body of a response. `open` is called when the body begins. */
  subscribe(open: () => Subscription): Stream {
    return (out) => void this.#serve(open(), out).catch(() => out.destroy());
  }

  /** The number of open streams. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** Call it when there is more to send. */
  wake(): void {
    for (const lookAgain of this.#subscribers) lookAgain();
  }

  /** Sends pieces, each in a turn of its own, until one side ends the response. */
  async #serve({ pieces, heartbeat, caller, holder }: Subscription, out: Writable): Promise<void> {
    let isWoken = false;
    let resume = (): void => {};
    const lookAgain = (): void => {
      isWoken = true;
      resume();
    };
    this.#add(lookAgain);
    out.on("drain", lookAgain);
    out.on("close", lookAgain);
    let beats = this.#beats;
    try {
      for (;;) {
        await turn(holder);
        if (out.destroyed || out.writableEnded) return;
        if (!this.#mayGoOn(caller)) return void out.end();
        isWoken = false;
        const { done, value: piece } = out.writableNeedDrain ? noPiece : pieces.next();
        if (done === true) return void out.destroy();
        const isBeatDue = this.#beats > beats && !out.writableNeedDrain;
        const text = piece ?? (isBeatDue ? heartbeat : "");
        if (text !== "") {
          out.write(text);
          beats = this.#beats;
        }
        if (piece === undefined && !isWoken) await new Promise<void>((done) => (resume = done));
      }
    } finally {
      this.#remove(lookAgain);
    }
  }

  #add(lookAgain: () => void): void {
    this.#subscribers.add(lookAgain);
    this.#heartbeat ??= setInterval(() => {
      this.#beats += 1;
      this.wake();
    }, this.#heartbeatMs).unref();
  }

  #remove(lookAgain: () => void): void {
    this.#subscribers.delete(lookAgain);
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}
