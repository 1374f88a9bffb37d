import { beverageShape, isBeverage } from "../validation/beverage.ts";
import type { Kind } from "./kind.ts";
import { menuKind } from "./menu-kind.ts";

export const beverages: Kind = menuKind({
  name: "beverages",
  label: "beverage",
  schemaName: "Beverage",
  shape: beverageShape,
  isValid: isBeverage,
});
