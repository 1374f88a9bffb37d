/**
 * Who a caller is, by the token (RFC 6750), and whether a route's rule lets them through. Throws
 * Problem 401 or 403 with WWW-Authenticate.
 */

import { Problem } from "../problems/problem.ts";
import { type Claims, leewaySeconds, type Role } from "./claims.ts";
import { TokenError } from "./jws.ts";
import type { VerifyToken } from "./token-verifier.ts";

/** Undefined: the request carries no token. */
export type Caller = Claims | undefined;

/** When a caller's token would be accepted no more, in milliseconds like Date.now. */
export function expiresAt(caller: Caller): number {
  return caller === undefined ? Infinity : (caller.exp + leewaySeconds) * 1_000;
}

/** What a route asks of its caller: nothing, or this role. Staff are let in everywhere. */
export type Rule = "anyone" | Role;

/** Who reads orders. The menu is read by anyone. */
export type OrderReads = "public" | "authenticated" | "own";

/** Whose orders a caller may read: everybody's, nobody's, or those that one subject placed. */
export type Audience = "everybody" | "nobody" | { readonly placer: string };

/** Whose orders this caller may read, by ORDER_READS. */
export function audienceOf(caller: Caller, orderReads: OrderReads): Audience {
  if (orderReads === "public" || caller?.role === "staff") return "everybody";
  // A monitor reads what anyone reads.
  if (caller?.role !== "customer") return "nobody";
  return orderReads === "authenticated" ? "everybody" : { placer: caller.sub };
}

/** Whether what this subject placed (undefined: its token named none) is theirs to read. */
export function includes(audience: Audience, placer: string | undefined): boolean {
  if (audience === "everybody" || audience === "nobody") return audience === "everybody";
  return audience.placer === placer;
}

const realm = 'Bearer realm="forno"';
const hint = "get a token with: node dist/token.js staff (or customer)";

/** The caller an Authorization field names. Throws Problem 401 when it names one and fails. */
export function authenticate(authorization: string | undefined, verify: VerifyToken): Caller {
  if (authorization === undefined) return undefined;
  // As nearly all clients write it.
  if (authorization.startsWith("Bearer ") && authorization[7] !== " ") {
    return verified(authorization.slice(7), verify);
  }
  const match = /^bearer([^ ]*)( *)(.*)$/is.exec(authorization);
  // A proxy's own Basic credentials, say: not ours to judge.
  if (match === null) return undefined;
  const [, glued = "", spaces = "", token = ""] = match;
  // Or a scheme that only begins like ours.
  if (/^[\w-]/.test(glued) && spaces !== "") return undefined;
  if (glued !== "") throw unauthenticated("there is no space after Bearer");
  if (token === "") throw unauthenticated("there is no token after Bearer");
  return verified(token, verify);
}

function verified(token: string, verify: VerifyToken): Caller {
  try {
    return verify(token);
  } catch (error) {
    if (error instanceof TokenError) throw unauthenticated(error.message);
    throw error;
  }
}

/**
 * Throws Problem 401 when the rule needs a caller, 403 when the caller's role is not enough.
 * `authorization`: the field in which no caller was found, if there is one. `servesGuests`: whether
 * anyone may have a customer's token.
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
  if (caller.role === "staff" || caller.role === rule) return;
  const reason = `only ${rule === "staff" ? rule : `staff or ${rule}`} may do this`;
  const challenge = `${realm}, error="insufficient_scope", error_description="${reason}"`;
  throw new Problem("forbidden", `${reason}; your token's role is ${caller.role}`, {
    headers: { "WWW-Authenticate": challenge },
  });
}

function unauthenticated(reason: string): Problem {
  const description = reason.replaceAll(/["\\]/g, "'");
  return new Problem("not-authenticated", `the token is not accepted: ${reason}; ${hint}`, {
    headers: {
      "WWW-Authenticate": `${realm}, error="invalid_token", error_description="${description}"`,
    },
  });
}
