/**
 * The claims of a JSON Web Token (RFC 7519 section 4): who the caller is, when the token is valid,
 * and who invited it. They are checked after the signature.
 *
 * A known claim of the wrong type or size is refused. An unknown claim is ignored, as section 4
 * requires. Dates have a leeway.
 */

import type { JsonObject } from "../problems/faults.ts";
import { TokenError } from "./jws.ts";

/** access.ts says what each role may do. */
export const roles = ["staff", "customer", "reader"] as const;
export type Role = (typeof roles)[number];

/** A customer must have a subject, because it says which orders are the customer's. */
type Identity =
  | { readonly role: "staff" | "reader"; readonly sub?: string }
  | { readonly role: "customer"; readonly sub: string };

/** The claims that Forno acts on, checked. Times: seconds since 1970, perhaps with a fraction. */
export type Claims = Identity & {
  readonly exp: number;
  readonly nbf?: number;
  readonly iat?: number;
  /** The subjects that invited it, the first inviter first. */
  readonly by?: readonly string[];
};

/** Allowance for clocks that disagree (RFC 7519 section 4.1.4). */
export const leewaySeconds = 60;

/** The most names in `by`. */
export const maxInviters = 8;

/**
 * RFC 7519 section 4.1. Throws TokenError if a required claim is missing or a claim has the wrong
 * type. `requireInForce` looks at the dates.
 */
export function parseClaims(payload: JsonObject): Claims {
  const { role, sub, exp, nbf, iat, iss = "", jti = "", aud, by } = payload;
  if (exp === undefined) throw new TokenError("the token has no expiry (exp)");
  if (!isNumericDate(exp) || !isOptionalDate(nbf) || !isOptionalDate(iat)) {
    throw new TokenError("the token's dates (exp, nbf, iat) must be numbers of seconds");
  }
  if (typeof iss !== "string" || typeof jti !== "string") {
    throw new TokenError("the token's iss and jti must be strings");
  }
  // Section 4.1.3: a recipient that is not named in `aud` must reject the token; Forno has no name.
  if (aud !== undefined) throw new TokenError("the token is for another service (aud)");
  return {
    ...parseIdentity(role, sub),
    exp,
    ...(nbf !== undefined && { nbf }),
    ...(iat !== undefined && { iat }),
    ...(by !== undefined && { by: parseInviters(by, sub) }),
  };
}

function parseInviters(by: unknown, sub: unknown): readonly string[] {
  if (!Array.isArray(by) || by.length > maxInviters || !by.every(isSubject)) {
    throw new TokenError(`the token's inviters (by) must be at most ${maxInviters} subjects`);
  }
  if (sub === undefined) throw new TokenError("an invited token needs a subject (sub)");
  return by;
}

function parseIdentity(role: unknown, sub: unknown): Identity {
  if (role === undefined) throw new TokenError("the token has no role");
  if (!isRole(role)) throw new TokenError(`the token's role must be one of ${roles.join(", ")}`);
  if (sub === undefined) {
    if (role !== "customer") return { role };
    throw new TokenError("a customer's token needs a subject (sub)");
  }
  if (!isSubject(sub)) throw new TokenError(`the token's subject (sub) must be ${subjectRule}`);
  return { role, sub };
}

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

/** Code points, not UTF-16 units. */
export const subjectLength = 200;
/** The rule that isSubject checks, in words. */
export const subjectRule: string = `a string of 1 to ${subjectLength} characters`;
const subjectPattern = new RegExp(`^.{1,${subjectLength}}$`, "su");

/** True if a token may have this subject. */
export function isSubject(value: unknown): value is string {
  return typeof value === "string" && subjectPattern.test(value);
}

/** RFC 7519 section 2. `1e400` in JSON is Infinity: a token that would never expire. */
function isNumericDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isOptionalDate(value: unknown): value is number | undefined {
  return value === undefined || isNumericDate(value);
}

/**
 * RFC 7519 sections 4.1.4 to 4.1.6. `nowMs`: like Date.now. Throws TokenError if the token has
 * expired or is not valid yet.
 */
export function requireInForce({ exp, nbf = 0, iat = 0 }: Claims, nowMs: number): void {
  const now = nowMs / 1_000;
  if (now >= exp + leewaySeconds) {
    throw new TokenError(`the token expired at ${withServerTime(exp, now)}`);
  }
  if (now < nbf - leewaySeconds) {
    throw new TokenError(`the token is not valid before ${withServerTime(nbf, now)}`);
  }
  if (now < iat - leewaySeconds) {
    throw new TokenError(`the token was issued in the future, at ${withServerTime(iat, now)}`);
  }
}

function withServerTime(seconds: number, now: number): string {
  return `${isoDate(seconds)}; the server's time is ${isoDate(now)}`;
}

/** RFC 3339, for the years 1970 to 9999. A claim outside of them is cut. */
export function isoDate(seconds: number): string {
  return new Date(1000 * Math.max(0, Math.min(seconds, 253_402_300_799))).toISOString();
}
