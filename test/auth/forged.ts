/** Tokens as anybody could make them, right and wrong, and what is said of the wrong ones. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { TokenError } from "../../dist/auth/jws.js";
import { Callers } from "../../dist/auth/callers.js";
import type { Claims } from "../../dist/auth/claims.js";

export const key = Buffer.from("the key of these tests, which is long enough");
export const nowMs = Date.parse("2026-03-01T12:00:00Z");
export const now = nowMs / 1000;
export const callers: Callers = new Callers([key], { nowMs: () => nowMs });

export function verify(token: string): Claims {
  return callers.verify(token);
}

/** A rightly signed token of these parts, however odd they are. */
export function forge(
  header: string | Uint8Array,
  claims: string | Uint8Array,
  secret = key,
): string {
  const encoded = [header, claims].map((part) => Buffer.from(part).toString("base64url"));
  return sign(encoded.join("."), secret);
}

/** Whatever stands before the signature. */
export function sign(signingInput: string, secret = key): string {
  const signature = createHmac("sha256", secret).update(signingInput).digest("base64url");
  return `${signingInput}.${signature}`;
}

export const goodHeader = '{"alg":"HS256","typ":"JWT"}';
export const goodClaims = JSON.stringify({ role: "customer", sub: "carla", exp: now + 600 });

/** The refusal's words; fails when the token is believed. */
export function refusal(token: string, by: Callers = callers): string {
  try {
    by.verify(token);
  } catch (error) {
    assert.ok(error instanceof TokenError, String(error));
    return error.message;
  }
  return assert.fail(`believed: ${token}`);
}
