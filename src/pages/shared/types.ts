/** The server's own types, as far as the pages read them. No server code comes along. */

import type { Beverage } from "../../resources/beverage.ts";
import type { Order as PlainOrder, OrderStatus } from "../../resources/order.ts";
import type { PizzaSize } from "../../resources/pizza-size.ts";
import type { ShownShop, SoldOut } from "../../resources/shop.ts";
import type { Topping } from "../../resources/topping.ts";

export type { Beverage, PizzaSize, Topping };
export type Shop = ShownShop;
export type MenuKind = keyof SoldOut;
export type Status = OrderStatus;

/** `name` is there in answers to `?embed=names`: what the item was called when it was ordered. */
export interface Reference {
  readonly id: string;
  readonly name?: string;
}

export interface Order extends PlainOrder {
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly note?: string;
}

export type OrderContent = Omit<Order, "placedAt" | "updatedAt" | "statusSince">;
