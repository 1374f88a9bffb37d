/** Keeps what looks like a token out of logs and answers. */

/**
 * A JWS with a 256-bit signature, its dots perhaps percent-encoded. Whole runs only, so that a long
 * URL costs one scan.
 */
const token = /(?<![\w-])[\w-]+(?:\.|%2e)[\w-]*(?:\.|%2e)[\w-]{43}(?![\w-])/gi;

/** A signature of 43 characters, and the two dots and a header before it. */
export const tokenLengthLeast = 46;

/** The text with "[token]" for each. */
export function withoutTokens(text: string): string {
  return text.length < tokenLengthLeast ? text : text.replace(token, "[token]");
}
