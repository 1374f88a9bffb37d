/**
 * Verifies the tokens of callers: their length, signature (jws.ts), claims (claims.ts) and locks.
 * Knows which devices were seen since the start.
 *
 * The claims of verified tokens are remembered, because a page sends its token with each request.
 * Dates and locks are looked at each time.
 */

import { hash } from "node:crypto";
import { type Claims, leewaySeconds, parseClaims, requireInForce, type Role } from "./claims.ts";
import { parseJsonObject, TokenError, verifySignature } from "./jws.ts";

/** Undefined: the request carries no token. */
export type Caller = Claims | undefined;

/** A staff or reader token. */
export interface Device {
  readonly role: Role;
  /** Seconds since 1970, as the claim. */
  readonly exp: number;
  /** As Date.now. */
  readonly seenAtMs: number;
}

interface CallersOptions {
  /** When a subject was locked out, as Date.now. Default: nobody is. */
  readonly lockedAt?: (sub: string) => number | undefined;
  /** Default: Date.now. */
  readonly nowMs?: () => number;
}

const maxTokenLength = 4096;
const maxRemembered = 1_000;
const maxDevices = 1_000;

export class Callers {
  readonly #keys: readonly Uint8Array[];
  readonly #lockedAt: (sub: string) => number | undefined;
  readonly #nowMs: () => number;
  /** By the hash of the token, because a Map does not compare in constant time. */
  readonly #verified = new Map<string, Claims>();
  /** By subject, the most recent last. */
  readonly #seen = new Map<string, Device>();

  /** A token may be signed with any of the keys. */
  constructor(
    keys: readonly Uint8Array[],
    { lockedAt = () => undefined, nowMs = Date.now }: CallersOptions = {},
  ) {
    this.#keys = keys;
    this.#lockedAt = lockedAt;
    this.#nowMs = nowMs;
  }

  /** Throws TokenError if the token is not valid. */
  verify(token: string): Claims {
    if (token.length > maxTokenLength) {
      throw new TokenError(`the token is longer than ${maxTokenLength} characters`);
    }
    const claims = this.#claimsOf(token);
    requireInForce(claims, this.#nowMs());
    if (this.#isLockedOut(claims)) throw new TokenError("locked out");
    this.#note(claims);
    return claims;
  }

  /** False if the caller's token has expired or was locked out since it was verified. */
  mayGoOn(caller: Caller): boolean {
    if (caller === undefined) return true;
    const acceptedUntilMs = (caller.exp + leewaySeconds) * 1_000;
    if (this.#nowMs() >= acceptedUntilMs || this.#isLockedOut(caller)) return false;
    this.#note(caller);
    return true;
  }

  /** The devices that were seen, the most recent first. */
  devices(): [sub: string, device: Device][] {
    return [...this.#seen].reverse();
  }

  #claimsOf(token: string): Claims {
    const key = hash("sha256", token);
    const known = this.#verified.get(key);
    if (known !== undefined) return known;
    const claims = parseClaims(parseJsonObject(verifySignature(token, this.#keys), "payload"));
    if (this.#verified.size >= maxRemembered) this.#verified.clear();
    this.#verified.set(key, claims);
    return claims;
  }

  /**
   * True if the token's subject, or a subject that invited it, was locked out after its issue. A
   * token that does not say when it was issued is older than any lock.
   */
  #isLockedOut({ sub, by = [], iat = 0 }: Claims): boolean {
    const isLocked = (name: string): boolean => {
      const at = this.#lockedAt(name);
      return at !== undefined && iat * 1_000 <= at;
    };
    return (sub !== undefined && isLocked(sub)) || by.some(isLocked);
  }

  /** Notes a device. A customer is not a device. A token without a subject cannot be listed. */
  #note({ role, sub, exp }: Claims): void {
    if (sub === undefined || role === "customer") return;
    this.#seen.delete(sub);
    this.#seen.set(sub, { role, exp, seenAtMs: this.#nowMs() });
    const [oldest = ""] = this.#seen.keys();
    if (this.#seen.size > maxDevices) this.#seen.delete(oldest);
  }
}
