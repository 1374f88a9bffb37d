/** GET, PUT and PATCH /api/shop: what the shop can do now, one document (contract part 3). */

import { headLine, type HeadLines } from "../http/head.ts";
import { patchType } from "../http/json-body.ts";
import { jsonReply, noCache, type Reply } from "../http/reply.ts";
import type { Request, Route } from "../http/route.ts";
import { mergePatch } from "../pizzeria/merge-patch.ts";
import { decideShop, parseShop, shopName, shopOf, shopText } from "../pizzeria/shop.ts";
import type { Store } from "../store/store.ts";
import type { Entry } from "../store/table.ts";
import { conditional, requireMatch, type Tagged, tagOf } from "./conditional.ts";
import { parseItemQuery } from "./list-query.ts";

/** The rows of the route table for the shop. */
export function shopRoutes(store: Store): readonly Route[] {
  const path = "/api/shop";
  const replaced = (_: unknown, body: unknown): unknown => body;
  return [
    { method: "GET", path, rule: "anyone", handle: (request) => get(request, store) },
    { method: "PUT", path, rule: "staff", handle: (request) => update(request, store, replaced) },
    {
      method: "PATCH",
      path,
      rule: "staff",
      handle: (request) => update(request, store, mergePatch),
    },
  ];
}

/** GET /api/shop. Throws Problem 400. */
function get({ query, fields }: Request, store: Store): Reply {
  parseItemQuery(query, {});
  return conditional(shopReply(requireEntry(store.table(shopName).get(shopName)), noCache), fields);
}

/**
 * PUT and PATCH /api/shop. Rejects with Problem 415, 413, 412 or 400.
 * `next`: what the shop should be, by what it is and the body.
 */
async function update(
  request: Request,
  store: Store,
  next: (shop: unknown, body: unknown) => unknown,
): Promise<Reply> {
  const { fields } = request;
  request.requireJson();
  requireMatch(requireEntry(store.table(shopName).get(shopName)), fields);
  const body = await request.readJson();
  const saved = await store.write(shopName, shopName, (stored) => {
    const entry = requireEntry(stored);
    // Checked again where it is written: another request may have won during the await.
    requireMatch(entry, fields);
    const shop = parseShop(next(shopOf(entry), body));
    return decideShop(shop, entry, (kind, id) => store.accepted(kind, id));
  });
  return shopReply(requireEntry(saved), noCache + headLine("Accept-Patch", patchType));
}

function requireEntry(entry: Entry | undefined): Entry {
  if (entry === undefined) throw new Error("the store has a shop from the start");
  return entry;
}

function shopReply(entry: Entry, head: HeadLines): Tagged {
  return { ...jsonReply(200, shopText(entry), head), etag: tagOf(entry) };
}
