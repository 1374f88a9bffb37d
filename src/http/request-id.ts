/** X-Request-Id (contract part 5): the client's own, or one of ours, which tells of no other. */

import { randomFillSync } from "node:crypto";
import { withoutTokens } from "../log/redact.ts";

/** Drawn many at once: a call for each would cost more than the rest of an answer's header. */
const drawn = Buffer.alloc(12 * 512);
let used = drawn.length;

/** 96 random bits in base64url. */
export function newId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += 12;
  return drawn.toString("base64url", used - 12, used);
}

/** The client's, if it can do no harm in a log or a header. */
export function saneId(id: string | undefined): string | undefined {
  if (id === undefined || !/^[\w.~:+/=@-]{1,128}$/.test(id)) return undefined;
  return withoutTokens(id) === id ? id : undefined;
}
