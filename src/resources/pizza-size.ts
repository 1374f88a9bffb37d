/** Pizza sizes. */

import { amountField, bounds, idField, nameField } from "./field.ts";
import { type MenuKind, menuKind } from "./kind.ts";

export interface PizzaSize {
  readonly id: string;
  readonly name: string;
  readonly diameterInInches: number;
}

export const pizzaSizes: MenuKind<PizzaSize> = menuKind<PizzaSize>({
  name: "pizzasizes",
  label: "pizza size",
  schemaName: "PizzaSize",
  description: "How large a pizza is.",
  fields: {
    id: idField,
    name: nameField,
    diameterInInches: amountField(bounds.diameterInInches, "Inches."),
  },
  examples: {
    create: { id: "mini", name: "Mini", diameterInInches: 6.5 },
    patch: { diameterInInches: 7 },
  },
});
