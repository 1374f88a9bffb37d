/** A pizza in words: its name and size, and what differs from the shop's recipe. Pure values. */

import { type Line, type Menu, tally } from "../shared/menu.ts";
import { differences, shopPizza } from "../shared/orders.ts";
import type { Order } from "../shared/types.ts";
import { comma } from "../shared/words.ts";

export interface PizzaText {
  /** "Margherita, Large". A pizza without a name is called by its size alone. */
  readonly title: string;
  readonly toppings: readonly Line[];
  /** What the recipe of that name has or has not; undefined where the shop has none. */
  readonly differs: { readonly without: readonly Line[]; readonly added: readonly Line[] }
    | undefined;
}

type Pizza = Pick<Order, "pizza" | "pizzaSize" | "toppings">;

export function pizzaText(menu: Menu, order: Pizza): PizzaText {
  const recipe = shopPizza(order, menu.shop.pizzas);
  const { without, added } = recipe === undefined ? {}
    : differences(order, recipe, menu.toppings);
  return {
    title: titleOf(order),
    toppings: tally(order.toppings),
    differs: without && added && { without: tally(without), added: tally(added) },
  };
}

export function titleOf({ pizza, pizzaSize }: Pick<Order, "pizza" | "pizzaSize">): string {
  return pizza === undefined ? pizzaSize.name : pizza + comma + pizzaSize.name;
}

/** Which of those with the same title it is, from 1, and how many there are. */
export function whichOf(
  titles: readonly string[], index: number,
): { readonly number: number; readonly total: number } {
  const same = titles.flatMap((title, at) => title === titles[index] ? [at] : []);
  return { number: same.indexOf(index) + 1, total: same.length };
}
