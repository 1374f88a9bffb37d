import type { PizzaSize } from "../model.ts";
import { diameterField, idField, nameField } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

export const isPizzaSize: Guard<PizzaSize> = guardOf({
  id: idField,
  name: nameField,
  diameterInInches: diameterField,
});
