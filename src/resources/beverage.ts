/** Beverages: what there is to drink. */

import { isFlag, isId, isName, setOf } from "./check.ts";
import { type MenuKind, menuKind } from "./menu-kind.ts";

export interface Beverage {
  readonly id: string;
  readonly name: string;
  readonly isCarbonated: boolean;
  /** The sizes it comes in. */
  readonly sizeOptions: readonly string[];
}

export const beverages: MenuKind<Beverage> = menuKind<Beverage>("beverages", "beverage", {
  id: isId,
  name: isName,
  isCarbonated: isFlag,
  sizeOptions: setOf(isName, "different strings", 50),
});
