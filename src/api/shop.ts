/** GET, PUT and PATCH /api/shop: what the shop can do now, one document (contract part 3). */

import { patchType } from "../http/body.ts";
import { conditional, requireMatch, type Tagged, taggedJson, tagOf } from "../http/etag.ts";
import { type Answer, type HeaderList, noCache } from "../http/answer.ts";
import type { Request } from "../http/request.ts";
import type { Operation, Route, Tag } from "../http/route.ts";
import type { Schema } from "../resources/field.ts";
import { lookupIn } from "../resources/kind.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import { closedObject, lineMembers, partial } from "../resources/schemas.ts";
import { decideShop, parseShop, shopField, shopName, shopOf, shopText } from "../resources/shop.ts";
import type { Store } from "../store/store.ts";
import type { Entry } from "../store/table.ts";

/** The rows of the route table for the shop. */
export function shopRoutes(store: Store): readonly Route[] {
  const path = "/api/shop";
  const replaced = (_: unknown, body: unknown): unknown => body;
  return [
    {
      method: "GET",
      path,
      rule: "anyone",
      handle: (request) => get(request, store),
      operation: getOperation,
    },
    {
      method: "PUT",
      path,
      rule: "staff",
      handle: (request) => update(request, store, replaced),
      operation: putOperation,
    },
    {
      method: "PATCH",
      path,
      rule: "staff",
      handle: (request) => update(request, store, mergePatch),
      operation: patchOperation,
    },
  ];
}

/** GET /api/shop. */
function get({ headers }: Request, store: Store): Answer {
  const entry = requireEntry(store.table(shopName).get(shopName));
  return conditional(shopAnswer(entry, noCache), headers);
}

/**
 * PUT and PATCH /api/shop. Rejects with Problem 415, 413, 412 or 400.
 * `next`: what the shop should be, by what it is and the body.
 */
async function update(
  request: Request,
  store: Store,
  next: (shop: unknown, body: unknown) => unknown,
): Promise<Answer> {
  const { headers } = request;
  request.requireJson();
  requireMatch(requireEntry(store.table(shopName).get(shopName)), headers);
  const body = await request.json();
  const saved = await store.write(shopName, shopName, (stored) => {
    const entry = requireEntry(stored);
    // Checked again where it is written: another request may have won during the await.
    requireMatch(entry, headers);
    const shop = parseShop(next(shopOf(entry), body));
    return decideShop(shop, entry, lookupIn(store));
  });
  return shopAnswer(requireEntry(saved), [...noCache, "Accept-Patch", patchType]);
}

function requireEntry(entry: Entry | undefined): Entry {
  if (entry === undefined) throw new Error("the store has a shop from the start");
  return entry;
}

function shopAnswer(entry: Entry, headers: HeaderList): Tagged {
  return taggedJson(200, shopText(entry), tagOf(entry), headers);
}

const json = "application/json";
const tag: Tag = { name: "shop", description: "What the shop can do now." };

/** As it is answered, and sent whole. */
const shopSchema: Schema = {
  $component: "schemas/Shop",
  ...shopField.schema,
  description: "What the shop can do now.",
  examples: [
    {
      name: "Forno",
      isOpen: true,
      notice: "",
      soldOut: { toppings: [], pizzasizes: [], beverages: [] },
    },
  ],
};

/** As a backup holds it. */
export const storedShopSchema: Schema = {
  $component: "schemas/ShopStored",
  ...closedObject({ ...(shopField.schema["properties"] as object), ...lineMembers }),
  description: "What the shop can do now.",
};

const shopPatchSchema: Schema = {
  $component: "schemas/ShopPatch",
  ...partial(shopField.schema),
  description: "The fields of the shop that should change (RFC 7396).",
  examples: [{ isOpen: false, notice: "Back at 18:00" }],
};

const getOperation: Operation = {
  id: "getShop",
  tag,
  summary: "What the shop can do now",
  description: "Its name, whether it is open, a notice for customers, and what is sold out.",
  success: { description: "The shop.", headers: ["ETag"], content: { [json]: shopSchema } },
};

const updateParts = {
  tag,
  description:
    "While the shop is closed, customers cannot order, and never what is sold out. An update that " +
    "changes nothing writes nothing.",
  success: {
    description: "The shop, now on disk.",
    headers: ["ETag"],
    content: { [json]: shopSchema },
  },
  problems: ["precondition-failed"],
} as const;

const putOperation: Operation = {
  ...updateParts,
  id: "replaceShop",
  summary: "Replace the shop",
  body: { [json]: shopSchema },
};

const patchOperation: Operation = {
  ...updateParts,
  id: "updateShop",
  summary: "Open or close the shop, say what is sold out",
  body: { [patchType]: shopPatchSchema, [json]: shopPatchSchema },
};
