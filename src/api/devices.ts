/**
 * Devices. GET /api/devices lists who is signed in and who is locked out. PATCH locks a device out,
 * or lets it in again. POST /api/invites makes a code for a new device. POST /api/tokens turns the
 * code into a token or, if GUEST_ORDERS is on, gives anyone a customer token.
 */

import { randomUUID } from "node:crypto";
import { realm } from "../auth/access.ts";
import type { Caller, Device } from "../auth/callers.ts";
import { type Grant, isTooLong, issueToken, lifetimeRule, parseLifetime } from "../auth/issue.ts";
import { isoDate, maxInviters, maxTokenLength, type Role, roles } from "../auth/token.ts";
import type { Request } from "../http/request.ts";
import { jsonResponse, noCache, noStore, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { quoted } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { locks } from "../resources/device-lock.ts";
import { isFlag, isName, isOneOf, isSub, objectOf, parse, scalar } from "../resources/check.ts";
import type { Services } from "./services.ts";

export function deviceRoutes(services: Services): readonly Route[] {
  return [
    { method: "GET", path: "/api/devices", rule: "staff", handle: () => list(services) },
    {
      method: "PATCH",
      path: "/api/devices",
      rule: "staff",
      handle: (request) => changeLock(request, services),
    },
    {
      method: "POST",
      path: "/api/invites",
      rule: "staff",
      handle: (request) => invite(request, services),
    },
    {
      method: "POST",
      path: "/api/tokens",
      rule: "anyone",
      handle: (request) => token(request, services),
    },
  ];
}

/** Seen devices, the most recent first, then locked subs that were not seen. */
function list({ store, callers }: Services): Response {
  const locked = new Map(Array.from(store.rows(locks), ({ value }) =>
    [value.id, Date.parse(value.lockedAt)]));
  const subs = new Set([...[...callers.devices.keys()].reverse(), ...locked.keys()]);
  const devices = Array.from(subs, (sub) => {
    const [lockedAt, device] = [locked.get(sub), callers.devices.get(sub)];
    // Seen after its lock, it has come back with a new code.
    const isBack = device !== undefined && lockedAt !== undefined && device.seenAtMs > lockedAt;
    const isLocked = lockedAt !== undefined && !isBack;
    return deviceJson(sub, isLocked, device);
  });
  return jsonResponse(200, JSON.stringify(devices), noCache);
}

/** `device`: undefined if it was not seen. */
function deviceJson(sub: string, isLocked: boolean, device: Device | undefined): object {
  if (device === undefined) return { sub, isLocked };
  const { role, exp, seenAtMs } = device;
  const seenAt = new Date(seenAtMs).toISOString();
  return { sub, isLocked, role, expiresAt: isoDate(exp), seenAt };
}

interface LockBody {
  readonly sub: string;
  readonly isLocked: boolean;
}

const isLockBody = objectOf<LockBody>({ sub: isSub, isLocked: isFlag });

/** Rejects with Problem 415, 413, 400, 401 or 403. */
async function changeLock(
  request: Request,
  { store, callers, invites }: Services,
): Promise<Response> {
  request.requireJson();
  const { sub, isLocked } = parse(isLockBody, await request.json());
  if (isLocked) {
    requireNoInviter(sub, request.caller);
    const value = { id: sub, lockedAt: new Date().toISOString() };
    const written = store.write(locks, sub, () => ({ value, kept: undefined }));
    // The lock already holds, so this sub can make no further code after this.
    invites.end(sub);
    await written;
  } else {
    await store.write(locks, sub, () => "remove");
  }
  const device = deviceJson(sub, isLocked, callers.devices.get(sub));
  return jsonResponse(200, JSON.stringify(device), noCache);
}

/**
 * A stolen device must not lock out its owner. Locking out oneself is allowed, but not under the
 * name of an inviter: a device may invite another one under its own name. Throws Problem 403.
 */
function requireNoInviter(sub: string, caller: Caller): void {
  if (caller?.by?.includes(sub) !== true) return;
  throw new Problem(
    "forbidden",
    `${quoted(sub)} has invited your device, and nobody can lock out who invited them; use ` +
      "another device, or a token of node dist/token.js staff",
  );
}

interface InviteBody {
  readonly role: Role;
  readonly sub: string;
  readonly expires: string;
}

const isInvite = objectOf<InviteBody>({
  role: isOneOf(roles),
  sub: isName,
  expires: scalar(
    `a string with ${lifetimeRule}`,
    (value): value is string => typeof value === "string" && parseLifetime(value) !== undefined,
  ),
});

/** Rejects with Problem 415, 413, 400, 401 or 403. */
async function invite(request: Request, { invites }: Services): Promise<Response> {
  request.requireJson();
  const { role, sub, expires } = parse(isInvite, await request.json());
  const by = invitersFor(request.caller);
  const grant = { role, sub, lifetimeSeconds: parseLifetime(expires) ?? 0, by };
  if (isTooLong(grant)) {
    throw new Problem(
      "forbidden",
      `the token would be longer than ${maxTokenLength} characters, because it has its own name ` +
        `(sub) and the names of its ${by.length} inviters; choose a shorter name, or ${fewer}`,
    );
  }
  const { code, expiresAtMs } = invites.create(grant);
  const json = JSON.stringify({ code, expiresAt: new Date(expiresAtMs).toISOString() });
  return jsonResponse(201, json, noStore);
}

const fewer = "invite from a device with fewer inviters, or with node dist/token.js";

/** The claim `by` of a token that the caller invites. Throws Problem 403. */
function invitersFor(caller: Caller): readonly string[] {
  const { sub, by = [] } = caller ?? {};
  if (sub === undefined) {
    throw new Problem("forbidden", "only a token with a name (sub) may invite: locks are by name");
  }
  if (by.length < maxInviters) return [...by, sub];
  const allowed = `a token has at most ${maxInviters} inviters`;
  throw new Problem("forbidden", `${allowed}, and yours has ${by.length}; ${fewer}`);
}

const isCode = objectOf<{ readonly code: string }>({
  code: scalar(
    "a string, the code of an invite",
    (value): value is string => typeof value === "string",
  ),
});

/** Rejects with Problem 415, 413, 400, 401 or 403. */
async function token(request: Request, services: Services): Promise<Response> {
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (length === "0" && coding === undefined) return guestToken(services);
  request.requireJson();
  const { code } = parse(isCode, await request.json());
  const grant = services.invites.redeem(code);
  if (grant !== undefined) return tokenResponse(grant, services);
  throw new Problem(
    "not-authenticated",
    "the code is used, older than ten minutes or unknown: ask for a new one",
    { headers: { "WWW-Authenticate": realm } },
  );
}

const guestLifetimeSeconds = 12 * 3_600;

/** Throws Problem 403. */
function guestToken(services: Services): Response {
  if (services.settings.guestOrders) {
    const sub = `guest-${randomUUID()}`;
    const grant = { role: "customer", sub, lifetimeSeconds: guestLifetimeSeconds } as const;
    return tokenResponse(grant, services);
  }
  throw new Problem(
    "forbidden",
    'guests may not order here: expected a body {"code":"…"} with the code of an invite, got ' +
      "none (with GUEST_ORDERS=on the server gives a token to anyone)",
  );
}

function tokenResponse(grant: Grant, { signingKey }: Services): Response {
  const { role, sub } = grant;
  const { token, exp } = issueToken(grant, signingKey);
  const json = JSON.stringify({ token, role, sub, expiresAt: isoDate(exp) });
  return jsonResponse(201, json, noStore);
}
