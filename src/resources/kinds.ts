/** The table of all kinds of resource. */

import type { Kind } from "./kind.ts";
import type { StoredKind } from "../store/stored-kind.ts";
import { beverages } from "./beverage.ts";
import { locks } from "./device-lock.ts";
import { orders } from "./order.ts";
import { pizzaSizes } from "./pizza-size.ts";
import { shop } from "./shop.ts";
import { toppings } from "./topping.ts";

/** The menu: orders refer to it. */
export const menuKinds: readonly Kind[] = [toppings, pizzaSizes, beverages];

/** The kinds with a list. */
export const listedKinds: readonly Kind[] = [...menuKinds, orders];

/** The kinds in the API, in the order of the store's file. */
export const allKinds: readonly Kind[] = [shop, ...listedKinds];

/** The kinds in the store. */
export const storedKinds: readonly StoredKind[] = [...allKinds, locks];

const byName: ReadonlyMap<string, Kind> = new Map(allKinds.map((kind) => [kind.name, kind]));

/** The kind with this name. Throws Error if there is none. */
export function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}
