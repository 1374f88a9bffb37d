/**
 * Issues tokens and sign-in links: for the command, the banner, invited devices and guests.
 *
 * A link has the token in its fragment, which browsers do not send to any server.
 */

import type { Role } from "./claims.ts";
import { signToken } from "./jws.ts";

/** Who a token is for, how long it is valid, and who invited it. */
export interface Grant {
  readonly role: Role;
  /** See isSubject. */
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
  const iat = Math.floor(Date.now() / 1_000);
  const exp = iat + lifetimeSeconds;
  return { token: signToken({ role, sub, iat, exp, by }, key), exp };
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
