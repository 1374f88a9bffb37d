/** Verifies tokens: the length, the signature (jws.ts), the claims (claims.ts), then the locks. */

import { type Claims, isLockedOut, type LockedAt, parseClaims } from "./claims.ts";
import { parseJsonObject, TokenError, verifySignature } from "./jws.ts";

/** Throws TokenError if the token is not valid. */
export type VerifyToken = (token: string) => Claims;

const maxTokenLength = 4096;

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
  return (token) => {
    if (token.length > maxTokenLength) {
      throw new TokenError(`the token is longer than ${maxTokenLength} characters`);
    }
    const payload = parseJsonObject(verifySignature(token, keys), "payload");
    const claims = parseClaims(payload, nowMs());
    if (isLockedOut(claims, lockedAt)) throw new TokenError("locked out");
    return claims;
  };
}
