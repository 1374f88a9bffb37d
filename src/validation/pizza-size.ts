import type { PizzaSize } from "../model.ts";
import { diameterField, idField, nameField, type Shape } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

export const pizzaSizeShape: Shape<PizzaSize> = {
  id: idField,
  name: nameField,
  diameterInInches: diameterField,
};

export const isPizzaSize: Guard<PizzaSize> = guardOf(pizzaSizeShape);
