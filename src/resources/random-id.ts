/** The ids that the server chooses. */

import { randomInt } from "node:crypto";

/** Crockford's base32: no I, L, O, U, which are misheard or misread. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * A random id: six characters that people can read aloud, a billion possibilities. The caller must
 * check that it is free.
 */
export function randomId(): string {
  return Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join("");
}
