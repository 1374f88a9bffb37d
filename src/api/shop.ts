/** The handlers of the shop. There is only one shop, so it has neither a list nor an id. */

import { isDeepStrictEqual } from "node:util";
import { conditional, requireMatch } from "../http/etag.ts";
import type { Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { parse } from "../resources/check.ts";
import { isShop, shopId, shopOf, shopRow, shops } from "../resources/shop.ts";
import {
  mergePatch,
  replaced,
  resourceResponse,
  tagOf,
  updated,
  type WholeOf,
} from "./resource.ts";
import type { Services } from "./services.ts";

export function shopRoutes({ store }: Services): readonly Route[] {
  function get({ headers }: Request): Response {
    return conditional(resourceResponse(200, shopRow(store)), headers);
  }

  /** Rejects with Problem 415, 413, 412 or 400. */
  async function update(request: Request, wholeOf: WholeOf): Promise<Response> {
    const { headers } = request;
    request.requireJson();
    requireMatch(() => tagOf(shopRow(store)), headers);
    const body = await request.json();
    // The row that the write decides on.
    const accepted = shopRow(store.accepted);
    const shop = shopOf(parse(isShop, wholeOf(accepted.value, body, ["pizzas"])));
    const row = await store.write(shops, shopId, () => {
      requireMatch(() => tagOf(accepted), headers);
      return isDeepStrictEqual(shop, accepted.value) ? accepted : { value: shop, kept: undefined };
    });
    return updated(row);
  }

  const path = "/api/shop";
  return [
    { method: "GET", path, rule: "anyone", handle: get },
    { method: "PUT", path, rule: "staff", handle: (request) => update(request, replaced) },
    { method: "PATCH", path, rule: "staff", handle: (request) => update(request, mergePatch) },
  ];
}
