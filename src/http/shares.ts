/**
 * Counts the memory that each client holds: bodies that were not parsed yet, and answers that it
 * has not read. A client that holds its share gets 429 until it holds less. If a board is behind
 * the address of such a client, its own account has a share, too.
 */

import { accountOf } from "../auth/callers.ts";
import { Problem } from "../problems/problem.ts";
import { type Exchange, smallBytes } from "./request.ts";

const maxBytes = 16_777_216;

/**
 * A long answer counts as this much: the kernel holds up to 4 MB of it, and one piece is here. So a
 * client holds 40 of them, and less than 200 MB.
 */
const longAnswerBytes = 420_000;

/** The account of a request, as far as it is known. */
type Account = () => string | undefined;

export class Shares {
  /** By client or by account. */
  readonly #bytes = new Map<string, number>();

  /** Counts the body of a new request, or drops it if there is no room for it. */
  receive(exchange: Exchange, account: Account): void {
    const { body } = exchange;
    exchange.share = this.#find(exchange, account);
    if (body.size <= smallBytes) return;
    if (exchange.share === undefined) body.drop();
    else body.onDrop = this.#add(exchange.share, body.size);
  }

  /** Throws Problem 429 for a request that came without room, unless its account has some. */
  requireRoom(exchange: Exchange): void {
    if (exchange.share !== undefined) return;
    if (exchange.body.size > smallBytes) throw tooMuch();
    exchange.share = this.#holderOf(exchange);
  }

  /** Counts an answer in pieces. Throws Problem 429 if there is no room for it. */
  addLongAnswer(exchange: Exchange): void {
    exchange.share = this.#holderOf(exchange);
    this.countUnread(exchange, longAnswerBytes);
  }

  /** Counts bytes of an answer until the client has read all of it. */
  countUnread({ share, outgoing }: Exchange, bytes: number): void {
    if (share !== undefined && bytes > smallBytes) outgoing.once("close", this.#add(share, bytes));
  }

  /** Throws Problem 429. */
  #holderOf(exchange: Exchange): string {
    const holder = this.#find(exchange, () => accountOf(exchange.caller));
    if (holder === undefined) throw tooMuch();
    return holder;
  }

  #find({ client }: Exchange, account: Account): string | undefined {
    const holder = this.#isFull(client) ? account() : client;
    return holder === undefined || this.#isFull(holder) ? undefined : holder;
  }

  #isFull(holder: string): boolean {
    return (this.#bytes.get(holder) ?? 0) >= maxBytes;
  }

  /** Returns a function that takes the bytes out of the count. */
  #add(holder: string, bytes: number): () => void {
    this.#bytes.set(holder, (this.#bytes.get(holder) ?? 0) + bytes);
    return () => {
      const left = (this.#bytes.get(holder) ?? 0) - bytes;
      if (left > 0) this.#bytes.set(holder, left);
      else this.#bytes.delete(holder);
    };
  }
}

function tooMuch(): Problem {
  const detail = "too many bodies are on their way, or answers unread: read or close them first";
  return new Problem("rate-limited", detail, { headers: { "Retry-After": "5" } });
}
