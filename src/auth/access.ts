/**
 * Finds the caller by the token (RFC 6750) and checks the caller against a route's rule. Throws
 * Problem 401 or 403 with WWW-Authenticate.
 */

import { Problem } from "../problems/problem.ts";
import type { Caller, Callers } from "./callers.ts";
import { type Role, TokenError } from "./token.ts";

/** Who may use a route: anyone, anyone with a token, or one role. Staff may use every route. */
export type Rule = "anyone" | "any role" | Role;

/** Who may read orders: ORDER_READS. Anyone may read the menu. */
export type OrderReads = "public" | "authenticated" | "own";

/** The orders that a caller may read: everybody's, nobody's, or the orders of one sub. */
export type Audience = "everybody" | "nobody" | { readonly sub: string };

export function audienceOf(caller: Caller, orderReads: OrderReads): Audience {
  if (orderReads === "public") return "everybody";
  if (caller === undefined) return "nobody";
  const readsAll = orderReads === "authenticated" || caller.role !== "customer";
  return readsAll ? "everybody" : { sub: caller.sub };
}

/** True if the audience may read this sub's orders. `placedBy` undefined: its token had no sub. */
export function mayReadOrdersOf(audience: Audience, placedBy: string | undefined): boolean {
  return audience === "everybody" || (audience !== "nobody" && audience.sub === placedBy);
}

export const realm = 'Bearer realm="forno"';
const hint = "get a token with: node dist/token.js staff (or customer, or reader)";

/** `authorization`: the field's value. Throws Problem 401 if its token is not valid. */
export function authenticate(authorization: string | undefined, callers: Callers): Caller {
  if (authorization === undefined) return undefined;
  const [, token] = /^bearer +(.+)$/is.exec(authorization) ?? [];
  if (token !== undefined) return verified(token, callers);
  if (bareToken.test(authorization)) {
    throw unauthenticated('"Bearer " is missing before the token');
  }
  // Another scheme, for example a proxy's own Basic credentials.
  if (!/^bearer(?![\w-]+ )/i.test(authorization)) return undefined;
  throw unauthenticated('expected "Bearer", a space and the token');
}

/** A JWT. Its first part begins with `eyJ`, the base64url of `{"`. */
const bareToken = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

function verified(token: string, callers: Callers): Caller {
  try {
    return callers.verify(token);
  } catch (error) {
    if (error instanceof TokenError) throw unauthenticated(error.message);
    throw error;
  }
}

/**
 * Throws Problem 401 if the rule needs a token and there is none, 403 if the role is not enough.
 * `authorization`: the field's value, for the message. `servesGuests`: true if anyone may get a
 * customer's token.
 */
export function authorize(
  rule: Rule,
  caller: Caller,
  authorization: string | undefined,
  servesGuests: boolean,
): void {
  if (rule === "anyone") return;
  if (caller === undefined) {
    const got = authorization === undefined ? "none" : "another scheme";
    const orAsGuest = servesGuests && rule === "customer" ? ", or with POST /api/tokens" : "";
    throw new Problem(
      "not-authenticated",
      `expected a header "Authorization: Bearer TOKEN", got ${got}; ${hint}${orAsGuest}`,
      { headers: { "WWW-Authenticate": realm } },
    );
  }
  if (rule === "any role" || caller.role === rule || caller.role === "staff") return;
  const reason = `only ${rule === "staff" ? "staff" : `staff and ${rule}s`} may do this`;
  const challenge = `${realm}, error="insufficient_scope", error_description="${reason}"`;
  throw new Problem("forbidden", `${reason}; your token's role is ${caller.role}`, {
    headers: { "WWW-Authenticate": challenge },
  });
}

function unauthenticated(reason: string): Problem {
  const description = reason.replaceAll(/["\\]/g, "'");
  return new Problem("not-authenticated", `${reason}; ${hint}`, {
    headers: {
      "WWW-Authenticate": `${realm}, error="invalid_token", error_description="${description}"`,
    },
  });
}
