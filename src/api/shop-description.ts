/** The OpenAPI operations of the shop. crud.ts carries them out. */

import { patchType } from "../http/body.ts";
import type { Operation, Tag } from "../http/route.ts";
import { shop } from "../resources/shop.ts";
import { responseSchema, patchSchema } from "./schemas.ts";

const json = "application/json";
const tag: Tag = { name: shop.name, description: shop.description };
/** The schema of the response and of the body of a PUT. */
const shopSchema = responseSchema(shop);
const shopPatchSchema = patchSchema(shop);

const get: Operation = {
  id: "getShop",
  tag,
  summary: "What the shop can do now",
  description: "Its name, whether it is open, a notice for customers, and what is sold out.",
  success: { description: "The shop.", headers: ["ETag"], content: { [json]: shopSchema } },
};

const updateParts = {
  tag,
  description:
    "Customers cannot order while the shop is closed, and never an item that is sold out. An " +
    "update that changes nothing writes nothing.",
  success: {
    description: "The shop, now on disk.",
    headers: ["ETag"],
    content: { [json]: shopSchema },
  },
  problems: ["precondition-failed"],
} as const;

const replace: Operation = {
  ...updateParts,
  id: "replaceShop",
  summary: "Replace the shop",
  body: { [json]: shopSchema },
};

const patch: Operation = {
  ...updateParts,
  id: "updateShop",
  summary: "Open or close the shop, say what is sold out",
  body: { [patchType]: shopPatchSchema, [json]: shopPatchSchema },
};

/** An operation for each handler in crud.ts. */
export const shopOperations: Readonly<Record<"get" | "replace" | "patch", Operation>> = {
  get,
  replace,
  patch,
};
