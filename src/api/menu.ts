/** The routes of toppings, pizza sizes and beverages. */

import type { Route } from "../http/router.ts";
import { menuKinds } from "../resources/menu.ts";
import { collectionRoutes } from "./collection.ts";
import type { Services } from "./services.ts";

export function menuRoutes({ store }: Services): readonly Route[] {
  return menuKinds.flatMap((kind) => collectionRoutes(kind, store));
}
