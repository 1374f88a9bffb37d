/**
 * What is on the menu: toppings, pizza sizes and beverages, each its fields and its names. What was
 * sent is what is stored, in the order of the shape.
 */

import {
  diameterField,
  flagField,
  idField,
  nameField,
  type Shape,
  sizeOptionsField,
} from "./fields.ts";
import type { Kind } from "./kind.ts";
import { objectField, parseBody } from "./shape.ts";

/** What goes on a pizza. */
export const toppings: Kind = menuKind({
  name: "toppings",
  label: "topping",
  schemaName: "Topping",
  description: "What goes on a pizza.",
  shape: { id: idField, name: nameField, isVegetarian: flagField, isVegan: flagField },
  examples: {
    create: { id: "tartufo", name: "Truffle", isVegetarian: true, isVegan: true },
    patch: { name: "White truffle" },
  },
});

/** How large a pizza is. */
export const pizzaSizes: Kind = menuKind({
  name: "pizzasizes",
  label: "pizza size",
  schemaName: "PizzaSize",
  description: "How large a pizza is.",
  shape: { id: idField, name: nameField, diameterInInches: diameterField },
  examples: {
    create: { id: "mini", name: "Mini", diameterInInches: 6.5 },
    patch: { diameterInInches: 7 },
  },
});

/** Drinks. */
export const beverages: Kind = menuKind({
  name: "beverages",
  label: "beverage",
  schemaName: "Beverage",
  description: "What there is to drink.",
  shape: {
    id: idField,
    name: nameField,
    isCarbonated: flagField,
    sizeOptions: sizeOptionsField,
  },
  examples: {
    create: { id: "gassosa", name: "Gassosa", isCarbonated: true, sizeOptions: ["0.2 l", "1 l"] },
    patch: { sizeOptions: ["0.33 l"] },
  },
});

/** What a kind of the menu says of itself; the rest is the same for all. */
interface MenuKind<T>
  extends Pick<Kind, "name" | "label" | "schemaName" | "description" | "examples"> {
  readonly shape: Shape<T>;
}

/** Makes a kind of the menu. A resource is stored as its fields, in the order of the shape. */
function menuKind<T extends { readonly id: string }>(menu: MenuKind<T>): Kind {
  // The server chooses an id where a client does not.
  const optional = ["id"] as const;
  const sent = objectField<T, "id">(menu.shape, { optional });
  const fields = Object.keys(menu.shape);
  return {
    ...menu,
    optional: { create: optional, update: optional },
    times: [],
    parse(body, { pathId }) {
      const content = parseBody(sent, body, pathId);
      const json = (id: string): string => JSON.stringify({ ...content, id }, fields);
      return {
        id: content.id ?? undefined,
        isSameAs: (stored) => stored.body === json(stored.id),
        decide(id, stored) {
          const next = json(id);
          return stored?.body === next ? "keep" : { body: next, kept: "" };
        },
      };
    },
  };
}
