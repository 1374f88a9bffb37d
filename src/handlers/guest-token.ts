/** POST /api/tokens, where GUEST_ORDERS is on: a customer token for anyone who asks. */

import { randomUUID } from "node:crypto";
import { issueToken } from "../auth/issue.ts";
import { jsonReply, noStore, type Reply } from "../http/reply.ts";
import type { Route } from "../http/route.ts";

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
    },
  ];
}

function guestToken(signingKey: Uint8Array): Reply {
  const role = "customer";
  const token = issueToken({ role, sub: `guest-${randomUUID()}`, lifetimeSeconds }, signingKey);
  const json = JSON.stringify({ token, role, expiresIn: lifetimeSeconds });
  return jsonReply(201, json, noStore);
}
