/** The server's own types, as far as the pages read them. Types alone: no server code comes along. */

import type { Order as StoredOrder, OrderStatus } from "../../resources/order.ts";

export type Status = OrderStatus;

/** `name` is there in answers to `?embed=names`: what the item was called when it was ordered. */
export interface Reference {
  readonly id: string;
  readonly name?: string;
}

export interface Order extends StoredOrder {
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
}

export type OrderContent = Omit<Order, "placedAt" | "updatedAt">;

export interface Topping {
  readonly id: string;
  readonly name: string;
  readonly isVegetarian: boolean;
  readonly isVegan: boolean;
}

export interface PizzaSize {
  readonly id: string;
  readonly name: string;
  readonly diameterInInches: number;
}

export interface Beverage {
  readonly id: string;
  readonly name: string;
  readonly isCarbonated: boolean;
  readonly sizeOptions: readonly string[];
}

export interface Shop {
  readonly name: string;
  readonly isOpen: boolean;
  /** "": none. */
  readonly notice: string;
  /** Ids of items. */
  readonly soldOut: Readonly<Record<MenuKind, readonly string[]>>;
}

export type MenuKind = "toppings" | "pizzasizes" | "beverages";
