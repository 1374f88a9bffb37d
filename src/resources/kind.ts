/**
 * A kind of resource, as the operations in api/crud.ts see it: its names, its fields, and the rule
 * that computes the next value from the body and the stored value.
 */

import type { Caller } from "../auth/callers.ts";
import { type Faults, Invalid, isObject, type JsonObject } from "../problems/faults.ts";
import { jsonOf, type ReadContext, type StoredKind } from "../store/stored-kind.ts";
import type { Content, Identified, Row } from "../store/rows.ts";
import {
  areSame,
  type Field,
  type Fields,
  type IsThere,
  isPossibleId,
  objectField,
  parse,
  picker,
  type Sent,
  type Shape,
} from "./field.ts";

/** A write depends on this: the accepted resources, the time and the caller. */
export interface WriteContext extends ReadContext {
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
  /** The bodies of a create or an update by this caller. */
  body(input: "create" | "update", caller: Caller): Field<S>;
  /**
   * The content after a write, or the stored row itself if nothing changes. `id`: the resource's,
   * also if the body has none. Throws Problem 409 for changes that are not allowed now.
   */
  next(id: string, sent: S, stored: Row<T, K> | undefined, context: WriteContext): Content<T, K>;
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

/**
 * The body of a request, accepted. `stored`: the row that an update changes. Adds references to
 * resources that do not exist to `missing`. Throws Invalid, with them, for any other fault.
 */
export function parseBody<T extends Identified, K, S extends SentBody>(
  kind: Kind<T, K, S>,
  body: unknown,
  stored: Row<T, K> | undefined,
  context: WriteContext,
  missing: Faults,
): S {
  const isThere: IsThere = (other, id) =>
    context.get(other, id) !== undefined ||
    (stored !== undefined && kind.refersTo?.(stored, other, id) === true);
  const id = isObject(body) ? body["id"] : undefined;
  // The check of the fields reports what cannot be an id.
  const isOther =
    typeof id === "string" && stored !== undefined && id !== stored.value.id && isPossibleId(id);
  if (isOther) {
    missing.addUnexpected(["id"], `"${stored.value.id}", the id in the path, or none`, id);
  }
  const field = kind.body(stored === undefined ? "create" : "update", context.caller);
  if (field.check(body, [], { faults: missing, isThere }) && !isOther) return body;
  throw new Invalid(missing);
}

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
  const bodies = {
    create: objectField<T, Sent<T, "id">>(fields, "create"),
    update: objectField<T, Sent<T, "id">>(fields, "update"),
  };
  const line = objectField<T>(fields, "file");
  return {
    ...row,
    body: (input) => bodies[input],
    next(id, sent, stored) {
      const value = pick(sent, { id });
      if (stored !== undefined && areSame(fields, value, stored.value)) return stored;
      return { value, kept: undefined };
    },
    read: (members) => ({ value: pick(parse(line, members)), kept: undefined }),
  };
}
