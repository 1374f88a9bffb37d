/**
 * JSON Web Tokens (RFC 7519) in JWS compact form (RFC 7515), HMAC SHA-256 only (RFC 7518 section
 * 3.2), after RFC 8725's advice: first the algorithm, then the signature, then the claims.
 *
 * Promises: only HS256, whatever the header says; signatures are compared in constant time, also
 * those of remembered tokens; a TokenError says in words why, and holds nothing secret.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export type Role = "staff" | "customer";

/** The claims that Forno acts on, checked. `exp` is in seconds since 1970, perhaps fractional. */
export interface Claims {
  readonly role: Role;
  readonly sub?: string;
  readonly exp: number;
}

/**
 * Why a token was refused, in words for the 401. Never holds anything of the token but its dates,
 * and only the characters that `error_description` may hold (RFC 6750 section 3).
 */
export class TokenError extends Error {
  override readonly name = "TokenError";
}

/** @throws TokenError when the token must not be believed. */
export type VerifyToken = (token: string) => Claims;

/** Allowance for clocks that disagree (RFC 7519 section 4.1.4). */
export const leewaySeconds = 60;
const tokenLengthLimit = 4096;
const rememberedLimit = 1000;

const encodedHeader = encode(JSON.stringify({ alg: "HS256", typ: "JWT" }));

/** Signs any claims: RFC 7515 section 5.1. */
export function signToken(claims: Record<string, unknown>, key: Uint8Array): string {
  const signingInput = `${encodedHeader}.${encode(JSON.stringify(claims))}`;
  return `${signingInput}.${hmac(signingInput, key).toString("base64url")}`;
}

/** What a signature proved: the claims, from when on they count, and the signature itself. */
interface Verified {
  readonly claims: Claims;
  readonly notBefore: number;
  readonly issuedAt: number;
  readonly encodedSignature: Uint8Array;
}

/**
 * A verifier that remembers what it verified, so that a client's next request costs no HMAC.
 * @param keys the signing key first, then the one before it.
 * @param nowMs a clock like Date.now.
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

/**
 * The payload of a token that one of the keys has signed: RFC 7515 section 5.2. Its claims are
 * still to be checked.
 * @throws TokenError when it is no JWS, not HS256, or signed with none of the keys.
 */
export function verifySignature(token: string, keys: readonly Uint8Array[]): Uint8Array {
  requireShort(token);
  const [header, payload, signature, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw new TokenError("the token is not three parts with a dot between them");
  }
  requireAlgorithm(parseJsonObject(decode(header, "header"), "header"));
  const octets = decode(payload, "payload");
  const given = decode(signature, "signature");
  const signingInput = `${header}.${payload}`;
  if (!keys.some((key) => isSame(hmac(signingInput, key), given))) {
    throw new TokenError("the token is signed with another key, or was changed since");
  }
  return octets;
}

type Part = "header" | "payload" | "signature";

function requireShort(token: string): void {
  if (token.length > tokenLengthLimit) {
    throw new TokenError(`the token is longer than ${tokenLengthLimit} characters`);
  }
}

/** RFC 8725 sections 3.1 and 3.11; RFC 7515 section 4.1.11 for `crit`. */
function requireAlgorithm(header: Record<string, unknown>): void {
  const { alg, typ, crit } = header;
  if (alg !== "HS256") throw new TokenError("the token's algorithm (alg) is not HS256");
  if (crit !== undefined) {
    throw new TokenError("the token needs extensions (crit) that this server does not have");
  }
  if (typ !== undefined && !(typeof typ === "string" && /^jwt$/i.test(typ))) {
    throw new TokenError("the token's type (typ) is not JWT");
  }
}

/** RFC 7519 section 4.1. Claims that are not named here are ignored, as section 4 asks. */
function parseClaims(payload: Record<string, unknown>): Omit<Verified, "encodedSignature"> {
  const { role, sub, exp, nbf = 0, iat = 0, iss = "", jti = "", aud } = payload;
  if (exp === undefined) throw new TokenError("the token has no expiry (exp)");
  if (!isNumericDate(exp) || !isNumericDate(nbf) || !isNumericDate(iat)) {
    throw new TokenError("the token's dates (exp, nbf, iat) are not all numbers of seconds");
  }
  if (typeof iss !== "string" || typeof jti !== "string") {
    throw new TokenError("the token's iss or jti is not a string");
  }
  // Section 4.1.3: who does not find itself in `aud` must refuse, and this server has no name.
  if (aud !== undefined) throw new TokenError("the token is meant for a certain audience (aud)");
  return { claims: { ...parseRoleAndSubject(role, sub), exp }, notBefore: nbf, issuedAt: iat };
}

function parseRoleAndSubject(role: unknown, sub: unknown): Omit<Claims, "exp"> {
  if (role === undefined) throw new TokenError("the token has no role");
  if (role !== "staff" && role !== "customer") {
    throw new TokenError("the token's role is neither staff nor customer");
  }
  if (sub === undefined && role === "staff") return { role };
  if (sub === undefined) throw new TokenError("the customer's token has no subject (sub)");
  if (typeof sub !== "string" || !/^.{1,200}$/su.test(sub)) {
    throw new TokenError("the token's subject (sub) is not a string of 1 to 200 characters");
  }
  return { role, sub };
}

/** RFC 7519 section 2. `1e400` in JSON is Infinity here: a token that never expires. */
function isNumericDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** RFC 7519 sections 4.1.4 to 4.1.6. */
function claimsInForce({ claims, notBefore, issuedAt }: Verified, nowMs: number): Claims {
  const now = nowMs / 1000;
  if (now >= claims.exp + leewaySeconds) {
    throw new TokenError(`the token expired at ${inWords(claims.exp, now)}`);
  }
  if (now < notBefore - leewaySeconds) {
    throw new TokenError(`the token is not valid before ${inWords(notBefore, now)}`);
  }
  if (now < issuedAt - leewaySeconds) {
    throw new TokenError(`the token says that it was issued at ${inWords(issuedAt, now)}`);
  }
  return claims;
}

function inWords(seconds: number, now: number): string {
  return `${isoDate(seconds)}; the server's time is ${isoDate(now)}`;
}

/** A Date ends 8.64e12 seconds from 1970, on either side; a claim may lie beyond. */
function isoDate(seconds: number): string {
  return new Date(1000 * Math.max(-8.64e12, Math.min(seconds, 8.64e12))).toISOString();
}

function forgetOldest(remembered: Map<string, Verified>): void {
  for (const signingInput of remembered.keys()) {
    remembered.delete(signingInput);
    return;
  }
}

function hmac(signingInput: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(signingInput).digest();
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/**
 * RFC 7515 section 2. Buffer skips what it does not know, and bits left over at the end let one
 * value have many spellings: only what encodes back to itself is taken.
 */
function decode(encoded: string, part: Part): Buffer {
  const octets = Buffer.from(encoded, "base64url");
  if (octets.toString("base64url") === encoded) return octets;
  throw new TokenError(`the token's ${part} is not base64url`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** RFC 7515 section 4 and RFC 7519 section 4: a JSON object in which no name stands twice. */
function parseJsonObject(octets: Uint8Array, part: Part): Record<string, unknown> {
  const { json, value } = parseJson(octets, part);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TokenError(`the token's ${part} is not a JSON object`);
  }
  if (repeatsName(json)) throw new TokenError(`a name stands twice in the token's ${part}`);
  // Of what JSON.parse returns, only an object is left.
  return value as Record<string, unknown>;
}

function parseJson(octets: Uint8Array, part: Part): { json: string; value: unknown } {
  try {
    const json = utf8.decode(octets);
    return { json, value: JSON.parse(json) };
  } catch {
    // The cause is not passed on: JSON.parse quotes what it could not read.
    throw new TokenError(`the token's ${part} is not JSON in UTF-8`);
  }
}

/** A member's name (captured), another string, or a brace, in JSON that is known to be valid. */
const jsonToken = /("(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}]/g;

/** JSON.parse keeps the last of two members of one name; another parser may keep the first. */
function repeatsName(json: string): boolean {
  const open: Set<unknown>[] = [];
  for (const [token, encodedName] of json.matchAll(jsonToken)) {
    if (token === "{") open.push(new Set());
    if (token === "}") open.pop();
    if (encodedName === undefined) continue;
    // Decoded, because "role" and "r\u006fle" are one name.
    const name: unknown = JSON.parse(encodedName);
    const names = open.at(-1);
    if (names?.has(name)) return true;
    names?.add(name);
  }
  return false;
}
