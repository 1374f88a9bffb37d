/** The resources as the service answers them (contract part 2). No server code comes along. */

import type { Device as AddedDevice } from "../../resources/device.ts";
import type { Beverage, PizzaSize, Topping } from "../../resources/menu.ts";
import type { Order as StoredOrder, Reference } from "../../resources/order.ts";
import type { OrderStatus } from "../../resources/order-status.ts";
import type { Pizza as ShopPizza, Shop, SoldOut } from "../../resources/shop.ts";

export type { AddedDevice, Beverage, PizzaSize, Reference, Shop, ShopPizza, Topping };
export interface Order extends StoredOrder {
  /** The time for which it is wanted, RFC 3339. */
  readonly wantedAt?: string | undefined;
}
export type MenuKind = keyof SoldOut;
export type Status = OrderStatus;
