/**
 * Verifies tokens: the length, the signature (jws.ts), the claims (claims.ts), then the locks.
 *
 * It remembers the claims of verified tokens, because a page sends its token with each request.
 * The signature is still compared in constant time; dates and locks are looked at each time.
 */

import { type Claims, isLockedOut, type LockedAt, parseClaims, requireInForce } from "./claims.ts";
import { isSame, parseJsonObject, TokenError, verifySignature } from "./jws.ts";

/** Throws TokenError if the token is not valid. */
export type VerifyToken = (token: string) => Claims;

const maxTokenLength = 4096;
const maxRemembered = 1000;

interface VerifierOptions {
  /** Default: nobody is locked out. */
  readonly lockedAt?: LockedAt;
  /** Default: Date.now. */
  readonly nowMs?: () => number;
}

/** A token may be signed with any of the keys. */
export function createVerifier(
  keys: readonly Uint8Array[],
  { lockedAt = () => undefined, nowMs = Date.now }: VerifierOptions = {},
): VerifyToken {
  /** By the signing input and not by the token, because a Map does not compare in constant time. */
  const remembered = new Map<string, { signature: Uint8Array; claims: Claims }>();

  function claimsOf(token: string): Claims {
    const cut = token.lastIndexOf(".") + 1;
    const signingInput = token.slice(0, cut);
    const signature = Buffer.from(token.slice(cut));
    const known = remembered.get(signingInput);
    if (known !== undefined && isSame(known.signature, signature)) return known.claims;
    const claims = parseClaims(parseJsonObject(verifySignature(token, keys), "payload"));
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(signingInput, { signature, claims });
    return claims;
  }

  return (token) => {
    if (token.length > maxTokenLength) {
      throw new TokenError(`the token is longer than ${maxTokenLength} characters`);
    }
    const claims = claimsOf(token);
    requireInForce(claims, nowMs());
    if (isLockedOut(claims, lockedAt)) throw new TokenError("locked out");
    return claims;
  };
}
