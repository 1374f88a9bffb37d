/** A pizza in words: its name and size, and how it differs from the shop's recipe. Pure values. */

import { type CountedItem, type Menu, tally } from "./menu.ts";
import type { Order, Reference, ShopPizza } from "./types.ts";
import { joined } from "./words.ts";

/** The pizza of an order, placed or not. */
export interface OrderedPizza {
  readonly pizza?: string | undefined;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly note?: string | undefined;
}

/** "Margherita, Large". A pizza without a name is called by its size alone. */
export function pizzaTitle({ pizza = "", pizzaSize }: OrderedPizza): string {
  return joined(pizza, pizzaSize.name);
}

/** The pizza of the shop that has the name under which this one was ordered. */
export function shopPizzaOf(
  { pizza }: Pick<Order, "pizza">, pizzas: readonly ShopPizza[],
): ShopPizza | undefined {
  return pizzas.find(({ name }) => name === pizza);
}

/** Each topping as often as it is left out of a recipe, or added to it. */
interface Differences {
  readonly without: readonly Reference[];
  readonly added: readonly Reference[];
}

/** `menu`: the toppings of the shop. A topping that has left it has no name: it is left out. */
export function differences(
  { toppings }: Pick<Order, "toppings">,
  recipe: Pick<ShopPizza, "toppings">,
  menu: readonly Reference[],
): Differences {
  const left = [...recipe.toppings];
  const added = toppings.filter(({ id }) => {
    const index = left.indexOf(id);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return { without: left.flatMap((id) => menu.find((topping) => topping.id === id) ?? []), added };
}

/** Toppings that the recipe of that name has or has not. Undefined: the shop has no recipe. */
export function differencesFromShop(
  menu: Menu, order: OrderedPizza,
): Readonly<Record<"without" | "added", readonly CountedItem[]>> | undefined {
  const recipe = shopPizzaOf(order, menu.shop.pizzas);
  if (recipe === undefined) return undefined;
  const { without, added } = differences(order, recipe, menu.toppings);
  return { without: tally(without), added: tally(added) };
}

/** All that is told about a pizza. Each place prints these parts in its own way. */
export interface PizzaParts {
  /** The name under which it was ordered. "": none. */
  readonly name: string;
  readonly size: string;
  /** Left out of the shop's recipe of that name, and added to it. Undefined: no such recipe. */
  readonly differences: ReturnType<typeof differencesFromShop>;
  /** All that is on the pizza. */
  readonly toppings: readonly CountedItem[];
  readonly note: string;
}

export function pizzaParts(menu: Menu, order: OrderedPizza): PizzaParts {
  const { pizza = "", pizzaSize, toppings, note = "" } = order;
  return {
    name: pizza, size: pizzaSize.name, note, toppings: tally(toppings),
    differences: differencesFromShop(menu, order),
  };
}
