import type { PizzaSize } from "../model.ts";
import type { Faults } from "./faults.ts";
import { diameterField, idField, nameField, type Shape } from "./fields.ts";
import { hasShape, type ShapeOptions } from "./shape.ts";

export const pizzaSizeShape: Shape<PizzaSize> = {
  id: idField,
  name: nameField,
  diameterInInches: diameterField,
};

export function isPizzaSize(
  value: unknown,
  faults: Faults,
  options?: ShapeOptions,
): value is PizzaSize {
  return hasShape(value, pizzaSizeShape, faults, options);
}
