/** Beverages: what there is to drink. */

import { bounds, flagField, idField, listField, nameField } from "./field.ts";
import { type MenuKind, menuKind } from "./kind.ts";

export interface Beverage {
  readonly id: string;
  readonly name: string;
  readonly isCarbonated: boolean;
  /** The sizes it comes in. */
  readonly sizeOptions: readonly string[];
}

export const beverages: MenuKind<Beverage> = menuKind<Beverage>({
  name: "beverages",
  label: "beverage",
  schemaName: "Beverage",
  description: "What there is to drink.",
  fields: {
    id: idField,
    name: nameField,
    isCarbonated: flagField,
    sizeOptions: listField(nameField, {
      items: "different strings",
      max: bounds.sizeOptions,
      isSet: true,
    }),
  },
  examples: {
    create: { id: "gassosa", name: "Gassosa", isCarbonated: true, sizeOptions: ["0.2 l", "1 l"] },
    patch: { sizeOptions: ["0.33 l"] },
  },
});
