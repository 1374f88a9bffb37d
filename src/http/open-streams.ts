/** Counts the open event streams of each client, and refuses more than it may have. */

import { accountOf } from "../auth/callers.ts";
import { Problem } from "../problems/problem.ts";
import type { Exchange } from "./request.ts";

/** A restaurant on one Wi-Fi is one client. */
const maxOfClient = 200;
/** For one account (a device, or a sub of staff or a reader), whatever its address. */
const maxOfAccount = 50;

export class OpenStreams {
  /** By client or by account. */
  readonly #counts = new Map<string, number>();

  /** Throws Problem 429. A guest cannot use up the streams of the board beside it. */
  add({ outgoing, client, caller }: Exchange): void {
    const account = accountOf(caller);
    const [key, most, holder] =
      account === undefined
        ? [client, maxOfClient, "client"]
        : [account, maxOfAccount, "device"];
    const count = this.#counts.get(key) ?? 0;
    if (count >= most) {
      const detail = `too many open streams: expected at most ${most} of one ${holder}`;
      throw new Problem("rate-limited", detail, { headers: { "Retry-After": "60" } });
    }
    this.#counts.set(key, count + 1);
    outgoing.once("close", () => this.#remove(key));
  }

  #remove(key: string): void {
    const left = (this.#counts.get(key) ?? 0) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
