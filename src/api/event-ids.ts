/**
 * The ids of events. Who may read all orders gets the number of the change, which rises by one with
 * each write. All others get it encrypted: the difference of two numbers tells how many writes the
 * shop has had in between.
 */

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

/** One block needs neither a vector nor a mode. */
const cipher = "aes-256-ecb";

export class EventIds {
  readonly #key: Uint8Array;

  constructor(signingKey: Uint8Array) {
    this.#key = createHmac("sha256", signingKey).update("ids of events").digest();
  }

  /** The id of a change for somebody who may not count all of them. */
  hidden(seq: number): string {
    const block = Buffer.alloc(16);
    block.writeDoubleBE(seq);
    const encrypt = createCipheriv(cipher, this.#key, null).setAutoPadding(false);
    return encrypt.update(block).toString("base64url");
  }

  /** The number in an id of either form. For any other text, a number that no change has. */
  parse(id: string): number {
    if (/^\d{1,15}$/.test(id)) return Number(id);
    if (!/^[\w-]{22}$/.test(id)) return -1;
    const decrypt = createDecipheriv(cipher, this.#key, null).setAutoPadding(false);
    return decrypt.update(Buffer.from(id, "base64url")).readDoubleBE();
  }
}
