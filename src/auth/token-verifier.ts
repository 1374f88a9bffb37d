/**
 * Tokens to claims: the length, the signature (jws.ts), the claims (claims.ts), in that order, with
 * a memory of what was verified.
 *
 * Promises: signatures are compared in constant time, also those of remembered tokens, and their
 * dates are looked at on every use; what is remembered is bounded, and holds no key.
 */
import { type Claims, claimsInForce, type DatedClaims, parseClaims } from "./claims.ts";
import { isSame, parseJsonObject, TokenError, verifySignature } from "./jws.ts";

/** Throws TokenError when the token must not be believed. */
export type VerifyToken = (token: string) => Claims;

const tokenLengthLimit = 4096;
const rememberedLimit = 1000;

/** What a signature proved, and the signature itself. */
interface Verified extends DatedClaims {
  readonly encodedSignature: Uint8Array;
}

/**
 * A verifier that remembers what it verified, so that a client's next request costs no HMAC.
 * `keys`: the signing key first, then the one before it.
 * `nowMs`: a clock like Date.now.
 */
export function createVerifier(
  keys: readonly Uint8Array[],
  nowMs: () => number = Date.now,
): VerifyToken {
  const remembered = new Map<string, Verified>();

  return (token) => {
    requireShort(token);
    const end = token.lastIndexOf(".");
    // What was signed is the key, never the signature: a Map's lookup is not constant-time.
    const signingInput = token.slice(0, Math.max(end, 0));
    const encodedSignature = Buffer.from(token.slice(end + 1));
    const known = remembered.get(signingInput);
    if (known !== undefined && isSame(known.encodedSignature, encodedSignature)) {
      return claimsInForce(known, nowMs());
    }
    const payload = parseJsonObject(verifySignature(token, keys), "payload");
    const verified = { ...parseClaims(payload), encodedSignature };
    const claims = claimsInForce(verified, nowMs());
    if (remembered.size >= rememberedLimit) forgetOldest(remembered);
    remembered.set(signingInput, verified);
    return claims;
  };
}

function requireShort(token: string): void {
  if (token.length > tokenLengthLimit) {
    throw new TokenError(`the token is longer than ${tokenLengthLimit} characters`);
  }
}

function forgetOldest(remembered: Map<string, Verified>): void {
  const [oldest] = remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
}
