/**
 * Issues tokens and sign-in links: for the command, the banner and guests.
 *
 * A link has the token in its fragment, which browsers do not send to any server.
 */

import type { Role } from "./claims.ts";
import { signToken } from "./jws.ts";

/** Who a token is for, and how long it is valid. */
interface Grant {
  readonly role: Role;
  /** See isSubject. */
  readonly sub: string;
  readonly lifetimeSeconds: number;
}

/** A signed token, issued now. */
export function issueToken({ role, sub, lifetimeSeconds }: Grant, key: Uint8Array): string {
  const iat = Math.floor(Date.now() / 1_000);
  return signToken({ role, sub, iat, exp: iat + lifetimeSeconds }, key);
}

/**
 * A link to the board for staff, and to the order page for customers.
 * `base`: the server's address, without a final slash.
 */
export function signInLink(base: string, role: Role, token: string): string {
  return `${base}/${role === "staff" ? "board" : ""}#token=${token}`;
}
