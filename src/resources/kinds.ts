/** The list of all kinds. */

import type { StoredKind } from "../store/row.ts";
import { devices } from "./device.ts";
import { menuKinds } from "./menu.ts";
import { orders } from "./order.ts";
import { shops } from "./shop.ts";

/** The kinds in the store, in the order of its file. */
export const storedKinds: readonly StoredKind[] = [shops, ...menuKinds, orders, devices];
