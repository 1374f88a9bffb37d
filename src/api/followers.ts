/**
 * GET /api/backup?follow=true (contract part 6): the document of one moment, and then every record
 * of the journal as it becomes durable, for as long as the client reads.
 *
 * Writers wait for no follower: what became durable goes out in rounds, as the very bytes of the
 * journal, which all followers share. They are kept until each has taken them, up to a bound; one
 * that is further behind is cut off, and what it has is good up to its last whole record.
 */

import { Buffer } from "node:buffer";
import type { Writable } from "node:stream";
import { type Caller, expiresAt } from "../auth/access.ts";
import type { Stream } from "../http/answer.ts";
import { turn } from "../http/turns.ts";
import { documentPieces } from "../store/document.ts";
import type { Store } from "../store/store.ts";

/** Proxies and clients give up on streams that are silent for longer. */
const defaultHeartbeatMs = 15_000;
/** How far behind the writers a follower is, if it reads: a round costs as much for one record. */
const roundMs = 100;
/** What is kept for followers that are behind, all together. */
const keptBytesLimit = 16_777_216;

/** All followers, and what is still to be sent to some of them. */
export class Followers {
  readonly #store: Store;
  readonly #heartbeatMs: number;
  readonly #followers = new Set<Follower>();
  /** What became durable since the last round. */
  #fresh: Buffer[] = [];
  /** The bytes of the last rounds; `#first` is the number of the first of them. */
  readonly #rounds: Buffer[] = [];
  #first = 0;
  #keptBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(store: Store, heartbeatMs: number = defaultHeartbeatMs) {
    this.#store = store;
    this.#heartbeatMs = heartbeatMs;
    store.onRecords((bytes) => this.#take(bytes));
  }

  /** An answer for this caller: it ends when their token expires. */
  follow(caller: Caller): Stream {
    return (answer) => this.#open(answer, expiresAt(caller));
  }

  /** Sends what is durable, ends every answer, and every later one at once. Idempotent. */
  closeAll(): void {
    this.#isClosed = true;
    this.#send();
    for (const follower of this.#followers) follower.end();
  }

  /** The bytes of a round; undefined when it is yet to come, or kept no more. */
  roundAt(number: number): Buffer | undefined {
    return this.#rounds[number - this.#first];
  }

  #open(answer: Writable, expiresAtMs: number): void {
    if (this.#isClosed) return void answer.end();
    // What the document holds already is in the rounds before this follower's first.
    this.#send();
    const moment = this.#store.moment();
    const next = this.#first + this.#rounds.length;
    const follower = new Follower(this, answer, next, expiresAtMs);
    this.#followers.add(follower);
    const heartbeat = setInterval(() => follower.beat(), this.#heartbeatMs).unref();
    answer.once("close", () => {
      clearInterval(heartbeat);
      this.#forget(follower);
    });
    void follower.begin(documentPieces(moment));
  }

  #forget(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#fresh = [];
    this.#dropRounds(this.#rounds.length);
  }

  #take(bytes: Buffer): void {
    if (this.#followers.size === 0) return;
    this.#fresh.push(Buffer.from(bytes));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, roundMs).unref();
  }

  #send(): void {
    if (this.#fresh.length === 0) return;
    const round = Buffer.concat(this.#fresh);
    this.#fresh = [];
    this.#rounds.push(round);
    this.#keptBytes += round.length;
    for (const follower of this.#followers) follower.goOn();
    const least = Math.min(...[...this.#followers].map(({ next }) => next));
    this.#dropRounds(Math.min(least - this.#first, this.#rounds.length));
    while (this.#keptBytes > keptBytesLimit) this.#dropRounds(1);
    for (const follower of this.#followers) {
      if (follower.next < this.#first) follower.cutOff();
    }
  }

  #dropRounds(count: number): void {
    for (const round of this.#rounds.splice(0, count)) {
      this.#first += 1;
      this.#keptBytes -= round.length;
    }
  }
}

/** One client. */
class Follower {
  /** The round to be sent next. */
  next: number;
  readonly #followers: Followers;
  readonly #answer: Writable;
  readonly #expiresAtMs: number;
  /** Whether it has to read before it is given more, or its document is still being sent. */
  #isBusy = true;

  constructor(followers: Followers, answer: Writable, next: number, expiresAtMs: number) {
    this.#followers = followers;
    this.#answer = answer;
    this.next = next;
    this.#expiresAtMs = expiresAtMs;
  }

  /** Sends the document, in turns with all other work, then what has become durable meanwhile. */
  async begin(document: Iterable<Buffer>): Promise<void> {
    for (const piece of document) {
      // The pieces share their memory, and a socket may hold several.
      if (!this.#answer.write(Buffer.from(piece))) await this.#drained();
      await turn();
      // What was pipelined behind it ends it, before it had a socket.
      if (this.#answer.writableEnded || this.#answer.destroyed) return;
    }
    this.#isBusy = false;
    this.goOn();
  }

  /** Sends what the client has not been given, as fast as it reads. */
  goOn(): void {
    while (!this.#isBusy && !this.#isOver()) {
      const round = this.#followers.roundAt(this.next);
      if (round === undefined) return;
      this.next += 1;
      if (!this.#answer.write(round)) void this.#pause();
    }
  }

  /** An empty line. */
  beat(): void {
    if (!this.#isBusy && !this.#isOver()) this.#answer.write("\n");
  }

  /** A copy is worth nothing without all of its document, and must not look whole. */
  end(): void {
    if (this.#isBusy) this.cutOff();
    else this.#answer.end();
  }

  cutOff(): void {
    this.#answer.destroy();
  }

  async #pause(): Promise<void> {
    this.#isBusy = true;
    await this.#drained();
    this.#isBusy = false;
    this.goOn();
  }

  /** Whether nothing may be sent any more. Ends it when its token has expired. */
  #isOver(): boolean {
    if (Date.now() >= this.#expiresAtMs) this.end();
    return this.#answer.writableEnded || this.#answer.destroyed;
  }

  /** Resolves when the client has taken everything; never, when it is gone. */
  #drained(): Promise<unknown> {
    return new Promise((resolve) => this.#answer.once("drain", resolve));
  }
}
