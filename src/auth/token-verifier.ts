/**
 * Verifies tokens: the length, the signature (jws.ts), the claims (claims.ts) and whether the
 * subject is revoked, in that order.
 *
 * It remembers verified tokens, so that a client's next request needs no HMAC. The signature is
 * still compared in constant time, and the dates are checked on every use. The memory is bounded
 * and holds no key.
 */

import { type Claims, claimsInForce, type DatedClaims, parseClaims } from "./claims.ts";
import { isSame, parseJsonObject, TokenError, verifySignature } from "./jws.ts";

/** Throws TokenError if the token is not valid. */
export type VerifyToken = (token: string) => Claims;

const tokenLengthLimit = 4096;
const rememberedLimit = 1000;

/** The claims and the signature of a verified token. */
interface Verified extends DatedClaims {
  readonly encodedSignature: Uint8Array;
}

interface VerifierOptions {
  /** Subjects whose tokens are refused. Default: none. */
  readonly revokedSubs?: ReadonlySet<string>;
  /** Default: Date.now. */
  readonly nowMs?: () => number;
}

/** A token may be signed with any of the keys. */
export function createVerifier(
  keys: readonly Uint8Array[],
  { revokedSubs = new Set(), nowMs = Date.now }: VerifierOptions = {},
): VerifyToken {
  const remembered = new Map<string, Verified>();

  return (token) => {
    if (token.length > tokenLengthLimit) {
      throw new TokenError(`the token is longer than ${tokenLengthLimit} characters`);
    }
    const end = token.lastIndexOf(".");
    // Looked up without the signature, because a Map does not compare in constant time.
    const signingInput = token.slice(0, Math.max(end, 0));
    const encodedSignature = Buffer.from(token.slice(end + 1));
    const known = remembered.get(signingInput);
    if (known !== undefined && isSame(known.encodedSignature, encodedSignature)) {
      return claimsInForce(known, nowMs());
    }
    const payload = parseJsonObject(verifySignature(token, keys), "payload");
    const verified = { ...parseClaims(payload), encodedSignature };
    if (revokedSubs.has(verified.claims.sub ?? "")) throw new TokenError("the token is revoked");
    const claims = claimsInForce(verified, nowMs());
    if (remembered.size >= rememberedLimit) forgetOldest(remembered);
    remembered.set(signingInput, verified);
    return claims;
  };
}

function forgetOldest(remembered: Map<string, Verified>): void {
  const [oldest] = remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
}
