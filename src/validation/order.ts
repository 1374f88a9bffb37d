import { type OrderContent, orderStatuses } from "../model.ts";
import { choiceField, idField, referenceField, referencesField } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

export const isOrder: Guard<OrderContent> = guardOf(
  {
    id: idField,
    pizzaSize: referenceField("pizza size"),
    toppings: referencesField("topping"),
    beverages: referencesField("beverage"),
    status: choiceField(orderStatuses),
  },
  ["placedAt", "updatedAt"],
);
