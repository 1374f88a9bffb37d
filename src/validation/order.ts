import { type OrderContent, orderStatuses } from "../model.ts";
import { choiceField, idField, referenceField, referencesField, type Shape } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

export const orderShape: Shape<OrderContent> = {
  id: idField,
  pizzaSize: referenceField("pizza size"),
  toppings: referencesField("topping"),
  beverages: referencesField("beverage"),
  status: choiceField(orderStatuses),
};

export const isOrder: Guard<OrderContent> = guardOf(orderShape, ["placedAt", "updatedAt"]);
