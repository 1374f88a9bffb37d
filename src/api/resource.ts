/** Shared by the handlers of all resources: answers, deletes, conflicts, and the id of a body. */

import { patchType } from "../http/body.ts";
import { requireMatch, strongTag } from "../http/etag.ts";
import { type HeaderList, jsonResponse, noCache, type Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import { type Faults, isObject } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { idRule, isPossibleId } from "../resources/check.ts";
import { jsonOf, type Row, type StoredKind } from "../store/tables.ts";
import type { Store } from "../store/store.ts";

/** The words for a kind: "pizzasizes" in paths, "pizza size" in messages. */
export interface Named {
  readonly name: string;
  readonly label: string;
}

/** The entity tag of a resource. It stays the same across restarts. */
export function tagOf(row: Row): string {
  row.tag ??= strongTag(jsonOf(row));
  return row.tag;
}

/** An answer with the resource. */
export function resourceResponse(status: number, row: Row, headers: HeaderList = []): Response {
  row.json ??= jsonOf(row);
  return jsonResponse(status, row.json, ["ETag", tagOf(row), ...noCache, ...headers]);
}

/** The 201 after a create. `row`: what the write resolved to. */
export function created({ name }: Named, row: Row | undefined): Response {
  const stored = requireStored(row);
  return resourceResponse(201, stored, ["Location", `/api/${name}/${stored.id}`]);
}

/** The 200 after an update. `row`: what the write resolved to. */
export function updated(row: Row | undefined): Response {
  return resourceResponse(200, requireStored(row), ["Accept-Patch", patchType]);
}

function requireStored(row: Row | undefined): Row {
  if (row === undefined) throw new Error("a write that stores something resolved to nothing");
  return row;
}

/** Deletes the resource of a request. Rejects with Problem 404 or 412. */
export async function remove(
  kind: StoredKind & Named,
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

/** The row. Throws Problem 404 if there is none. */
export function requireFound<R extends Row>(
  { name, label }: Named,
  row: R | undefined,
  id: string,
): R {
  if (row !== undefined) return row;
  throw new Problem(
    "not-found",
    isPossibleId(id)
      ? `no ${label} has the id "${id}" (see GET /api/${name})`
      : `no ${label} can have such an id: expected ${idRule}`,
  );
}

/** Problem 409. `identical`: true if the stored resource is what was sent. */
export function idTaken({ name, label }: Named, id: string, identical: boolean): Problem {
  const detail = `the ${label} "${id}" exists already`;
  return new Problem(
    "id-taken",
    identical ? `${detail}, and it is what was sent` : `${detail}; choose another, or update it`,
    { identical, headers: { Location: `/api/${name}/${id}` } },
  );
}

/** Sets a member that the body does not have. The guards report a body that is no object. */
export function setMissing(body: unknown, name: string, valueOf: () => unknown): void {
  if (isObject(body) && body[name] === undefined) Object.assign(body, { [name]: valueOf() });
}

/** False, with a fault, if the body of an update has the id of another resource. */
export function hasPathId(body: unknown, id: string, faults: Faults): boolean {
  const sent = isObject(body) ? body["id"] : undefined;
  // The guard reports a value that cannot be an id.
  if (sent === id || !isPossibleId(sent)) return true;
  return faults.addUnexpected(["id"], `"${id}", the id in the path, or none`, sent);
}

/**
 * The whole resource that the body of an update asks for: by PUT the body, by PATCH a merge.
 * `kept`: the members that a PUT may leave out.
 */
export type WholeOf = (stored: object, body: unknown, kept: readonly string[]) => unknown;

/** A client that knows the specification alone must not erase what it does not know. */
export const replaced: WholeOf = (stored, body, kept) => {
  for (const name of kept) setMissing(body, name, () => stored[name as keyof object]);
  return body;
};

/**
 * JSON Merge Patch (RFC 7396 section 2): the target with the patch applied. Neither is changed, and
 * the result may share parts with both. `__proto__` is a member like any other. A null for a member
 * that neither the target has nor `optional` names stays, so that a guard refuses a misspelled name.
 */
export function mergePatch(
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
