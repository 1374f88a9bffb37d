/** The kinds of resource that Forno serves: a new one is one more row here. */

import type { OrderReads } from "../auth/access.ts";
import type { Kind } from "./kind.ts";
import { beverages, pizzaSizes, toppings } from "./menu.ts";
import { orders, ordersByPlacer } from "./order.ts";
import { shopName, shopText, storedShop } from "./shop.ts";
import type { StoredKind } from "../store/opening.ts";
import type { Entry } from "../store/table.ts";

/** What is on the menu: orders refer to it. */
export const menuKinds: readonly Kind[] = [toppings, pizzaSizes, beverages];

/** The kinds to serve. Under "own" orders are also indexed by who placed them. */
export function kindsFor(orderReads: OrderReads): readonly Kind[] {
  return [...menuKinds, orderReads === "own" ? ordersByPlacer : orders];
}

/** What the store holds: those kinds, and the shop. */
export function storedKindsFor(orderReads: OrderReads): readonly StoredKind[] {
  return [storedShop, ...kindsFor(orderReads)];
}

const withNamesOf = new Map(kindsFor("public").map((kind) => [kind.name, kind.withNames]));

/** A stored resource as reads show it, with or without the names in orders, as JSON. */
export function answerText(kind: string, entry: Entry, withNames = false): string {
  if (kind === shopName) return shopText(entry);
  return (withNames ? withNamesOf.get(kind)?.(entry) : undefined) ?? entry.body;
}
