/**
 * JSON Web Signatures in compact form (RFC 7515), HMAC SHA-256 only (RFC 7518 section 3.2): signs
 * claims, and verifies a token's signature. claims.ts checks the claims.
 *
 * As RFC 8725 requires, the algorithm is checked before the signature and must be HS256. Signatures
 * are compared in constant time. Each part must be spelled exactly as base64url encodes it. If two
 * members have one name, the last one counts, as RFC 7519 section 4 allows.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, type JsonObject } from "../problems/faults.ts";

const encodedHeader = encode(JSON.stringify({ alg: "HS256", typ: "JWT" }));

/** Signs any claims: RFC 7515 section 5.1. */
export function signToken(claims: JsonObject, key: Uint8Array): string {
  const signingInput = `${encodedHeader}.${encode(JSON.stringify(claims))}`;
  return `${signingInput}.${hmac(signingInput, key).toString("base64url")}`;
}

/**
 * Returns the payload of a token that one of the keys has signed: RFC 7515 section 5.2. Its claims
 * are not checked yet. The caller limits the token's length.
 * Throws TokenError if it is not a JWS, not HS256, or signed with another key.
 */
export function verifySignature(token: string, keys: readonly Uint8Array[]): Uint8Array {
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
  return octets;
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

/**
 * RFC 7515 section 4 and RFC 7519 section 4: a JSON object.
 * Throws TokenError if the octets are anything else.
 */
export function parseJsonObject(octets: Uint8Array, part: Part): JsonObject {
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
 * The message says why the token was refused, and goes into the 401. It shows nothing of the token
 * but its dates, and has only characters that `error_description` allows (RFC 6750 section 3).
 */
export class TokenError extends Error {
  override readonly name = "TokenError";
}
