/**
 * The texts of lists that were requested recently, each good for one version of its table. Boards
 * and pages ask for the same lists again and again; a write makes all of them stale.
 */

import { shortText } from "../http/send.ts";
import type { Tagged } from "./conditional.ts";

const maxLists = 64;
const maxBytes = 33_554_432;
/** For long texts on their way to clients, of whom some do not read. */
const maxBytesOnTheWay = 67_108_864;

/** The recent lists of one table, by query. */
export class RecentLists {
  readonly #maxBytesOnTheWay: number;
  #version = -1;
  #bytes = 0;
  readonly #replies = new Map<string, Tagged>();
  /** How many answers are sending each of these bodies. */
  readonly #onTheWay = new Map<Uint8Array, number>();

  constructor(limit: number = maxBytesOnTheWay) {
    this.#maxBytesOnTheWay = limit;
  }

  get(key: string, version: number): Tagged | undefined {
    return version === this.#version ? this.#replies.get(key) : undefined;
  }

  /** Returns the reply, its body perhaps as bytes. */
  keep(key: string, version: number, reply: Tagged & { readonly body: string }): Tagged {
    const body = reply.body.length > shortText ? Buffer.from(reply.body) : reply.body;
    const onSending = typeof body === "string" ? undefined : () => this.#send(body);
    const kept = { ...reply, body, ...(onSending && { onSending }) };
    if (version !== this.#version || this.#bytes > maxBytes || this.#replies.size >= maxLists) {
      this.#replies.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    this.#replies.set(key, kept);
    this.#bytes += body.length;
    return kept;
  }

  /** Whether one more text of this length would be one too many in memory. */
  isCrowdedFor(length: number): boolean {
    if (length <= shortText) return false;
    let bytes = length;
    for (const body of this.#onTheWay.keys()) bytes += body.byteLength;
    return bytes > this.#maxBytesOnTheWay;
  }

  #send(body: Uint8Array): () => void {
    this.#onTheWay.set(body, (this.#onTheWay.get(body) ?? 0) + 1);
    return () => {
      const others = (this.#onTheWay.get(body) ?? 1) - 1;
      if (others === 0) this.#onTheWay.delete(body);
      else this.#onTheWay.set(body, others);
    };
  }
}
