import { type OrderContent, orderStatuses, placingStatuses } from "../model.ts";
import { choiceField, idField, referenceField, referencesField } from "./fields.ts";
import { type Guard, guardOf } from "./shape.ts";

const serverFields = ["placedAt", "updatedAt"];

/** As staff may write it. */
export const isOrder: Guard<OrderContent> = guardOf(
  {
    id: idField,
    pizzaSize: referenceField("pizza size"),
    toppings: referencesField("topping"),
    beverages: referencesField("beverage"),
    status: choiceField(orderStatuses),
  },
  serverFields,
);

/** As customers may place it. */
export const isPlacedOrder: Guard<OrderContent> = guardOf(
  { ...isOrder.shape, status: choiceField(placingStatuses, " from a customer") },
  serverFields,
);
