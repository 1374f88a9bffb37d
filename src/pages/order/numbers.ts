/** Numbers and ids that people can read out, as the server makes them: "K7QX3M". */

export function isNumber(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{6}$/.test(text);
}

/** A number as it was typed, then as it was probably meant: "k7qxom" is "K7QX0M". */
export function spellingsOf(typed: string): readonly string[] {
  const meant = typed.toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return isNumber(meant) && meant !== typed ? [typed, meant] : [typed];
}
