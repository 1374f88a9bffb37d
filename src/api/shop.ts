/** The routes of the shop. There is only one shop, so it has neither a list nor an id. */

import type { Route } from "../http/router.ts";
import { shopId, shops } from "../resources/shop.ts";
import type { Services } from "./services.ts";
import { read } from "./resource.ts";
import { updateRoutes } from "./writes.ts";

export function shopRoutes({ store }: Services): readonly Route[] {
  const path = "/api/shop";
  return [
    {
      method: "GET",
      path,
      rule: "anyone",
      handle: (request) => read(shops, shopId, request, store),
    },
    ...updateRoutes(shops, path, store, () => shopId),
  ];
}
