/** POST /api/tokens, where GUEST_ORDERS is on: a customer token for anyone who asks. */

import { randomUUID } from "node:crypto";
import { issueToken } from "../auth/issue.ts";
import { jsonReply, noStore, type Reply } from "../http/reply.ts";
import type { Operation, Route } from "../http/route.ts";
import { closedObject } from "../resources/schemas.ts";

const lifetimeSeconds = 12 * 3_600;

/** POST /api/tokens. */
export function guestTokenRoutes(signingKey: Uint8Array): readonly Route[] {
  return [
    {
      method: "POST",
      path: "/api/tokens",
      rule: "anyone",
      isForGuests: true,
      handle: () => guestToken(signingKey),
      operation,
    },
  ];
}

function guestToken(signingKey: Uint8Array): Reply {
  const role = "customer";
  const token = issueToken({ role, sub: `guest-${randomUUID()}`, lifetimeSeconds }, signingKey);
  const json = JSON.stringify({ token, role, expiresIn: lifetimeSeconds });
  return jsonReply(201, json, noStore);
}

const operation: Operation = {
  id: "createGuestToken",
  tag: { name: "tokens", description: "Tokens for guests." },
  summary: "Get a customer's token",
  description:
    "Anyone may: the token places orders for twelve hours. Where RATE_LIMIT is not set, a client " +
    "may ask for tokens and orders ten times a minute.",
  answers: {
    201: {
      description: "The token.",
      content: {
        "application/json": {
          $component: "schemas/GuestToken",
          ...closedObject({
            token: { type: "string", description: "A JWT." },
            role: { type: "string", const: "customer" },
            expiresIn: { type: "integer", minimum: 1, description: "Seconds." },
          }),
        },
      },
    },
  },
};
