/** Toppings: what goes on a pizza. */

import { flagField, idField, nameField } from "./field.ts";
import { type MenuKind, menuKind } from "./kind.ts";

export interface Topping {
  readonly id: string;
  readonly name: string;
  readonly isVegetarian: boolean;
  readonly isVegan: boolean;
}

export const toppings: MenuKind<Topping> = menuKind<Topping>({
  name: "toppings",
  label: "topping",
  schemaName: "Topping",
  description: "What goes on a pizza.",
  fields: {
    id: idField,
    name: nameField,
    isVegetarian: flagField,
    isVegan: flagField,
  },
  examples: {
    create: { id: "tartufo", name: "Truffle", isVegetarian: true, isVegan: true },
    patch: { name: "White truffle" },
  },
});
