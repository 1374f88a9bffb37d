/** Numbers that people can read out, as the server makes them: "K7QX3M". */

export function isNumber(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{6}$/.test(text);
}

/** Random: nobody else guesses it, nor has it. */
export function newNumber(): string {
  // Crockford's base32: no letter is mistaken for another.
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => letters[byte % 32]).join("");
}
