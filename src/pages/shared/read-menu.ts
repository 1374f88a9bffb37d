/** Reads the menu and the shop. */

import { read } from "./api.ts";
import type { Menu } from "./menu.ts";
import type { Beverage, PizzaSize, Shop, Topping } from "./types.ts";

export async function readMenu(): Promise<Menu> {
  const [shop, pizzasizes, toppings, beverages] = await Promise.all([
    read<Shop>("api/shop"), read<PizzaSize[]>("api/pizzasizes"), read<Topping[]>("api/toppings"),
    read<Beverage[]>("api/beverages"),
  ]);
  return {
    shop: shop.data, pizzasizes: pizzasizes.data, toppings: toppings.data,
    beverages: beverages.data,
  };
}
