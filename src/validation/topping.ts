import type { Topping } from "../model.ts";
import { flagField, idField, nameField, type Shape } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

export const toppingShape: Shape<Topping> = {
  id: idField,
  name: nameField,
  isVegetarian: flagField,
  isVegan: flagField,
};

export const isTopping: Guard<Topping> = guardOf(toppingShape);
