/** Pizza sizes. */

import { isAmountUpTo, isId, isName } from "./check.ts";
import { type MenuKind, menuKind } from "./menu-kind.ts";

export interface PizzaSize {
  readonly id: string;
  readonly name: string;
  readonly diameterInInches: number;
}

export const pizzaSizes: MenuKind<PizzaSize> = menuKind<PizzaSize>("pizzasizes", "pizza size", {
  id: isId,
  name: isName,
  diameterInInches: isAmountUpTo(1_000),
});
