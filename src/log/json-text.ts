/** Texts that are made often, made quickly: what the engine would return, for the usual case. */

const unescaped = /^[ !#-[\]-~]*$/;

/** Whether JSON, between quotes, is the text as it is: printable ASCII without `"` and `\`. */
export function isItsOwnJson(text: string): boolean {
  return unescaped.test(text);
}

/** JSON.stringify of a string. */
export function jsonString(text: string): string {
  return isItsOwnJson(text) ? `"${text}"` : JSON.stringify(text);
}

const stringLiteral = /"(?:[^"\\]|\\.)*"/y;

/** The JSON string that begins at `start`, as it stands there. */
export function literalAt(json: string, start: number): string {
  stringLiteral.lastIndex = start;
  return stringLiteral.test(json) ? json.slice(start, stringLiteral.lastIndex) : "";
}

/** In milliseconds: after it, years have more than four digits. */
export const lastTime: number = Date.parse("9999-12-31T23:59:59.999Z");

let lastMs = Number.NaN;
let lastText = "";

/** RFC 3339 in UTC with milliseconds, as Date.toISOString: many are asked for in one of them. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
