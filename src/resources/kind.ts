/**
 * A kind of resource: its fields, its rules, and what a write stores. The store, the routes
 * (api/collection.ts, api/writes.ts, api/lists.ts), the events and MENU_FILE all take what they
 * need from it.
 *
 * There is one object for each kind, never a copy: events compare them. An option of the routes has
 * the part that depends on the settings or on the caller.
 */

import type { Caller } from "../auth/callers.ts";
import type { Faults, JsonObject } from "../problems/faults.ts";
import type { Content, Lookup, Row, StoredKind } from "../store/row.ts";
import type { Guard, Path } from "./check.ts";

/** A kind that messages can name. */
export interface LabeledKind<T = unknown, K = unknown> extends StoredKind<T, K> {
  /** "pizza size". The `name` is that of the path: "pizzasizes". */
  readonly label: string;
}

/** T: the resource in the API. K: what is stored and not shown. B: the body of a write. */
export interface Kind<T extends object = object, K = unknown, B = unknown>
  extends LabeledKind<T, K> {
  /** The shape of a whole body. */
  readonly isBody: Guard<B>;
  /** The members that a create may leave out, beside the id, and what they are then. */
  readonly defaults: JsonObject;
  /**
   * The members that a PUT may leave out, and then keeps, for a client that knows less. A null in a
   * PATCH removes them.
   */
  readonly optional: readonly string[];
  /** The scalar fields that lists filter by. */
  readonly filters: Filters;
  /** The time that `since` and `until` look at. */
  timeOf?(value: T): string;
  /** True if the body changes nothing of the resource. */
  isSame(body: B, value: T): boolean;
  /** True if a retry of a create has this body. Default: `isSame`. */
  isIdentical?(body: B, value: T): boolean;
  /** The content to store. Throws Invalid and Problem 409. */
  decide(body: B, context: WriteContext<T, K>): Content<T, K>;
}

/** By field. */
export type Filters = Readonly<Record<string, Filter>>;

/** The values of a field: any text, ids, true or false, numbers, or one of these words. */
export type Filter = "text" | "id" | "flag" | "number" | readonly string[];

export interface WriteContext<T, K> {
  /** Undefined: the write creates the resource. */
  readonly stored: Row<T, K> | undefined;
  readonly caller: Caller;
  /** RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** Finds the rows that writes are checked against. */
  readonly lookup: Lookup;
  /** The path from the request's body to that of this resource. */
  readonly at: Path;
  /** Gets the faults of the body. The write is refused if there are any. */
  readonly faults: Faults;
}
