/**
 * The texts of lists that were requested recently, each good for one version of its table. Boards
 * and pages ask for the same lists again and again; a write makes all of them stale.
 */

import { shortText } from "../http/send.ts";
import type { Tagged } from "./conditional.ts";

const maxLists = 64;
const maxBytes = 33_554_432;

/** The recent lists of one table, by query. */
export class RecentLists {
  #version = -1;
  #bytes = 0;
  readonly #replies = new Map<string, Tagged>();

  get(key: string, version: number): Tagged | undefined {
    return version === this.#version ? this.#replies.get(key) : undefined;
  }

  /** Returns the reply, its body perhaps as bytes. */
  keep(key: string, version: number, reply: Tagged & { readonly body: string }): Tagged {
    const body = reply.body.length > shortText ? Buffer.from(reply.body) : reply.body;
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
}
