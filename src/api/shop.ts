/** The handlers of the shop. There is one, so it has neither a list nor an id. */

import { isDeepStrictEqual } from "node:util";
import { conditional, requireMatch } from "../http/etag.ts";
import type { Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/route.ts";
import { parse } from "../resources/check.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import { isShop, type Shop, shopId, shopInOrder, shops } from "../resources/shop.ts";
import type { Row } from "../store/rows.ts";
import { replaced, resourceResponse, tagOf, updated, type WholeOf } from "./resource.ts";
import type { Services } from "./services.ts";

export function shopRoutes({ store }: Services): readonly Route[] {
  function requireShop(row: Row<Shop, undefined> | undefined): Row<Shop, undefined> {
    if (row === undefined) throw new Error("the store has a shop from the start");
    return row;
  }

  function get({ headers }: Request): Response {
    const row = requireShop(store.get(shops, shopId));
    return conditional(resourceResponse(200, row), headers);
  }

  /** Rejects with Problem 415, 413, 412 or 400. */
  async function update(request: Request, wholeOf: WholeOf): Promise<Response> {
    const { headers } = request;
    const durable = requireShop(store.get(shops, shopId));
    request.requireJson();
    requireMatch(() => tagOf(durable), headers);
    const body = await request.json();
    const accepted = store.accepted.get(shops, shopId) ?? durable;
    const shop = shopInOrder(parse(isShop, wholeOf(accepted.value, body)));
    const row = await store.write(shops, shopId, (stored) => {
      const found = requireShop(stored);
      requireMatch(() => tagOf(found), headers);
      return isDeepStrictEqual(shop, found.value) ? found : { value: shop, kept: undefined };
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
