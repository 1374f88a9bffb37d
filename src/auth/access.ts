/**
 * Finds the caller by the token (RFC 6750) and checks the caller against a route's rule. Throws
 * Problem 401 or 403 with WWW-Authenticate.
 */

import { Problem } from "../problems/problem.ts";
import type { Caller, Callers } from "./callers.ts";
import { type Claims, type Role, TokenError } from "./token.ts";

/**
 * Who may use a route: anyone, anyone with a token, or one role. Owners may use every route, and
 * staff every route but those of owners. A device may use a route of its own, as "owner or itself".
 */
export type Rule = "anyone" | "any role" | "owner or itself" | Role;

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
const hint = "get a token with: node dist/token.js staff (or owner, customer, reader)";

/** The token in an Authorization field; undefined if it has none. */
function tokenOf(authorization: string | undefined): string | undefined {
  return /^bearer +(.+)$/is.exec(authorization ?? "")?.[1];
}

/** The account of a token that was verified before: see Callers. */
export function rememberedAccount(
  authorization: string | undefined,
  callers: Callers,
): string | undefined {
  const token = tokenOf(authorization);
  return token === undefined ? undefined : callers.rememberedAccount(token);
}

/** `authorization`: the field's value. Throws Problem 401 if its token is not valid. */
export function authenticate(authorization: string | undefined, callers: Callers): Caller {
  if (authorization === undefined) return undefined;
  const token = tokenOf(authorization);
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

/** The words for those who may use a route, where not everyone with a token may. */
const whoMay = {
  owner: "only owners may do this",
  "owner or itself": "only owners may do this, and the device itself",
  staff: "only owners and staff may do this",
  customer: "only owners, staff and customers may do this",
  reader: "only owners, staff and readers may do this",
} as const;

/** The facts that `authorize` holds against the rule. */
interface Asked {
  readonly caller: Caller;
  /** The field's value, for the message. */
  readonly authorization: string | undefined;
  /** The id in the path. */
  readonly param: string;
  /** True if anyone may get a customer's token. */
  readonly servesGuests: boolean;
}

/** Throws Problem 401 if the rule needs a token and there is none, 403 if it is not enough. */
export function authorize(rule: Rule, asked: Asked): void {
  if (rule === "anyone") return;
  const { caller, authorization, param, servesGuests } = asked;
  if (caller === undefined) {
    const got = authorization === undefined ? "none" : "another scheme";
    const orAsGuest = servesGuests && rule === "customer" ? ", or with POST /api/tokens" : "";
    throw new Problem(
      "not-authenticated",
      `expected a header "Authorization: Bearer TOKEN", got ${got}; ${hint}${orAsGuest}`,
      { headers: { "WWW-Authenticate": realm } },
    );
  }
  if (rule === "any role" || mayUse(rule, caller, param)) return;
  const reason = whoMay[rule];
  const challenge = `${realm}, error="insufficient_scope", error_description="${reason}"`;
  throw new Problem("forbidden", `${reason}; your token's role is ${caller.role}`, {
    headers: { "WWW-Authenticate": challenge },
  });
}

function mayUse(rule: keyof typeof whoMay, { role, device }: Claims, param: string): boolean {
  if (role === "owner") return true;
  if (rule === "owner or itself") return device === param;
  return role === rule || (role === "staff" && rule !== "owner");
}

function unauthenticated(reason: string): Problem {
  const description = reason.replaceAll(/["\\]/g, "'");
  return new Problem("not-authenticated", `${reason}; ${hint}`, {
    headers: {
      "WWW-Authenticate": `${realm}, error="invalid_token", error_description="${description}"`,
    },
  });
}
