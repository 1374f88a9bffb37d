/** A kind of the tests' own: resources with any members, of which `placedBy` is kept apart. */

import { Invalid } from "../../src/problems/faults.ts";
import type { StoredKind } from "../../src/store/stored-kind.ts";
import type { Content, Identified, Row } from "../../src/store/rows.ts";
import type { Store } from "../../src/store/store.ts";

export interface Thing extends Identified {
  readonly [member: string]: unknown;
}

export interface ThingKept {
  readonly placedBy?: string;
}

export type ThingKind = StoredKind<Thing, ThingKept>;

export function thingKind(name: string): ThingKind {
  return {
    name,
    read(members) {
      const { seq: _, placedBy, ...rest } = members as Record<string, unknown>;
      if (!isThing(rest)) throw Invalid.at(["id"], "expected a string");
      return { value: rest, kept: typeof placedBy === "string" ? { placedBy } : {} };
    },
  };
}

function isThing(value: Readonly<Record<string, unknown>>): value is Thing {
  return typeof value["id"] === "string";
}

/** The content of a row with this thing. */
export function thing(
  id: string,
  members: object = {},
  kept: ThingKept = {},
): Content<Thing, ThingKept> {
  return { value: { id, ...members }, kept };
}

/** Stores an order of this id. */
export function put(store: Store, id: string, members: object = {}): Promise<unknown> {
  return store.write(orders, id, () => thing(id, members));
}

/** The ids of rows, in their order. */
export function idsOf(rows: Iterable<Row>): string[] {
  return Array.from(rows, ({ value }) => value.id);
}

export const toppings: ThingKind = thingKind("toppings");
export const orders: ThingKind = thingKind("orders");
