/**
 * A kind of resource, as the operations in api/crud.ts see it: its names, its fields, and the rule
 * that computes the next value from the body and the stored value.
 */

import type { Caller } from "../auth/access.ts";
import { Faults, Invalid, isObject, type JsonObject } from "../problems/faults.ts";
import { jsonOf, type Lookup, type ReadContext, type StoredKind } from "../store/stored-kind.ts";
import type { Content, Identified, Row } from "../store/rows.ts";
import {
  areSame,
  type Field,
  type Fields,
  isPossibleId,
  objectField,
  picker,
  type Sent,
  type Shape,
} from "./field.ts";

/** The context of a write: the accepted resources, the time and the caller. */
export interface World extends ReadContext {
  readonly caller: Caller;
}

/**
 * A kind of resource. T: the resource; K: data stored with it but not shown; S: an accepted body,
 * in which the id and fields that the server sets may be missing.
 */
export interface Kind<
  T extends Identified = Identified,
  K = unknown,
  S extends SentBody = SentBody,
> extends StoredKind<T, K> {
  /** In messages: "pizza size". */
  readonly label: string;
  /** In the description: "PizzaSize", and a sentence. */
  readonly schemaName: string;
  readonly description: string;
  /** All fields of the resource, in the order of its JSON. */
  readonly fields: Fields;
  readonly examples: Examples;
  /** Accepts the bodies of a create or an update by this caller. */
  guard(input: "create" | "update", caller: Caller): Field<S>;
  /**
   * The content after a write, or the stored row itself if nothing changes. `id`: the resource's,
   * also if the body has none. Throws Invalid for references that do not exist, Problem 409 for
   * changes that are not allowed now.
   */
  next(id: string, sent: S, stored: Row<T, K> | undefined, world: World): Content<T, K>;
  /** True if the stored resource refers to this item: such a reference stays valid. */
  refersTo?(stored: Row<T, K>, kind: StoredKind, id: string): boolean;
  /** The value with the names of the items it refers to. Only for orders. */
  withNames?(row: Row<T, K>): object;
  /** The subject that created the resource. Only for orders. */
  placedBy?(row: Row<T, K>): string | undefined;
}

/** The resource's JSON with the names of the items it refers to, if it refers to any. */
export function jsonWithNames(kind: Kind, row: Row): string {
  return kind.withNames === undefined ? jsonOf(kind, row) : JSON.stringify(kind.withNames(row));
}

/** Every accepted body. */
export interface SentBody {
  /** If undefined, the path has the id or the server chooses it. */
  readonly id?: string;
}

/** Examples for the description. A test sends them to a server with the starter menu. */
interface Examples {
  /** A whole new resource. */
  readonly create: JsonObject;
  /** A merge patch for it. */
  readonly patch: JsonObject;
}

/** Members that a resource in a document may have beside its own. */
export const lineMembers: readonly string[] = ["seq", "crc"];

/** The body, accepted. Throws Invalid with every fault. */
export function requireBody<T extends Identified, K, S extends SentBody>(
  kind: Kind<T, K, S>,
  body: unknown,
  stored: Row<T, K> | undefined,
  world: World,
): S {
  const guard = kind.guard(stored === undefined ? "create" : "update", world.caller);
  const isOther = stored !== undefined && hasOtherId(body, stored.value.id);
  if (!isOther && isAccepted(guard, body)) return body;
  const faults = new Faults();
  if (isOther) {
    const expected = `"${stored.value.id}", the id in the path, or none`;
    faults.addUnexpected(["id"], expected, body.id);
  }
  checkAll(kind, guard, body, stored, world, faults);
  throw new Invalid(faults);
}

/** Adds every fault of a body, also references to resources that do not exist. */
export function checkAll<T extends Identified, K, S extends SentBody>(
  kind: Kind<T, K, S>,
  guard: Field<S>,
  body: unknown,
  stored: Row<T, K> | undefined,
  lookup: Lookup,
  faults: Faults,
): void {
  const isThere = (other: StoredKind, id: string): boolean =>
    (stored !== undefined && kind.refersTo?.(stored, other, id) === true) ||
    lookup.get(other, id) !== undefined;
  guard.check(body, [], { faults, isThere });
}

/** True if the body has another valid id. The guard reports invalid ids. */
function hasOtherId(body: unknown, id: string): body is { readonly id: unknown } {
  if (!isObject(body) || body["id"] === undefined || body["id"] === id) return false;
  return typeof body["id"] === "string" && isPossibleId(body["id"]);
}

/** The value, accepted; references in it are not looked up. Throws Invalid with every fault. */
export function requireValid<S>(field: Field<S>, value: unknown): S {
  const faults = new Faults();
  if (field.check(value, [], { faults, isThere })) return value;
  throw new Invalid(faults);
}

function isAccepted<S>(field: Field<S>, value: unknown): value is S {
  return field.check(value, [], { faults: new Faults(), isThere });
}

const isThere = (): boolean => true;

/** The parts in which the kinds of the menu differ. */
interface MenuRow<T extends Identified>
  extends Pick<Kind, "name" | "label" | "schemaName" | "description" | "examples"> {
  readonly fields: Shape<T>;
}

/** A kind of the menu: the body is stored as it is. */
export type MenuKind<T extends Identified> = Kind<T, undefined, Sent<T, "id">>;

export function menuKind<T extends Identified>(row: MenuRow<T>): MenuKind<T> {
  const { fields } = row;
  const pick = picker(fields);
  const guards = {
    create: objectField<T, Sent<T, "id">>(fields, "create"),
    update: objectField<T, Sent<T, "id">>(fields, "update"),
  };
  const line = objectField<T>(fields, "file", lineMembers);
  return {
    ...row,
    guard: (input) => guards[input],
    next(id, sent, stored) {
      const value = pick(sent, { id });
      if (stored !== undefined && areSame(fields, value, stored.value)) return stored;
      return { value, kept: undefined };
    },
    read: (members) => ({ value: pick(requireValid(line, members)), kept: undefined }),
  };
}
