/** The resources as the service answers them (contract part 2). No server code comes along. */

import type { Device as AddedDevice } from "../../resources/device.ts";
import type { Beverage, PizzaSize, Topping } from "../../resources/menu.ts";
import type { Order } from "../../resources/order.ts";
import type { OrderStatus } from "../../resources/order-status.ts";
import type { Reference } from "../../resources/reference.ts";
import type { Pizza as ShopPizza, Shop, SoldOut } from "../../resources/shop.ts";

export type { AddedDevice, Beverage, Order, PizzaSize, Reference, Shop, ShopPizza, Topping };
export type MenuKind = keyof SoldOut;
export type Status = OrderStatus;

/** An event of the stream (contract part 6). */
export interface Change {
  /** "orders.updated". */
  readonly event: string;
  /** The resource, with names in orders; only the id of a deleted one. */
  readonly data: unknown;
}
