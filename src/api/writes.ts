/**
 * Creates, updates and deletes of every resource. The order of their checks stands here, once:
 *
 *     id 404 > Content-Type 415 > length 413 > precondition 412 > body 413, 400 > taken id 409
 *         > references 400 > shop 409, waiting orders 429, guests' places 429 > status 409
 */

import type { Caller } from "../auth/callers.ts";
import { patchType } from "../http/body.ts";
import { requireMatch } from "../http/etag.ts";
import type { Request } from "../http/request.ts";
import { jsonResponse, noCache, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { Faults, Invalid, isObject, type JsonObject } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { type Guard, parse, type Path } from "../resources/check.ts";
import { isPossibleId, newId } from "../resources/id.ts";
import type { Kind, LabeledKind } from "../resources/kind.ts";
import type { Store } from "../store/store.ts";
import { jsonOf, type Lookup, type Row } from "../store/row.ts";
import { requireFound, resourceResponse, tagOf } from "./resource.ts";

/** The part of a create that depends on the kind or on the caller. */
export interface CreateOptions<T extends object, K, B> {
  /** False hides a resource, so that a create says nothing of it. Default: true. */
  mayRead?(row: Row<T, K>, caller: Caller): boolean;
  /** Default: the kind's. */
  readonly isBody?: Guard<B>;
  /** If a body may also be an array of resources. All of them are stored, or none. */
  readonly several?: Several<T>;
  /** Asked once for all that is to be stored. Throws Problem 409 or 429. */
  admit?(values: readonly T[], at: PathTo): void;
}

/** A create of several resources at once. */
interface Several<T> {
  /** The most resources in a body. */
  readonly max: number;
  /** The most bytes of a body, also of one with one resource. */
  readonly maxBytes: number;
  /** The address of them all; undefined if they have none. */
  locationOf(values: readonly T[]): string | undefined;
}

/** The path from the body to a resource in it: [], or [2] in an array. */
type PathTo = (index: number) => Path;

/**
 * Creates the resource of the body, or each of an array. Rejects with Problem 415, 413, 400, 409 or
 * what `admit` throws.
 */
export async function create<T extends object, K, B extends { readonly id: string }>(
  kind: Kind<T, K, B>,
  request: Request,
  store: Store,
  options: CreateOptions<T, K, B> = {},
): Promise<Response> {
  const { mayRead = () => true, several, admit } = options;
  const { caller } = request;
  const lookup = store.accepted;
  request.requireJson(several?.maxBytes);
  const sent = sentOf(kind, options, await request.json(several?.maxBytes), lookup);
  const { bodies, isArray, at } = sent;
  const locationOf = (rows: readonly Row<T, K>[]): { Location?: string } => {
    const location = isArray
      ? several?.locationOf(rows.map(({ value }) => value))
      : `/api/${kind.name}/${rows[0]?.id}`;
    return location === undefined ? {} : { Location: location };
  };
  const now = new Date().toISOString();
  const rows = await store.writeAll(kind, bodies.map(({ id }) => id), (stored) => {
    const taken = stored.filter((row) => row !== undefined);
    if (taken.length > 0) {
      const isReadable = taken.every((row) => mayRead(row, caller));
      const identical = isReadable && isRetry(kind, bodies, stored);
      // An array that is not stored as it was sent has no address.
      const location = identical || (isReadable && !isArray) ? locationOf(taken) : {};
      throw idTaken(kind, sent, stored, identical, location);
    }
    const faults = new Faults();
    const contents = bodies.map((body, index) =>
      kind.decide(body, { stored: undefined, caller, now, lookup, at: at(index), faults }));
    faults.requireNone();
    admit?.(contents.map(({ value }) => value), at);
    return contents;
  });
  const created = rows.map(requireStored);
  const headers = { ...noCache, ...locationOf(created) };
  const [first] = created;
  if (!isArray && first !== undefined) return resourceResponse(201, first, headers);
  return jsonResponse(201, `[\n${created.map(jsonOf).join(",\n")}\n]`, headers);
}

/** The resources of a body, at least one. */
interface Sent<B> {
  readonly bodies: readonly B[];
  readonly isArray: boolean;
  readonly at: PathTo;
}

/** Throws Invalid with every fault of their shapes. */
function sentOf<T extends object, K, B extends { readonly id: string }>(
  kind: Kind<T, K, B>,
  { isBody = kind.isBody, several }: CreateOptions<T, K, B>,
  body: unknown,
  lookup: Lookup,
): Sent<B> {
  const isArray = several !== undefined && Array.isArray(body);
  const elements: readonly unknown[] = isArray ? body : [body];
  const at: PathTo = (index) => (isArray ? [index] : []);
  const faults = new Faults();
  if (isArray && (elements.length === 0 || elements.length > several.max)) {
    const expected = `one ${kind.label}, or an array of 1 to ${several.max} ${kind.label}s`;
    faults.addUnexpected([], expected, body);
    throw new Invalid(faults);
  }
  const ids = new Set(elements.map(idOf));
  const isTaken = (id: string): boolean => ids.has(id) || lookup.get(kind, id) !== undefined;
  const bodies: B[] = [];
  for (const [index, element] of elements.entries()) {
    setMissing(element, "id", () => newId(isTaken));
    for (const name in kind.defaults) setMissing(element, name, () => kind.defaults[name]);
    if (isBody(element, at(index), faults)) bodies.push(element);
    const id = idOf(element);
    if (id === undefined || elements.findIndex((other) => idOf(other) === id) === index) continue;
    faults.addUnexpected([...at(index), "id"], "an id that no other element has", id);
  }
  faults.requireNone();
  return { bodies, isArray, at };
}

function idOf(body: unknown): unknown {
  return isObject(body) ? body["id"] : undefined;
}

/** True if each of these was stored before as it was sent now. */
function isRetry<T extends object, K, B>(
  kind: Kind<T, K, B>,
  bodies: readonly B[],
  stored: readonly (Row<T, K> | undefined)[],
): boolean {
  return bodies.every((body, index) => {
    const value = stored[index]?.value;
    return value !== undefined && (kind.isIdentical?.(body, value) ?? kind.isSame(body, value));
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
  const { isBody, optional } = kind;
  const { caller, headers } = request;
  const lookup = store.accepted;
  const durable = requireFound(kind, store.get(kind, id), id);
  request.requireJson();
  // Before the body arrives. The check that counts is the one in the write.
  requireMatch(() => tagOf(durable), headers);
  const sent = await request.json();
  // The row that the write decides on. If it was removed, any row will do.
  const { value } = lookup.get(kind, id) ?? durable;
  const whole = wholeOf(value, sent, optional);
  const body = parse(isBody, whole, faultsOfId(whole, value));
  const now = new Date().toISOString();
  const row = await store.write(kind, id, (stored) => {
    const found = requireFound(kind, stored, id);
    requireMatch(() => tagOf(found), headers);
    if (kind.isSame(body, found.value)) return found;
    const faults = new Faults();
    const content = kind.decide(body, { stored: found, caller, now, lookup, at: [], faults });
    faults.requireNone();
    return content;
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
 * The whole resource that the body of an update asks for. `optional`: what a PUT may leave out. An
 * update that leaves out the id keeps it.
 */
type WholeOf = (stored: object, body: unknown, optional: readonly string[]) => unknown;

/** PUT: the body. */
const replaced: WholeOf = (stored, body, optional) => {
  for (const name of ["id", ...optional]) setMissing(body, name, () => memberOf(stored, name));
  return body;
};

/** PATCH: JSON Merge Patch (RFC 7396). A null removes what a PUT may leave out, but no id. */
const patched: WholeOf = (stored, patch, optional) => {
  const whole = mergePatch(stored, patch, optional);
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
  if (value !== undefined) (body as Record<string, unknown>)[name] = value;
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

/** Problem 409. `stored`: the rows with the ids of the bodies. `location`: a header field. */
function idTaken(
  { label }: LabeledKind,
  { isArray, at }: Sent<unknown>,
  stored: readonly (Row | undefined)[],
  identical: boolean,
  location: { readonly Location?: string },
): Problem {
  const faults = new Faults();
  for (const [index, row] of stored.entries()) {
    if (row === undefined) continue;
    faults.add([...at(index), "id"], () => `the ${label} "${row.id}" exists already`);
  }
  const details = faults.list.map(({ detail }) => detail).join(", ");
  const advice = identical ? ", as it was sent" : "; choose another id";
  const errors = isArray && { errors: faults.list };
  return new Problem("id-taken", details + advice, { identical, headers: location, ...errors });
}

function requireStored<R extends Row>(row: R | undefined): R {
  if (row === undefined) throw new Error("a write that stores something resolved to nothing");
  return row;
}
