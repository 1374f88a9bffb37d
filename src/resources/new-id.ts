/** Picks ids that people can read aloud: six characters, a billion possibilities. */

import { randomInt } from "node:crypto";

/** Crockford's base32: no I, L, O, U, which are misheard or misread. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An id that is free: "K7QX3M". */
export function newId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const number = randomInt(letters.length ** 6);
    const id = [0, 1, 2, 3, 4, 5].map((place) => letters[(number >> (5 * place)) % 32]).join("");
    if (!isTaken(id)) return id;
  }
}
