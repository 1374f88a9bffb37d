import type { Beverage } from "../model.ts";
import type { Faults } from "./faults.ts";
import { flagField, idField, nameField, type Shape, sizeOptionsField } from "./fields.ts";
import { hasShape, type ShapeOptions } from "./shape.ts";

export const beverageShape: Shape<Beverage> = {
  id: idField,
  name: nameField,
  isCarbonated: flagField,
  sizeOptions: sizeOptionsField,
};

export function isBeverage(
  value: unknown,
  faults: Faults,
  options?: ShapeOptions,
): value is Beverage {
  return hasShape(value, beverageShape, faults, options);
}
