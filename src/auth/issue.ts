/**
 * Tokens made here, and the links that sign in with one: for the command, the banner and guests.
 *
 * Promises: a token says when it was issued, and ends; it stands in a link's fragment, which a
 * browser sends to no server and writes into no log.
 */
import type { Role } from "./claims.ts";
import { signToken } from "./jws.ts";

/** Whom a token is for, and how long it is good from now on. */
export interface Grant {
  readonly role: Role;
  /** As isSubject has it. Undefined, which a customer may not be: none. */
  readonly sub: string | undefined;
  readonly lifetimeSeconds: number;
}

/** A signed token, issued now. */
export function issueToken({ role, sub, lifetimeSeconds }: Grant, key: Uint8Array): string {
  const iat = Math.floor(Date.now() / 1_000);
  // JSON leaves out a `sub` that is undefined.
  return signToken({ role, sub, iat, exp: iat + lifetimeSeconds }, key);
}

/**
 * Where the token's role works: the board for staff, the order page for a customer.
 * `base`: where the server is reached, without a final slash.
 */
export function signInLink(base: string, role: Role, token: string): string {
  return `${base}/${role === "staff" ? "board" : ""}#token=${token}`;
}
