/** Numbers and ids that people can read out, as the server makes them: "K7QX3M". */

// Crockford's base32: no letter is mistaken for another.
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export function isNumber(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{6}$/.test(text);
}

/**
 * Random: nobody else guesses it, nor has it. It begins with a letter, so that no spreadsheet takes
 * it for a number or a date.
 */
export function newNumber(): string {
  const [first = 0, ...others] = crypto.getRandomValues(new Uint8Array(6));
  return [10 + first % 22, ...others.map((byte) => byte % 32)]
    .map((index) => letters[index]).join("");
}

/** A number as it was typed, then as it was probably meant: "k7qxom" is "K7QX0M". */
export function spellingsOf(typed: string): readonly string[] {
  const meant = typed.trim().toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return isNumber(meant) && meant !== typed ? [typed, meant] : [typed];
}
