import type { Beverage } from "../model.ts";
import { flagField, idField, nameField, type Shape, sizeOptionsField } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

export const beverageShape: Shape<Beverage> = {
  id: idField,
  name: nameField,
  isCarbonated: flagField,
  sizeOptions: sizeOptionsField,
};

export const isBeverage: Guard<Beverage> = guardOf(beverageShape);
