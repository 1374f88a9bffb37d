import type { Topping } from "../model.ts";
import type { Faults } from "./faults.ts";
import { flagField, idField, nameField, type Shape } from "./fields.ts";
import { hasShape, type ShapeOptions } from "./shape.ts";

export const toppingShape: Shape<Topping> = {
  id: idField,
  name: nameField,
  isVegetarian: flagField,
  isVegan: flagField,
};

export function isTopping(value: unknown, faults: Faults, options?: ShapeOptions): value is Topping {
  return hasShape(value, toppingShape, faults, options);
}
