/**
 * The claims of a JSON Web Token (RFC 7519 section 4): who somebody is, and from when until when
 * that counts. Judged once the signature holds.
 *
 * Promises: only claims of the right types and bounds get through; those that have no name here are
 * ignored, as section 4 asks; dates count with a leeway.
 */
import { TokenError } from "./jws.ts";

/** Who may do what depends on it: access.ts. */
export const roles = ["staff", "customer", "metrics"] as const;
export type Role = (typeof roles)[number];

/** Who somebody is. Only a customer has to be somebody in particular. */
export type Identity =
  | { readonly role: "staff" | "metrics"; readonly sub?: string }
  | { readonly role: "customer"; readonly sub: string };

/** The claims that Forno acts on, checked. `exp` is in seconds since 1970, perhaps fractional. */
export type Claims = Identity & { readonly exp: number };

/** Claims, and from when on they count: seconds since 1970, 0 where the token does not say. */
export interface DatedClaims {
  readonly claims: Claims;
  readonly notBefore: number;
  readonly issuedAt: number;
}

/** Allowance for clocks that disagree (RFC 7519 section 4.1.4). */
export const leewaySeconds = 60;

/**
 * RFC 7519 section 4.1. Whether the claims are in force is still to be asked.
 * Throws TokenError when one that must be there is not, or one is of a wrong type.
 */
export function parseClaims(payload: Record<string, unknown>): DatedClaims {
  const { role, sub, exp, nbf = 0, iat = 0, iss = "", jti = "", aud } = payload;
  if (exp === undefined) throw new TokenError("the token has no expiry (exp)");
  if (!isNumericDate(exp) || !isNumericDate(nbf) || !isNumericDate(iat)) {
    throw new TokenError("the token's dates (exp, nbf, iat) are not all numbers of seconds");
  }
  if (typeof iss !== "string" || typeof jti !== "string") {
    throw new TokenError("the token's iss or jti is not a string");
  }
  // Section 4.1.3: a recipient that is not named in `aud` must reject the token; Forno has no name.
  if (aud !== undefined) throw new TokenError("the token is meant for a certain audience (aud)");
  return { claims: { ...parseIdentity(role, sub), exp }, notBefore: nbf, issuedAt: iat };
}

function parseIdentity(role: unknown, sub: unknown): Identity {
  if (role === undefined) throw new TokenError("the token has no role");
  if (!isRole(role)) throw new TokenError(`the token's role is none of ${roles.join(", ")}`);
  if (sub === undefined) {
    if (role !== "customer") return { role };
    throw new TokenError("the customer's token has no subject (sub)");
  }
  if (!isSubject(sub)) {
    throw new TokenError(`the token's subject (sub) is not ${subjectRule}`);
  }
  return { role, sub };
}

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

/** The most characters in a subject; each may be two UTF-16 units. */
export const subjectLength = 200;
/** What isSubject asks for, in words. */
export const subjectRule: string = `a string of 1 to ${subjectLength} characters`;
const subjectPattern = new RegExp(`^.{1,${subjectLength}}$`, "su");

/** Whom a token may be for. */
export function isSubject(value: unknown): value is string {
  return typeof value === "string" && subjectPattern.test(value);
}

/** RFC 7519 section 2. `1e400` in JSON is Infinity here: a token that never expires. */
function isNumericDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/**
 * RFC 7519 sections 4.1.4 to 4.1.6. The clock is in milliseconds, as Date.now.
 * Throws TokenError when the claims no longer count, or not yet.
 */
export function claimsInForce(dated: DatedClaims, nowMs: number): Claims {
  const { claims, notBefore, issuedAt } = dated;
  const now = nowMs / 1000;
  if (now >= claims.exp + leewaySeconds) {
    throw new TokenError(`the token expired at ${withServerTime(claims.exp, now)}`);
  }
  if (now < notBefore - leewaySeconds) {
    throw new TokenError(`the token is not valid before ${withServerTime(notBefore, now)}`);
  }
  if (now < issuedAt - leewaySeconds) {
    throw new TokenError(`the token was issued in the future, at ${withServerTime(issuedAt, now)}`);
  }
  return claims;
}

function withServerTime(seconds: number, now: number): string {
  return `${isoDate(seconds)}; the server's time is ${isoDate(now)}`;
}

/** A Date ends 8.64e12 seconds from 1970, on either side; a claim may lie beyond. */
function isoDate(seconds: number): string {
  return new Date(1000 * Math.max(-8.64e12, Math.min(seconds, 8.64e12))).toISOString();
}
