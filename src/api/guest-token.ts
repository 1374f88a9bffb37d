/** POST /api/tokens, where GUEST_ORDERS is on: a customer token for anyone who asks. */

import { randomUUID } from "node:crypto";
import { issueToken } from "../auth/issue.ts";
import { jsonResponse, noStore, type Response } from "../http/response.ts";
import type { Operation, Route } from "../http/route.ts";
import { closedObject } from "./schemas.ts";

const lifetimeSeconds = 12 * 3_600;

export function guestTokenRoute(signingKey: Uint8Array): Route {
  return {
    method: "POST",
    path: "/api/tokens",
    rule: "anyone",
    handle: () => guestToken(signingKey),
    operation,
  };
}

function guestToken(signingKey: Uint8Array): Response {
  const role = "customer";
  const token = issueToken({ role, sub: `guest-${randomUUID()}`, lifetimeSeconds }, signingKey);
  const json = JSON.stringify({ token, role, expiresIn: lifetimeSeconds });
  return jsonResponse(201, json, noStore);
}

const operation: Operation = {
  id: "createGuestToken",
  tag: { name: "tokens", description: "Tokens for guests." },
  summary: "Get a customer token",
  description:
    "Anyone may ask for one. It is valid for twelve hours. Each client may place ten orders a " +
    "minute, up to thirty at once.",
  success: {
    status: 201,
    description: "The token.",
    content: {
      "application/json": {
        $component: "schemas/GuestToken",
        ...closedObject({
          token: { type: "string", description: "A JWT." },
          role: { type: "string", description: "`customer`." },
          expiresIn: { type: "integer", minimum: 1, description: "Seconds." },
        }),
      },
    },
  },
};
