/** The resources as the service answers them (contract part 2). No server code comes along. */

import type { Beverage } from "../../resources/beverage.ts";
import type { OrderStatus } from "../../resources/order.ts";
import type { PizzaSize } from "../../resources/pizza-size.ts";
import type { ShownShop, SoldOut } from "../../resources/shop.ts";
import type { Topping } from "../../resources/topping.ts";

export type { Beverage, PizzaSize, Topping };
export type Shop = ShownShop;
export type MenuKind = keyof SoldOut;
export type Status = OrderStatus;

/** An item of an order, with the name that it had when it was ordered. */
export interface Reference {
  readonly id: string;
  readonly name: string;
}

export interface Order {
  readonly id: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly status: Status;
  /** For whom it is, or what to know. */
  readonly note?: string;
  readonly placedAt: string;
  readonly updatedAt: string;
  readonly statusSince: string;
}

export type Item = Pick<Reference, "id">;

/** An order as it is sent: the service adds the names and the times. */
export interface OrderContent extends Pick<Order, "id" | "status" | "note"> {
  readonly pizzaSize: Item;
  readonly toppings: readonly Item[];
  readonly beverages: readonly Item[];
}
