/**
 * Tokens over HTTP: POST /api/invites makes a code for a new device. POST /api/tokens turns it into
 * a token or, if GUEST_ORDERS is on, gives anyone a customer's token.
 */

import { randomUUID } from "node:crypto";
import { realm } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import { isoDate, maxInviters, type Role, roles } from "../auth/token.ts";
import { type Grant, issueToken, lifetimeRule, parseLifetime } from "../auth/issue.ts";
import type { Request } from "../http/request.ts";
import { jsonResponse, noStore, type Response } from "../http/response.ts";
import type { Operation, Route } from "../http/route.ts";
import { Problem } from "../problems/problem.ts";
import {
  choiceField,
  closedObject,
  type Field,
  objectField,
  parse,
  scalar,
  subjectField,
  timeField,
} from "../resources/field.ts";
import { json } from "./openapi-info.ts";
import type { Services } from "./services.ts";

export function tokenRoutes(services: Services): readonly Route[] {
  const { guestOrders } = services.settings;
  return [
    {
      method: "POST",
      path: "/api/invites",
      rule: "staff",
      handle: (request) => invite(request, services),
      operation: inviteOperation,
    },
    {
      method: "POST",
      path: "/api/tokens",
      rule: "anyone",
      handle: (request) => token(request, services),
      operation: tokenOperation(guestOrders),
    },
  ];
}

interface InviteBody {
  readonly role: Role;
  readonly sub: string;
  readonly expires: string;
}

const inviteBody: Field<InviteBody> = objectField<InviteBody>(
  {
    role: choiceField(roles),
    sub: subjectField,
    expires: scalar<string>({
      expected: `a string with ${lifetimeRule}`,
      accepts: (value): value is string =>
        typeof value === "string" && parseLifetime(value) !== undefined,
      schema: {
        type: "string",
        pattern: "^\\d{1,8}[smhd]$",
        description: "How long the token is valid: a number and `s`, `m`, `h` or `d`, up to 366d.",
        examples: ["30d"],
      },
    }),
  },
  "create",
);

/** Rejects with Problem 415, 413, 400, 401, 403 or 429. */
async function invite(request: Request, { invites }: Services): Promise<Response> {
  request.requireJson();
  const { role, sub, expires } = parse(inviteBody, await request.json());
  const by = invitersFor(request.caller);
  const wait = invites.waitSeconds;
  if (wait > 0) {
    throw new Problem("rate-limited", `a hundred codes are open; come back in ${wait} s`, {
      headers: { "Retry-After": `${wait}` },
    });
  }
  const lifetimeSeconds = parseLifetime(expires) ?? 0;
  const { code, expiresAtMs } = invites.create({ role, sub, lifetimeSeconds, by });
  const json = JSON.stringify({ code, expiresAt: new Date(expiresAtMs).toISOString() });
  return jsonResponse(201, json, noStore);
}

/** The claim `by` of a token that the caller invites. Throws Problem 403. */
function invitersFor(caller: Caller): readonly string[] {
  const { sub, by = [] } = caller ?? {};
  if (sub === undefined) {
    throw new Problem("forbidden", "only a token with a name (sub) may invite: locks are by name");
  }
  if (by.length < maxInviters) return [...by, sub];
  throw new Problem(
    "forbidden",
    `this token was invited over ${maxInviters} steps, which is the most; use one nearer to the ` +
      "first, or node dist/token.js",
  );
}

const codeBody = objectField<{ readonly code: string }>(
  {
    code: scalar<string>({
      expected: "a string, the code of an invite",
      accepts: (value): value is string => typeof value === "string",
      schema: { type: "string", description: "The code of an invite." },
    }),
  },
  "create",
);

const guestLifetimeSeconds = 12 * 3_600;

/** Rejects with Problem 415, 413, 400 or 401. */
async function token(request: Request, services: Services): Promise<Response> {
  const { invites, signingKey, settings } = services;
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (settings.guestOrders && length === "0" && coding === undefined) {
    const sub = `guest-${randomUUID()}`;
    const grant = { role: "customer", sub, lifetimeSeconds: guestLifetimeSeconds } as const;
    return tokenResponse(grant, signingKey);
  }
  request.requireJson();
  const { code } = parse(codeBody, await request.json());
  const grant = invites.redeem(code);
  if (grant !== undefined) return tokenResponse(grant, signingKey);
  throw new Problem(
    "not-authenticated",
    "the code is used, older than ten minutes or unknown: ask for a new one",
    { headers: { "WWW-Authenticate": realm } },
  );
}

function tokenResponse(grant: Grant, signingKey: Uint8Array): Response {
  const { role, sub } = grant;
  const { token, exp } = issueToken(grant, signingKey);
  const json = JSON.stringify({ token, role, sub, expiresAt: isoDate(exp) });
  return jsonResponse(201, json, noStore);
}

const tag = { name: "tokens", description: "Tokens for devices and guests." };

const inviteOperation: Operation = {
  id: "createInvite",
  tag,
  summary: "Invite a device",
  description:
    "The code becomes a token at `POST /api/tokens`, once, within ten minutes. It ends when its " +
    "inviter is locked out, and so does the token. Invites go over at most eight steps.",
  body: json({ $component: "schemas/InviteCreate", ...inviteBody.schema }),
  success: {
    status: 201,
    description: "The code.",
    content: json({
      $component: "schemas/Invite",
      ...closedObject({
        code: { type: "string", description: "128 random bits." },
        expiresAt: { ...timeField.schema, description: "When the code ends." },
      }),
    }),
  },
};

function tokenOperation(guestOrders: boolean): Operation {
  const asGuest =
    " Without a body: a customer's token for twelve hours, for anyone. Each client may place ten " +
    "orders a minute, up to thirty at once.";
  return {
    id: "createToken",
    tag,
    summary: guestOrders ? "Get a token for a code, or a guest's" : "Get a token for a code",
    description: `A code works once.${guestOrders ? asGuest : ""}`,
    body: json({ $component: "schemas/TokenCreate", ...codeBody.schema }),
    isBodyOptional: guestOrders,
    success: {
      status: 201,
      description: "The token.",
      content: json({
        $component: "schemas/Token",
        ...closedObject({
          token: { type: "string", description: "A JWT." },
          role: { type: "string", enum: roles },
          sub: subjectField.schema,
          expiresAt: { ...timeField.schema, description: "When the token ends." },
        }),
      }),
    },
  };
}
