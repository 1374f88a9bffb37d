/**
 * What a kind of resource is to the operations that serve all kinds: its names, its guards, and the
 * one rule that makes the next value of what was sent and what is stored.
 */

import type { Caller } from "../auth/access.ts";
import { Faults } from "../problems/faults.ts";
import type { Reading, StoredKind } from "../store/kind.ts";
import type { Content, Identified, Row } from "../store/rows.ts";
import {
  type Field,
  type Fields,
  type Findings,
  isObject,
  isPossibleId,
  objectField,
  picker,
  type Sent,
  type Shape,
} from "./field.ts";

/** What a decision is made with: other resources as accepted, the time, who asks. */
export interface World extends Reading {
  readonly caller: Caller;
}

/**
 * A kind of resource. T: what is answered; K: what is kept beside it; S: what an accepted body
 * holds, where the id and what the server sets may be missing.
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
  /** All members of the answered resource, in their order. */
  readonly fields: Fields;
  /** The members that backups hold beside them. */
  readonly keptFields?: Fields;
  readonly examples: Examples;
  /** Accepts the bodies of a create or an update by this caller. */
  guard(source: "create" | "update", caller: Caller): Field<S>;
  /**
   * The next content: what is sent, under its id, in place of what is stored; the stored row itself
   * when nothing changes. Throws Problem 400 for references, 409 for what is not allowed now.
   */
  next(sent: S & Identified, stored: Row<T, K> | undefined, world: World): Content<T, K>;
  /** Whether a stored resource refers to this one: such a reference stays valid. */
  refersTo?(stored: Row<T, K>, kind: StoredKind, id: string): boolean;
  /** What is answered, where that is not the value. */
  shown?(row: Row<T, K>, world: Pick<World, "get">): object;
  /** The value with the names of what it refers to: for kinds that refer. */
  withNames?(row: Row<T, K>): object;
  /** The subject that placed a resource: for kinds that customers create. */
  placedBy?(row: Row<T, K>): string | undefined;
}

/** What every accepted body has. */
export interface SentBody {
  /** Undefined or null: the server chooses one, or the path says it. */
  readonly id?: string | null;
}

export type Body = Readonly<Record<string, unknown>>;

/** For the description. They work on a server with the starter menu: a test sends them. */
export interface Examples {
  /** A new resource, whole. */
  readonly create: Body;
  /** What an update changes of it. */
  readonly patch: Body;
}

/** Members that a document's line has beside those of the resource. */
export const lineMembers: readonly string[] = ["seq", "crc"];

/** The body, accepted. Throws Problem 400 "invalid-body" with every fault. */
export function requireBody<T extends Identified, K, S extends SentBody>(
  kind: Kind<T, K, S>,
  body: unknown,
  stored: Row<T, K> | undefined,
  world: World,
): S {
  const guard = kind.guard(stored === undefined ? "create" : "update", world.caller);
  const isOther = stored !== undefined && hasOtherId(body, stored.value.id);
  if (!isOther && guard.accepts(body)) return body;
  const faults = new Faults();
  if (isOther) {
    const expected = `"${stored.value.id}", the id in the path, or none`;
    faults.addUnexpected(["id"], expected, body.id);
  }
  explainBody(kind, guard, body, stored, world, faults);
  throw faults.toProblem();
}

/** Adds every fault of a body, and every reference to what is not there. */
export function explainBody<T extends Identified, K, S extends SentBody>(
  kind: Kind<T, K, S>,
  guard: Field<S>,
  body: unknown,
  stored: Row<T, K> | undefined,
  world: Pick<World, "get">,
  faults: Faults,
): void {
  const isThere = (other: StoredKind, id: string): boolean =>
    (stored !== undefined && kind.refersTo?.(stored, other, id) === true) ||
    world.get(other, id) !== undefined;
  guard.explain(body, [], { faults, isThere });
}

/** Whether an id stands in the body that is not this one. What is no id is the guard's to tell. */
function hasOtherId(body: unknown, id: string): body is { readonly id: unknown } {
  if (!isObject(body) || body["id"] === undefined || body["id"] === id) return false;
  const other = body["id"];
  return other === null || (typeof other === "string" && isPossibleId(other));
}

/** The members of a document's line, accepted. Throws Problem with every fault. */
export function requireLine<S>(
  field: Field<S>,
  members: unknown,
  isThere: Findings["isThere"] = () => true,
): S {
  if (field.accepts(members)) return members;
  const faults = new Faults();
  field.explain(members, [], { faults, isThere });
  throw faults.toProblem();
}

/** What a kind of the menu says of itself; the rest is the same for all. */
interface MenuRow<T extends Identified>
  extends Pick<Kind, "name" | "label" | "schemaName" | "description" | "examples"> {
  readonly fields: Shape<T>;
}

/** A kind of the menu: what is sent is what is stored. */
export type MenuKind<T extends Identified> = Kind<T, undefined, Sent<T, "id">>;

/** Makes a kind of the menu. */
export function menuKind<T extends Identified>(row: MenuRow<T>): MenuKind<T> {
  const { fields } = row;
  const pick = picker(fields);
  const guards = {
    create: objectField<T, Sent<T, "id">>(fields, "create"),
    update: objectField<T, Sent<T, "id">>(fields, "update"),
  };
  const line = objectField<T>(fields, "document", lineMembers);
  return {
    ...row,
    guard: (source) => guards[source],
    next(sent, stored) {
      const value = pick(sent);
      const isSame = JSON.stringify(value) === JSON.stringify(stored?.value);
      return stored !== undefined && isSame ? stored : { value, kept: undefined };
    },
    read: (members) => ({ value: pick(requireLine(line, members)), kept: undefined }),
  };
}
