/** The resources as the service answers them (contract part 2). No server code comes along. */

import type { Beverage, PizzaSize, Topping } from "../../resources/menu.ts";
import type { Order as ServerOrder, OrderBody, OrderStatus, Reference } from "../../resources/order.ts";
import type { Shop as ServerShop, SoldOut } from "../../resources/shop.ts";

export type { Beverage, PizzaSize, Reference, Topping };

/** A pizza that the shop names: "Margherita", with the ids of its toppings. */
export interface NamedPizza {
  readonly name: string;
  readonly toppings: readonly string[];
}
export type Order = ServerOrder & { readonly table?: string; readonly group?: string };
export type Shop = ServerShop & { readonly pizzas?: readonly NamedPizza[] };
export type MenuKind = keyof SoldOut;
export type Status = OrderStatus;

export type Item = Pick<Reference, "id">;
/** An order as it is sent: the service adds the names and the times. */
export type OrderContent = OrderBody;
