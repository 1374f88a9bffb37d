/**
 * Issues tokens and sign-in links: for the command, the banner, invited devices and guests.
 *
 * A link has the token in its fragment, which browsers do not send to any server.
 */

import { maxTokenLength, type Role, signToken } from "./token.ts";

/** Who a token is for, how long it is valid, and who invited it. */
export interface Grant {
  readonly role: Role;
  /** See isPossibleSub. */
  readonly sub: string;
  readonly lifetimeSeconds: number;
  /** As the claim. */
  readonly by?: readonly string[];
}

/** A signed token, issued now, and when it expires, as the claim. */
export function issueToken(
  { role, sub, lifetimeSeconds, by }: Grant,
  key: Uint8Array,
): { readonly token: string; readonly exp: number } {
  // With milliseconds, so that a token made in the second of a lock is known to be younger.
  const iat = Date.now() / 1_000;
  const exp = Math.floor(iat) + lifetimeSeconds;
  return { token: signToken({ role, sub, iat, exp, by }, key), exp };
}

/** True if the grant's names are so long that its token could be longer than a token may be. */
export function isTooLong({ role, sub, by }: Grant): boolean {
  const [iat, exp] = [1_000_000_000.001, 1_000_000_000];
  return signToken({ role, sub, iat, exp, by }, new Uint8Array(32)).length > maxTokenLength;
}

const unitSeconds = new Map([["s", 1], ["m", 60], ["h", 3_600], ["d", 86_400]]);

export const lifetimeRule = 'a number and s, m, h or d, such as "90m" or "30d", at most 366d';

/** The seconds of a lifetime such as "90m"; undefined if it does not fit the rule. */
export function parseLifetime(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds.get(unit) ?? 0);
  return seconds > 0 && seconds <= 366 * 86_400 ? seconds : undefined;
}

/**
 * A link to the order page for customers, and to the board for all others.
 * `base`: the server's address, without a final slash.
 */
export function signInLink(base: string, role: Role, token: string): string {
  return `${base}/${role === "customer" ? "" : "board"}#token=${token}`;
}
