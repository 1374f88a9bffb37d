import type { Topping } from "../model.ts";
import { flagField, idField, nameField } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

/** A topping, as staff send it. */
export const isTopping: Guard<Topping> = guardOf({
  id: idField,
  name: nameField,
  isVegetarian: flagField,
  isVegan: flagField,
});
