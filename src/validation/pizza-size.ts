import type { PizzaSize } from "../model.ts";
import { diameterField, idField, nameField } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

/** A pizza size, as staff send it. */
export const isPizzaSize: Guard<PizzaSize> = guardOf({
  id: idField,
  name: nameField,
  diameterInInches: diameterField,
});
