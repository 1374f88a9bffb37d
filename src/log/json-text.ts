/** JSON.stringify and Date.toISOString, faster in the usual case. */

const unescaped = /^[ !#-[\]-~]*$/;

/** True if the text needs no escapes in JSON: printable ASCII without `"` and `\`. */
export function isItsOwnJson(text: string): boolean {
  return unescaped.test(text);
}

/** JSON.stringify of a string. */
export function jsonString(text: string): string {
  return isItsOwnJson(text) ? `"${text}"` : JSON.stringify(text);
}

const stringLiteral = /"(?:[^"\\]|\\.)*"/y;

/** The JSON string literal that begins at `start`; "" if there is none. */
export function literalAt(json: string, start: number): string {
  stringLiteral.lastIndex = start;
  return stringLiteral.test(json) ? json.slice(start, stringLiteral.lastIndex) : "";
}

/** The last time, in milliseconds, whose year has four digits. */
export const lastTime: number = Date.parse("9999-12-31T23:59:59.999Z");

let lastMs = Number.NaN;
let lastText = "";

/** Date.toISOString, which is slow: the last result is kept, as many calls share a millisecond. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
