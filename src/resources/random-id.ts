/** The ids that the server chooses. */

import { randomBytes } from "node:crypto";

/** Crockford's base32: no I, L, O, U, which are misheard or misread. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * A random id: six characters that people can read aloud, a billion possibilities. The caller must
 * check that it is free.
 */
export function randomId(): string {
  return Array.from(randomBytes(6), (byte) => letters[byte % 32]).join("");
}
