/** The handlers of the shop. There is only one shop, so it has neither a list nor an id. */

import { isDeepStrictEqual } from "node:util";
import { conditional } from "../http/etag.ts";
import type { Route } from "../http/router.ts";
import {
  isShop,
  requireSoundPizzas,
  type Shop,
  type ShopBody,
  shopId,
  shopKept,
  shopOf,
  shopRow,
  shops,
} from "../resources/shop.ts";
import { resourceResponse } from "./resource.ts";
import type { Services } from "./services.ts";
import { updateRoutes, type Writable } from "./writes.ts";

const shop: Writable<Shop, undefined, ShopBody> = {
  kind: shops,
  isBody: isShop,
  defaults: {},
  kept: shopKept,
  isSame: (body, stored) => isDeepStrictEqual(shopOf(body), stored),
  decide(body, { stored }) {
    const value = shopOf(body);
    requireSoundPizzas(value.pizzas, stored?.value.pizzas ?? []);
    return { value, kept: undefined };
  },
};

export function shopRoutes({ store }: Services): readonly Route[] {
  const path = "/api/shop";
  return [
    {
      method: "GET",
      path,
      rule: "anyone",
      handle: ({ headers }) => conditional(resourceResponse(200, shopRow(store)), headers),
    },
    ...updateRoutes(shop, path, store, () => shopId),
  ];
}
