import type { Beverage } from "../model.ts";
import { flagField, idField, nameField, sizeOptionsField } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

/** A beverage, as staff send it. */
export const isBeverage: Guard<Beverage> = guardOf({
  id: idField,
  name: nameField,
  isCarbonated: flagField,
  sizeOptions: sizeOptionsField,
});
