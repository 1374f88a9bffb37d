/**
 * GET /api/devices: who is signed in, and who is locked out. PUT and DELETE
 * /api/devices/{sub}/lock: lock out, and let in again.
 */

import { isoDate, isSubject, subjectRule } from "../auth/claims.ts";
import type { Request } from "../http/request.ts";
import { jsonResponse, noCache, type Response } from "../http/response.ts";
import type { Route } from "../http/route.ts";
import { inWords } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { locks } from "../resources/device-lock.ts";
import type { Services } from "./services.ts";

export function deviceRoutes(services: Services): readonly Route[] {
  const path = "/api/devices/:sub/lock";
  const requireItem = ({ param }: Request): void => requireSubject(param);
  return [
    {
      method: "GET",
      path: "/api/devices",
      rule: "staff",
      handle: () => list(services),
    },
    {
      method: "PUT",
      path,
      rule: "staff",
      requireItem,
      handle: (request) => lockOut(request, services),
    },
    {
      method: "DELETE",
      path,
      rule: "staff",
      requireItem,
      handle: (request) => letIn(request, services),
    },
  ];
}

/** The most recently seen first, then those locked out that were not seen. */
function list({ store, callers }: Services): Response {
  const rows = Array.from(store.rows(locks), ({ value }) => [value.id, value.lockedAt] as const);
  const lockedAt = new Map(rows);
  const seen = callers.devices().map(([sub, { role, exp, seenAtMs }]) => {
    const seenAt = new Date(seenAtMs).toISOString();
    return { sub, role, expiresAt: isoDate(exp), seenAt, lockedAt: lockedAt.get(sub) };
  });
  for (const { sub } of seen) lockedAt.delete(sub);
  const unseen = Array.from(lockedAt, ([sub, lockedAt]) => ({ sub, lockedAt }));
  return jsonResponse(200, JSON.stringify([...seen, ...unseen]), noCache);
}

/** Rejects with Problem 404. */
async function lockOut({ param: sub }: Request, services: Services): Promise<Response> {
  requireSubject(sub);
  const lockedAt = new Date().toISOString();
  const content = { value: { id: sub, lockedAt }, kept: undefined };
  const written = services.store.write(locks, sub, () => content);
  // From now on the lock refuses new codes of the subject.
  services.invites.end(sub);
  await written;
  return jsonResponse(200, JSON.stringify({ sub, lockedAt }), noCache);
}

/** Rejects with Problem 404. */
async function letIn({ param: sub }: Request, { store }: Services): Promise<Response> {
  requireSubject(sub);
  await store.write(locks, sub, (lock) => {
    if (lock !== undefined) return "remove";
    throw new Problem("not-found", "nobody by this name is locked out (see GET /api/devices)");
  });
  return { status: 204, headers: noCache };
}

/** Throws Problem 404. */
function requireSubject(sub: string): void {
  if (isSubject(sub)) return;
  const detail = `no device can have such a name: expected ${subjectRule}, got ${inWords(sub)}`;
  throw new Problem("not-found", detail);
}
