/**
 * Creates, updates and deletes of every resource. The order of their checks stands here, once:
 *
 *     id 404 > Content-Type 415 > length 413 > precondition 412 > body 413, 400 > taken id 409
 *         > what the resource decides: references 400, shop 409, guests' limit 429, status 409
 */

import type { Caller } from "../auth/callers.ts";
import { patchType } from "../http/body.ts";
import { requireMatch } from "../http/etag.ts";
import type { Request } from "../http/request.ts";
import { noCache, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { Faults, isObject, type JsonObject } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { type Guard, parse } from "../resources/check.ts";
import { isPossibleId, newId } from "../resources/id.ts";
import type { Kind, LabeledKind, WriteContext } from "../resources/kind.ts";
import type { Store } from "../store/store.ts";
import type { Content, Row } from "../store/tables.ts";
import { requireFound, resourceResponse, tagOf } from "./resource.ts";

/** The part of a create that depends on the caller. */
interface CreateOptions<T extends object, K, B> {
  /** False hides a resource, so that a create says nothing of it. Default: true. */
  mayRead?(row: Row<T, K>, caller: Caller): boolean;
  /** Default: the kind's. */
  readonly isBody?: Guard<B>;
  /** Default: the kind's. May also throw Problem 429. */
  decide?(body: B, context: WriteContext<T, K>): Content<T, K>;
}

/** Rejects with Problem 415, 413, 400, 409 or what `decide` throws. */
export async function create<T extends object, K, B extends { readonly id: string }>(
  kind: Kind<T, K, B>,
  request: Request,
  store: Store,
  options: CreateOptions<T, K, B> = {},
): Promise<Response> {
  const { mayRead = () => true, isBody = kind.isBody } = options;
  const { caller } = request;
  const lookup = store.accepted;
  request.requireJson();
  const sent = await request.json();
  setMissing(sent, "id", () => newId((id) => lookup.get(kind, id) !== undefined));
  for (const name in kind.defaults) setMissing(sent, name, () => kind.defaults[name]);
  const body = parse(isBody, sent);
  const now = new Date().toISOString();
  const row = await store.write(kind, body.id, (stored) => {
    if (stored !== undefined) throw idTaken(kind, body, stored, mayRead(stored, caller));
    const context = { stored, caller, now, lookup };
    return options.decide?.(body, context) ?? kind.decide(body, context);
  });
  const created = requireStored(row);
  return resourceResponse(201, created, {
    ...noCache,
    Location: `/api/${kind.name}/${created.id}`,
  });
}

/** PUT and PATCH at a path, for staff. `idOf`: the id that a request is about. */
export function updateRoutes<T extends object, K, B>(
  kind: Kind<T, K, B>,
  path: string,
  store: Store,
  idOf: (request: Request) => string = ({ param }) => param,
): readonly Route[] {
  const route = (method: string, wholeOf: WholeOf): Route => ({
    method,
    path,
    rule: "staff",
    handle: (request) => update(kind, idOf(request), request, store, wholeOf),
  });
  return [route("PUT", replaced), route("PATCH", patched)];
}

/** Rejects with Problem 404, 415, 413, 412, 400 or what `decide` throws. */
async function update<T extends object, K, B>(
  kind: Kind<T, K, B>,
  id: string,
  request: Request,
  store: Store,
  wholeOf: WholeOf,
): Promise<Response> {
  const { isBody, kept } = kind;
  const { caller, headers } = request;
  const lookup = store.accepted;
  const durable = requireFound(kind, store.get(kind, id), id);
  request.requireJson();
  // Before the body arrives. The check that counts is the one in the write.
  requireMatch(() => tagOf(durable), headers);
  const sent = await request.json();
  // The row that the write decides on. If it was removed, any row will do.
  const { value } = lookup.get(kind, id) ?? durable;
  const whole = wholeOf(value, sent, kept);
  const body = parse(isBody, whole, faultsOfId(whole, value));
  const now = new Date().toISOString();
  const row = await store.write(kind, id, (stored) => {
    const found = requireFound(kind, stored, id);
    requireMatch(() => tagOf(found), headers);
    if (kind.isSame(body, found.value)) return found;
    return kind.decide(body, { stored: found, caller, now, lookup });
  });
  return resourceResponse(200, requireStored(row), { ...noCache, "Accept-Patch": patchType });
}

/** Rejects with Problem 404 or 412. */
export async function remove(
  kind: LabeledKind,
  { param: id, headers }: Request,
  store: Store,
): Promise<Response> {
  // A 404 must not wait for the disk, or turn into a 503 because the disk is full.
  requireFound(kind, store.get(kind, id), id);
  await store.write(kind, id, (stored) => {
    const found = requireFound(kind, stored, id);
    requireMatch(() => tagOf(found), headers);
    return "remove";
  });
  return { status: 204, headers: noCache };
}

/**
 * The whole resource that the body of an update asks for. `kept`: what a PUT may leave out. An
 * update that leaves out the id keeps it.
 */
type WholeOf = (stored: object, body: unknown, kept: readonly string[]) => unknown;

/** PUT: the body. */
const replaced: WholeOf = (stored, body, kept) => {
  for (const name of ["id", ...kept]) setMissing(body, name, () => memberOf(stored, name));
  return body;
};

/** PATCH: JSON Merge Patch (RFC 7396). A null removes what a PUT may leave out, but no id. */
const patched: WholeOf = (stored, patch, kept) => {
  const whole = mergePatch(stored, patch, kept);
  setMissing(whole, "id", () => memberOf(stored, "id"));
  return whole;
};

/**
 * The target with the patch applied (RFC 7396 section 2). Neither is changed, and the result may
 * share parts with both. `__proto__` is a member like any other. A null for a member that neither
 * the target has nor `optional` names stays, so that a guard refuses a misspelled name.
 */
function mergePatch(
  target: unknown,
  patch: unknown,
  optional: readonly string[] = [],
): unknown {
  if (!isObject(patch)) return patch;
  const before = isObject(target) ? target : {};
  // A spread copies own members only and runs no setter, which an assignment of __proto__ would.
  const merged: Record<string, unknown> = { ...before, ...patch };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) {
      if (Object.hasOwn(before, name) || optional.includes(name)) delete merged[name];
    }
    if (isObject(change)) merged[name] = mergePatch(before[name], change);
  }
  return merged;
}

/** Sets a member that the body does not have. The guards report a body that is no object. */
function setMissing(body: unknown, name: string, valueOf: () => unknown): void {
  if (!isObject(body) || body[name] !== undefined) return;
  const value = valueOf();
  if (value !== undefined) Object.assign(body, { [name]: value });
}

function memberOf(value: object, name: string): unknown {
  return (value as JsonObject)[name];
}

/** A fault if the body has the id of another resource. The shop has no id. */
function faultsOfId(body: unknown, stored: object): Faults {
  const faults = new Faults();
  const id = memberOf(stored, "id");
  const sent = isObject(body) ? body["id"] : undefined;
  // The guard reports a value that cannot be an id.
  if (id !== undefined && sent !== id && isPossibleId(sent)) {
    faults.addUnexpected(["id"], `"${String(id)}", the id in the path, or none`, sent);
  }
  return faults;
}

/** Problem 409. It says nothing of a resource that the caller may not read. */
function idTaken<T extends object, K, B>(
  kind: Kind<T, K, B>,
  body: B,
  { id, value }: Row<T, K>,
  mayRead: boolean,
): Problem {
  const detail = `the ${kind.label} "${id}" exists already`;
  if (!mayRead) {
    return new Problem("id-taken", `${detail}; choose another id`, { identical: false });
  }
  const identical = kind.isIdentical?.(body, value) ?? kind.isSame(body, value);
  return new Problem(
    "id-taken",
    identical ? `${detail}, and it is what was sent` : `${detail}; choose another, or update it`,
    { identical, headers: { Location: `/api/${kind.name}/${id}` } },
  );
}

function requireStored(row: Row | undefined): Row {
  if (row === undefined) throw new Error("a write that stores something resolved to nothing");
  return row;
}
