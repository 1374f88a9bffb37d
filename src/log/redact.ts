/** Keeps what looks like a token out of logs and answers. */

/**
 * A JWS with a 256-bit signature; or the header of one (`{"` in base64url) with whatever follows,
 * as one that lost its end. Dots may be percent-encoded. Whole runs only, so that a long URL costs
 * one scan.
 */
const token =
  /(?<![\w-])(?:[\w-]+(?:\.|%2e)[\w-]*(?:\.|%2e)[\w-]{43}(?![\w-])|eyJ[\w-]{12,}(?:\.|%2e)[\w.%-]*)/gi;

/** `eyJ`, twelve more and a dot. */
const minLength = 16;

/** Those of a token's characters that a URL may spell with a percent. */
const encoded = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/gi;

/** The text with "[token]" for each. */
export function withoutTokens(text: string): string {
  if (text.length < minLength) return text;
  if (text.includes("%")) return withoutEncoded(text);
  return text.includes(".") ? text.replace(token, "[token]") : text;
}

/** Decoded only where that brings a token to light. */
function withoutEncoded(text: string): string {
  const decoded = text.replace(encoded, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
  const cut = decoded.replace(token, "[token]");
  return cut === decoded ? text : cut;
}
