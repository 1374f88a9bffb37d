/**
 * GET /api/devices: who is signed in, and who is locked out. PUT and DELETE
 * /api/devices/{sub}/lock: lock out, and let in again.
 */

import { isoDate, isPossibleSub, roles, subRule } from "../auth/token.ts";
import type { Request } from "../http/request.ts";
import { jsonResponse, noCache, type Response } from "../http/response.ts";
import type { Operation, Parameter, Route } from "../http/route.ts";
import { inWords } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { choiceField, closedObject, subjectField, timeField } from "../resources/field.ts";
import { locks } from "../resources/device-lock.ts";
import { json } from "./openapi-info.ts";
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
      operation: listOperation,
    },
    {
      method: "PUT",
      path,
      rule: "staff",
      requireItem,
      handle: (request) => lockOut(request, services),
      operation: lockOperation,
    },
    {
      method: "DELETE",
      path,
      rule: "staff",
      requireItem,
      handle: (request) => letIn(request, services),
      operation: unlockOperation,
    },
  ];
}

/** The most recently seen first, then those locked out that were not seen. */
function list({ store, callers }: Services): Response {
  const rows = Array.from(store.rows(locks), ({ value }) => [value.id, value.lockedAt] as const);
  const lockedAt = new Map(rows);
  const seen = [...callers.devices].reverse().map(([sub, { role, exp, seenAtMs }]) => {
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
  if (isPossibleSub(sub)) return;
  const detail = `no device can have such a name: expected ${subRule}, got ${inWords(sub)}`;
  throw new Problem("not-found", detail);
}

const tag = { name: "devices", description: "Who is signed in, and who is locked out." };

const subParameter: Parameter = {
  $component: "parameters/Sub",
  name: "sub",
  in: "path",
  required: true,
  description: "The subject (`sub`) of the tokens, percent-encoded.",
  schema: subjectField.schema,
  example: "Bar tablet",
};

const times = {
  expiresAt: { ...timeField.schema, description: "When its token ends." },
  seenAt: { ...timeField.schema, description: "When it was last seen." },
  lockedAt: { ...timeField.schema, description: "When it was locked out. Missing: it is not." },
};

const listOperation: Operation = {
  id: "listDevices",
  tag,
  summary: "Who is signed in, and who is locked out",
  description:
    "The staff and reader tokens that were seen since the server started, at most a thousand, by " +
    "their `sub`, the most recently seen first; then who is locked out and was not seen.",
  success: {
    description: "The devices.",
    content: json({
      type: "array",
      items: {
        $component: "schemas/Device",
        ...closedObject(
          { sub: subjectField.schema, role: choiceField(roles).schema, ...times },
          ["sub"],
        ),
      },
    }),
  },
};

const lockOperation: Operation = {
  id: "lockDevice",
  tag,
  summary: "Lock a device out",
  description:
    "Every token of this `sub` issued up to now is refused, at once and after a restart, and so " +
    "is every token that it invited. Its open codes end. The `sub` need not be known.",
  parameters: [subParameter],
  success: {
    description: "The lock, now on disk.",
    content: json({
      $component: "schemas/Lock",
      ...closedObject({ sub: subjectField.schema, lockedAt: times.lockedAt }),
    }),
  },
  problems: ["storage-unavailable"],
};

const unlockOperation: Operation = {
  id: "unlockDevice",
  tag,
  summary: "Let a device in again",
  description: "Its tokens, and those that it invited, are accepted again until they expire.",
  parameters: [subParameter],
  success: { status: 204, description: "Let in, on disk too." },
  problems: ["storage-unavailable"],
};
