/**
 * Callers and invites. Callers verifies tokens, looks at locks, and knows which devices were seen
 * since the start. Invites holds the codes that become tokens.
 *
 * The claims of verified tokens are remembered: to verify a token takes as much processor time as
 * the rest of a read, and a page sends its token with each request. Dates and locks are checked
 * each time.
 */

import { hash, randomBytes } from "node:crypto";
import type { Grant } from "./issue.ts";
import {
  type Claims,
  leewaySeconds,
  requireInForce,
  type Role,
  TokenError,
  verifyToken,
} from "./token.ts";

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
  /** When a sub was locked out, as Date.now. Default: nobody is. */
  readonly lockedAtMs?: (sub: string) => number | undefined;
  /** Default: Date.now. */
  readonly nowMs?: () => number;
}

const maxRemembered = 1_000;
const maxDevices = 1_000;

export class Callers {
  readonly #keys: readonly Uint8Array[];
  readonly #lockedAtMs: (sub: string) => number | undefined;
  readonly #nowMs: () => number;
  /** By the hash of the token, because a Map does not compare in constant time. */
  readonly #verified = new Map<string, Claims>();
  /** By sub, the most recent last. */
  readonly #seen = new Map<string, Device>();

  /** A token may be signed with any of the keys. */
  constructor(
    keys: readonly Uint8Array[],
    { lockedAtMs = () => undefined, nowMs = Date.now }: CallersOptions = {},
  ) {
    this.#keys = keys;
    this.#lockedAtMs = lockedAtMs;
    this.#nowMs = nowMs;
  }

  /** Throws TokenError if the token is not valid. */
  verify(token: string): Claims {
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

  /** The devices that were seen, by sub, the most recent last. */
  get devices(): ReadonlyMap<string, Device> {
    return this.#seen;
  }

  #claimsOf(token: string): Claims {
    const key = hash("sha256", token);
    const known = this.#verified.get(key);
    if (known !== undefined) return known;
    const claims = verifyToken(token, this.#keys);
    if (this.#verified.size >= maxRemembered) this.#verified.clear();
    this.#verified.set(key, claims);
    return claims;
  }

  /** True if the token's sub, or a sub that invited it, was locked out after its issue. */
  #isLockedOut({ sub, by = [], iat }: Claims): boolean {
    const isLocked = (name: string): boolean => {
      const lockedAtMs = this.#lockedAtMs(name);
      if (lockedAtMs === undefined) return false;
      // A token that does not say when it was issued, or says that it has not been issued yet, may
      // be older than the lock.
      if (iat === undefined) return true;
      // Rounded, because 1000 times a fraction may miss the millisecond.
      const issuedAtMs = Math.round(iat * 1_000);
      return issuedAtMs <= lockedAtMs || issuedAtMs > this.#nowMs();
    };
    return (sub !== undefined && isLocked(sub)) || by.some(isLocked);
  }

  /** Notes a device. A customer is not a device. A token without a sub cannot be listed. */
  #note({ role, sub, exp }: Claims): void {
    if (sub === undefined || role === "customer") return;
    this.#seen.delete(sub);
    this.#seen.set(sub, { role, exp, seenAtMs: this.#nowMs() });
    const [oldest = ""] = this.#seen.keys();
    if (this.#seen.size > maxDevices) this.#seen.delete(oldest);
  }
}

/** The token that a code becomes. */
type Invite = Required<Grant>;

const inviteLifetimeMs = 600_000;
const maxInvites = 100;

interface OpenInvite extends Invite {
  readonly expiresAtMs: number;
}

/** Codes of 128 random bits, in memory only. Each works once, within ten minutes. */
export class Invites {
  /** By the hash of the code, because a Map does not compare in constant time. Oldest first. */
  readonly #open = new Map<string, OpenInvite>();
  readonly #nowMs: () => number;

  /** `nowMs`: as Date.now. */
  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** A new code, and its end as Date.now. If too many are open, the oldest one ends. */
  create(invite: Invite): { readonly code: string; readonly expiresAtMs: number } {
    const code = randomBytes(16).toString("base64url");
    const expiresAtMs = this.#nowMs() + inviteLifetimeMs;
    this.#open.set(hash("sha256", code), { ...invite, expiresAtMs });
    const [oldest = ""] = this.#open.keys();
    if (this.#open.size > maxInvites) this.#open.delete(oldest);
    return { code, expiresAtMs };
  }

  /** Ends a code and returns its invite; undefined if the code is unknown, used or too old. */
  redeem(code: string): Invite | undefined {
    const key = hash("sha256", code);
    const invite = this.#open.get(key);
    this.#open.delete(key);
    return invite !== undefined && this.#nowMs() < invite.expiresAtMs ? invite : undefined;
  }

  /** Ends the codes for this sub, and the codes made by it or by a sub that it invited. */
  end(sub: string): void {
    for (const [key, invite] of this.#open) {
      if (invite.sub === sub || invite.by.includes(sub)) this.#open.delete(key);
    }
  }
}
