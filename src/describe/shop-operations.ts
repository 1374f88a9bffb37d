/** GET, PUT and PATCH of the shop, described. */

import { patchType } from "../http/json-body.ts";
import { Problem } from "../problems/problem.ts";
import { idField, isObject, nameField, type Schema } from "../pizzeria/fields.ts";
import { isShop } from "../pizzeria/shop.ts";
import { closedObject } from "./answer-schemas.ts";
import { type Components, mapValues, type Ref } from "./components.ts";
import { type OperationRow, type OperationRows, readAnswers } from "./operation.ts";
import { describeParameters } from "./parameters.ts";
import { invalidShopQuery, invalidShop, tooLarge, unmatchedShop } from "./problem-examples.ts";
import { commonRefusal } from "./problems.ts";

export interface ShopContext {
  readonly components: Components;
  readonly bodyLimit: number;
}

const json = "application/json";
const tag = "shop";

/** A shop with all that there is at the start, for examples. */
export const openShop: Readonly<Record<string, unknown>> = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
};
export const closing: Readonly<Record<string, unknown>> = {
  isOpen: false,
  notice: "Back at 18:00",
};

export function shopOperations({ components, bodyLimit }: ShopContext): OperationRows {
  const content = (shop: object): Readonly<Record<string, object>> => ({
    [json]: { schema: shopSchema(components), examples: { shop: { value: shop } } },
  });
  const update = (form: "PUT" | "PATCH"): Omit<OperationRow, "id" | "summary" | "body"> => ({
    tag,
    description:
      "While it is closed, customers' creates of orders are refused, and so are those of what is " +
      "sold out. What is deleted from the menu leaves `soldOut`. An update that changes nothing " +
      "writes nothing.",
    parameters: describeParameters(components, ["IfMatch", "UnlessMatch"]),
    answers: {
      200: {
        description: "The shop, which is on disk.",
        headers: ["Cache-Control", "Accept-Patch", "ETag"],
        content: content(form === "PUT" ? openShop : { ...openShop, ...closing }),
      },
    },
    refusals: [
      { scope: "ShopUpdate", problem: invalidShop() },
      commonRefusal("invalid-json"),
      { scope: "", problem: tooLarge(bodyLimit) },
      commonRefusal("unsupported-media-type"),
      { scope: "Shop", problem: unmatchedShop() },
      commonRefusal("storage-unavailable"),
    ],
  });
  return {
    "GET /api/shop": () => ({
      id: "getShop",
      tag,
      summary: "What the shop can do now",
      description: "Its name, whether it is open, a notice for customers, and what is sold out.",
      parameters: describeParameters(components, ["IfNoneMatch"]),
      answers: readAnswers("The shop.", {
        headers: ["Cache-Control", "ETag"],
        content: content(openShop),
      }),
      refusals: [{ scope: "ShopItem", problem: invalidShopQuery() }],
    }),
    "PUT /api/shop": () => ({
      ...update("PUT"),
      id: "replaceShop",
      summary: "Replace the shop's document",
      body: {
        description: "The shop as it should be.",
        content: {
          [json]: { schema: shopSchema(components), examples: { sent: { value: openShop } } },
        },
      },
    }),
    "PATCH /api/shop": () => ({
      ...update("PATCH"),
      id: "updateShop",
      summary: "Open or close the shop, say what is sold out",
      body: {
        description: "A JSON merge patch (RFC 7396): what it leaves out stays.",
        content: Object.fromEntries(
          [patchType, json].map((type) => [
            type,
            { schema: shopPatchSchema(components), examples: { sent: { value: closing } } },
          ]),
        ),
      },
    }),
  };
}

/** As it is answered, sent whole, and stored. */
export function shopSchema(components: Components): Ref {
  return components.refer("schemas", "Shop", () => ({
    ...closedObject(published(components)),
    description: "What the shop can do now.",
  }));
}

function shopPatchSchema(components: Components): Ref {
  return components.refer("schemas", "ShopPatch", () => {
    const { soldOut, ...others } = published(components);
    const { required: _merged, ...partly } = soldOut ?? {};
    return {
      type: "object",
      properties: { ...others, soldOut: partly },
      additionalProperties: false,
      description: "What of the shop should change (RFC 7396).",
    };
  });
}

/** With references to the schemas that have names of their own. */
function published(components: Components): Readonly<Record<string, Schema>> {
  const names = new Map<unknown, string>([[idField.schema, "Id"], [nameField.schema, "Name"]]);
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (!isObject(value)) return value;
    const name = names.get(value);
    if (name !== undefined) return components.refer("schemas", name, () => value);
    return mapValues(value, visit);
  };
  // An object stays one.
  return mapValues(isShop.shape, ({ schema }) => visit(schema) as Schema);
}

/** What customers' creates may be answered. */
export function notNow(): readonly Problem[] {
  const pointer = "#/toppings/0/id";
  const detail = "expected a topping that is not sold out, got Mushrooms";
  return [
    new Problem("shop-closed", "the shop is closed: Back at 18:00"),
    new Problem("sold-out", "sold out: Mushrooms; order without", {
      errors: [{ pointer, detail }],
    }),
  ];
}
