/**
 * The texts of lists that were requested recently, each good for one version of its table. Boards
 * and pages ask for the same lists again and again; a write makes all of them stale.
 */

import { shortText } from "../http/send.ts";
import type { Tagged } from "./conditional.ts";

const maxLists = 64;
const maxBytes = 33_554_432;
/** For all long texts made here, also those that only a client that does not read still holds. */
const maxBytesHeld = 67_108_864;

/** The recent lists of one table, by query. */
export class RecentLists {
  readonly #maxBytesHeld: number;
  #version = -1;
  #bytes = 0;
  readonly #replies = new Map<string, Tagged>();
  #made: WeakRef<Uint8Array>[] = [];

  constructor(limit: number = maxBytesHeld) {
    this.#maxBytesHeld = limit;
  }

  get(key: string, version: number): Tagged | undefined {
    return version === this.#version ? this.#replies.get(key) : undefined;
  }

  /** Returns the reply, its body perhaps as bytes. */
  keep(key: string, version: number, reply: Tagged & { readonly body: string }): Tagged {
    const body = reply.body.length > shortText ? Buffer.from(reply.body) : reply.body;
    if (typeof body !== "string") this.#made.push(new WeakRef(body));
    const kept = { ...reply, body };
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
    this.#made = this.#made.filter((made) => made.deref() !== undefined);
    const held = this.#made.reduce((sum, made) => sum + (made.deref()?.byteLength ?? 0), 0);
    return held + length > this.#maxBytesHeld;
  }
}
