/** A pizza in words: its name and size, and how it differs from the shop's recipe. Pure values. */

import { type Line, type Menu, tally } from "./menu.ts";
import { differences, shopPizzaOf } from "./orders.ts";
import type { Reference } from "./types.ts";
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

/** Toppings that the recipe of that name has or has not. Undefined: the shop has no recipe. */
export function differenceLines(
  menu: Menu, order: OrderedPizza,
): { readonly without: readonly Line[]; readonly added: readonly Line[] } | undefined {
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
  readonly differences: ReturnType<typeof differenceLines>;
  /** All that is on it. */
  readonly toppings: readonly Line[];
  readonly note: string;
}

export function pizzaParts(menu: Menu, order: OrderedPizza): PizzaParts {
  const { pizza = "", pizzaSize, toppings, note = "" } = order;
  return {
    name: pizza, size: pizzaSize.name, note, toppings: tally(toppings),
    differences: differenceLines(menu, order),
  };
}
