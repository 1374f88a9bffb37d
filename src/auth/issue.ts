/**
 * Issues tokens and sign-in links: for the command, the banner, devices and guests.
 *
 * A link has the token in its fragment, which browsers do not send to any server.
 */

import { type Role, signToken } from "./token.ts";

/** Who a token is for. */
export interface Grant {
  readonly role: Role;
  /** See isPossibleSub. */
  readonly sub: string;
  /** Seconds since 1970. */
  readonly exp: number;
  /** The id of the device that the token is for. */
  readonly device?: string;
}

/** A signed token, issued now. */
export function issueToken(grant: Grant, key: Uint8Array): string {
  return signToken({ ...grant, iat: nowSeconds() }, key);
}

/** The `exp` of a token that is issued now. */
export function expiryIn(lifetimeSeconds: number): number {
  return nowSeconds() + lifetimeSeconds;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

const unitSeconds = new Map([["s", 1], ["m", 60], ["h", 3_600], ["d", 86_400]]);

/** The seconds of a lifetime such as "90m" or "30d"; undefined if it is none, or too long. */
export function parseLifetime(text: string, maxDays: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds.get(unit) ?? 0);
  return seconds > 0 && seconds <= maxDays * 86_400 ? seconds : undefined;
}

/**
 * A link to the order page for customers, and to the board for all others.
 * `base`: the server's address, without a final slash.
 */
export function signInLink(base: string, role: Role, token: string): string {
  return `${base}/${role === "customer" ? "" : "board"}#token=${token}`;
}
