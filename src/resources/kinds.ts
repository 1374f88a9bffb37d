/** The kinds of resource. */

import type { StoredKind } from "../store/rows.ts";
import { beverages } from "./beverage.ts";
import { locks } from "./device-lock.ts";
import type { MenuKind } from "./menu-kind.ts";
import { orders } from "./order.ts";
import { pizzaSizes } from "./pizza-size.ts";
import { shops } from "./shop.ts";
import { toppings } from "./topping.ts";

/** The menu: orders refer to it. */
export const menuKinds: readonly MenuKind[] = [toppings, pizzaSizes, beverages];

/** The kinds in the store, in the order of its file. */
export const storedKinds: readonly StoredKind[] = [shops, ...menuKinds, orders, locks];
