/** Texts that people write, as the service takes them (contract part 2). Pure values. */

/** As a field counts them. The service allows as many code points, which are fewer. */
export const longestText = 200;

/** The text as it can be sent: one line, of whole letters. */
export function oneLine(text: string): string {
  const letters = text.length > longestText ? lettersOf(text) : [];
  const overlong = letters.findIndex((_, index) =>
    letters.slice(0, index + 1).join("").length > longestText);
  const fitting = overlong < 0 ? text : letters.slice(0, overlong).join("");
  return fitting.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, " ");
}

/** An emoji may be several characters. Firefox before 125 may cut off the end of the last one. */
function lettersOf(text: string): readonly string[] {
  return "Segmenter" in Intl
    ? Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment) : [...text];
}

/** "" for a text that nobody can see: the service refuses it. */
export function visibleOrEmpty(text: string): string {
  return /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u.test(text) ? text : "";
}
