/** The routes of toppings, pizza sizes and beverages. */

import type { Route } from "../http/router.ts";
import { menuKinds } from "../resources/menu.ts";
import { collectionRoutes } from "./collection.ts";
import type { Context } from "./context.ts";

export function menuRoutes({ store }: Context): readonly Route[] {
  return menuKinds.flatMap((kind) => collectionRoutes(kind, store));
}
