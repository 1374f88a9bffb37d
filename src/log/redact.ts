/** Removes tokens from logs and responses. */

/**
 * A JWS with a 256-bit signature, or a cut one: a JWS header (`{"` is `eyJ` in base64url) and all
 * that follows. Dots may be percent-encoded. The match begins at the start of a word, so that a
 * long URL is scanned once.
 */
const token = new RegExp(
  String.raw`(?<![\w-])(?:[\w-]+(?:\.|%2e)[\w-]*(?:\.|%2e)[\w-]{43}(?![\w-])` +
    String.raw`|eyJ[\w-]{12,}(?:\.|%2e)[\w.%-]*)`,
  "gi",
);

/** The length of the shortest match: `eyJ`, twelve characters and a dot. */
const minLength = 16;

/** A token's characters in percent-encoded form. */
const encoded = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/gi;

/** The text with "[token]" in place of each token. */
export function withoutTokens(text: string): string {
  if (text.length < minLength) return text;
  if (text.includes("%")) return withoutEncoded(text);
  return text.includes(".") ? text.replace(token, "[token]") : text;
}

/** Returns the decoded text only if it has a token, else the text as it is. */
function withoutEncoded(text: string): string {
  const decoded = text.replace(encoded, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
  const cut = decoded.replace(token, "[token]");
  return cut === decoded ? text : cut;
}
