import { type OrderContent, orderStatuses } from "../model.ts";
import type { Faults } from "./faults.ts";
import { choiceField, idField, referenceField, referencesField, type Shape } from "./fields.ts";
import { hasShape, type ShapeOptions } from "./shape.ts";

export const orderShape: Shape<OrderContent> = {
  id: idField,
  pizzaSize: referenceField("pizza size"),
  toppings: referencesField("topping"),
  beverages: referencesField("beverage"),
  status: choiceField(orderStatuses),
};

export function isOrder(
  value: unknown,
  faults: Faults,
  options: ShapeOptions = {},
): value is OrderContent {
  return hasShape(value, orderShape, faults, { ...options, ignored: ["placedAt", "updatedAt"] });
}
