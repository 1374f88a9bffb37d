/** The ids that the server chooses. */

/** Crockford's base32: no I, L, O, U, which are misheard or misread. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * A random id: six characters that people can read aloud, a billion possibilities. The caller must
 * check that it is free.
 */
export function randomId(): string {
  // 256 is a multiple of 32, so every letter is as likely.
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
}
