/** A kind of the tests' own: resources with any members, of which `placedBy` is kept apart. */

import { Invalid, isObject } from "../../src/problems/faults.ts";
import type { Content, StoredKind } from "../../src/store/row.ts";
import type { Store } from "../../src/store/store.ts";

export interface Thing {
  readonly id: string;
  readonly [member: string]: unknown;
}

export interface ThingKept {
  readonly placedBy?: string;
}

export type ThingKind = StoredKind<Thing, ThingKept>;

export function thingKind(name: string): ThingKind {
  return {
    name,
    idOf: ({ id }) => id,
    read(data, kept) {
      if (!isThing(data)) throw Invalid.at(["id"], "expected a string");
      return { value: data, kept: kept === undefined ? {} : (kept as ThingKept) };
    },
  };
}

function isThing(value: unknown): value is Thing {
  return isObject(value) && typeof value["id"] === "string";
}

/** The content of a row with this thing. */
export function thing(
  id: string,
  members: object = {},
  kept: ThingKept = {},
): Content<Thing, ThingKept> {
  return { value: { id, ...members }, kept };
}

/** Stores an order of this id, placed by Anna. */
export function put(store: Store, id: string, note = ""): Promise<unknown> {
  return store.write(orders, id, () => thing(id, { note }, { placedBy: "anna" }));
}

/** The ids of a store's orders, in their order. */
export function orderIds(store: Store): string[] {
  return Array.from(store.rows(orders), ({ id }) => id);
}

export const toppings: ThingKind = thingKind("toppings");
export const orders: ThingKind = thingKind("orders");
