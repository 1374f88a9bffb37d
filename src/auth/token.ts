/**
 * Tokens: JSON Web Tokens (RFC 7519), signed as JWS in compact form (RFC 7515) with HMAC SHA-256
 * only (RFC 7518 section 3.2). Signs claims, and verifies a token: the algorithm before the
 * signature, as RFC 8725 requires, and the claims after it.
 *
 * Signatures are compared in constant time. Each part must be spelled exactly as base64url encodes
 * it. If two members have one name, the last one counts, as RFC 7519 section 4 allows.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, type JsonObject } from "../problems/faults.ts";

/** The roles that a device can have. */
export const deviceRoles = ["owner", "staff", "reader"] as const;
export type DeviceRole = (typeof deviceRoles)[number];

/** access.ts says what each role may do. */
export const roles = ["owner", "staff", "customer", "reader"] as const;
export type Role = (typeof roles)[number];

/** A customer must have a sub, because it says which orders are the customer's. */
type Identity =
  | { readonly role: DeviceRole; readonly sub?: string }
  | { readonly role: "customer"; readonly sub: string };

/** The claims that Forno acts on, checked. Times: seconds since 1970, perhaps with a fraction. */
export type Claims = Identity & {
  readonly exp: number;
  readonly nbf?: number;
  /** The id of the device that the token is for. The token ends when the device is removed. */
  readonly device?: string;
};

/** Allowance for clocks that disagree (RFC 7519 section 4.1.4). */
const leewaySeconds = 60;

/** Characters of a whole token. */
export const maxTokenLength = 4096;

/**
 * The message says why the token was refused, and goes into the 401. It shows nothing of the token
 * but its dates, and has only characters that `error_description` allows (RFC 6750 section 3).
 */
export class TokenError extends Error {
  override readonly name = "TokenError";
}

const encodedHeader = encode(JSON.stringify({ alg: "HS256", typ: "JWT" }));

/** Signs any claims: RFC 7515 section 5.1. */
export function signToken(claims: JsonObject, key: Uint8Array): string {
  const signingInput = `${encodedHeader}.${encode(JSON.stringify(claims))}`;
  return `${signingInput}.${hmac(signingInput, key).toString("base64url")}`;
}

/**
 * The claims of a token that one of the keys has signed: RFC 7515 section 5.2.
 * `dateFault` looks at its dates. Throws TokenError.
 */
export function verifyToken(token: string, keys: readonly Uint8Array[]): Claims {
  if (token.length > maxTokenLength) {
    throw new TokenError(`the token is longer than ${maxTokenLength} characters`);
  }
  const [header, payload, signature, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw new TokenError("malformed token: expected three parts separated by dots");
  }
  requireAlgorithm(parseJsonObject(decode(header, "header"), "header"));
  const octets = decode(payload, "payload");
  const given = decode(signature, "signature");
  const signingInput = `${header}.${payload}`;
  if (!keys.some((key) => isSame(hmac(signingInput, key), given))) {
    throw new TokenError(
      "the token is signed with another key, or was changed: make one with the DATA_DIR or " +
        "TOKEN_SECRET that the server runs with",
    );
  }
  return parseClaims(parseJsonObject(octets, "payload"));
}

/** RFC 8725 sections 3.1 and 3.11; RFC 7515 sections 4.1.9 for `typ` and 4.1.11 for `crit`. */
function requireAlgorithm({ alg, typ, crit }: JsonObject): void {
  if (alg !== "HS256") throw new TokenError("the token's algorithm (alg) must be HS256");
  if (crit !== undefined) {
    throw new TokenError("the token needs extensions (crit), which are not supported");
  }
  if (typ !== undefined && !(typeof typ === "string" && /^(application\/)?jwt$/i.test(typ))) {
    throw new TokenError("the token's type (typ) must be JWT");
  }
}

function hmac(signingInput: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(signingInput).digest();
}

/** Compares in constant time, so that the time does not help to guess a signature. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

type Part = "header" | "payload" | "signature";

/**
 * RFC 7515 section 2. Buffer skips unknown characters, and unused bits at the end give one value
 * several spellings. So only text that encodes back to itself is accepted.
 */
function decode(encoded: string, part: Part): Buffer {
  const octets = Buffer.from(encoded, "base64url");
  if (octets.toString("base64url") === encoded) return octets;
  throw new TokenError(`the token's ${part} is not base64url`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** RFC 7515 section 4 and RFC 7519 section 4. Throws TokenError if it is not a JSON object. */
function parseJsonObject(octets: Uint8Array, part: Part): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(octets));
  } catch {
    // Without the cause: the message of JSON.parse quotes the token.
    throw new TokenError(`the token's ${part} is not JSON in UTF-8`);
  }
  if (!isObject(value)) throw new TokenError(`the token's ${part} is not a JSON object`);
  return value;
}

/**
 * RFC 7519 section 4.1. A known claim of the wrong type or size is refused; an unknown claim is
 * ignored, as section 4 requires. Throws TokenError.
 */
function parseClaims(payload: JsonObject): Claims {
  const { role, sub, exp, nbf, iat, iss = "", jti = "", aud, device } = payload;
  if (exp === undefined) throw new TokenError("the token has no expiry (exp)");
  if (!isNumericDate(exp) || !isOptionalDate(nbf) || !isOptionalDate(iat)) {
    throw new TokenError("the token's dates (exp, nbf, iat) must be numbers of seconds");
  }
  if (typeof iss !== "string" || typeof jti !== "string") {
    throw new TokenError("the token's iss and jti must be strings");
  }
  // Section 4.1.3: a recipient that is not named in `aud` must reject the token; Forno has no name.
  if (aud !== undefined) throw new TokenError("the token is for another service (aud)");
  if (device !== undefined && !isDeviceId(device)) {
    throw new TokenError("the token's device must be a string, the id of a device");
  }
  return {
    ...parseIdentity(role, sub),
    exp,
    ...(nbf !== undefined && { nbf }),
    ...(device !== undefined && { device }),
  };
}

function parseIdentity(role: unknown, sub: unknown): Identity {
  if (role === undefined) throw new TokenError("the token has no role");
  if (!isRole(role)) throw new TokenError(`the token's role must be one of ${roles.join(", ")}`);
  if (sub === undefined) {
    if (role !== "customer") return { role };
    throw new TokenError("a customer's token needs a sub");
  }
  if (!isPossibleSub(sub)) throw new TokenError(`the token's sub must be ${subRule}`);
  return { role, sub };
}

function isDeviceId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

/** The rule that isPossibleSub checks, in words. Code points, not UTF-16 units. */
export const subRule =
  "a string of 1 to 200 characters, without control characters or lone surrogates";

/** True if a token may have this sub. */
export function isPossibleSub(value: unknown): value is string {
  return typeof value === "string" && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(value);
}

/** RFC 7519 section 2. `1e400` in JSON is Infinity: a token that would never expire. */
function isNumericDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isOptionalDate(value: unknown): value is number | undefined {
  return value === undefined || isNumericDate(value);
}

/**
 * The fault of a token's dates (RFC 7519 sections 4.1.4 and 4.1.5); undefined if it is in force.
 * `iat` does not count: a server whose clock starts behind would sign everybody out.
 * `nowMs`: as Date.now.
 */
export function dateFault({ exp, nbf = 0 }: Claims, nowMs: number): string | undefined {
  const now = nowMs / 1_000;
  if (now >= exp + leewaySeconds) return `the token expired at ${withServerTime(exp, now)}`;
  if (now >= nbf - leewaySeconds) return undefined;
  return `the token is not valid before ${withServerTime(nbf, now)}`;
}

function withServerTime(seconds: number, now: number): string {
  return `${isoDate(seconds)}; the server's time is ${isoDate(now)}`;
}

/** RFC 3339, for the years 1970 to 9999. A claim outside of them is cut. */
export function isoDate(seconds: number): string {
  return new Date(1000 * Math.max(0, Math.min(seconds, 253_402_300_799))).toISOString();
}
