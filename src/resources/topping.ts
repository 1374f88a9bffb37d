/** Toppings: what goes on a pizza. */

import { isFlag, isId, isName } from "./check.ts";
import { type MenuKind, menuKind } from "./menu-kind.ts";

export interface Topping {
  readonly id: string;
  readonly name: string;
  readonly isVegetarian: boolean;
  readonly isVegan: boolean;
}

export const toppings: MenuKind<Topping> = menuKind<Topping>("toppings", "topping", {
  id: isId,
  name: isName,
  isVegetarian: isFlag,
  isVegan: isFlag,
});
