/** The kinds of resource that Forno serves: a new one is one more row here. */

import type { OrderReads } from "../auth/access.ts";
import type { Kind } from "./kind.ts";
import { beverages, pizzaSizes, toppings } from "./menu.ts";
import { orders, ordersByPlacer } from "./orders.ts";

/** What orders refer to. */
export const menuKinds: readonly Kind[] = [toppings, pizzaSizes, beverages];

/** The kinds to serve. Under "own" orders are also indexed by who placed them. */
export function kindsFor(orderReads: OrderReads): readonly Kind[] {
  return [...menuKinds, orderReads === "own" ? ordersByPlacer : orders];
}
