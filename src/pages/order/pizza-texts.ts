/** Pizzas in words: their names, and how they differ from the shop's. Pure values. */

import { type Menu, tally } from "../shared/menu.ts";
import { differences, shopPizza } from "../shared/orders.ts";
import type { Order, Reference } from "../shared/types.ts";
import { comma, t } from "../shared/words.ts";

/** What an order has, placed or not. */
export interface PizzaWords {
  readonly pizza?: string | undefined;
  readonly note?: string | undefined;
  readonly pizzaSize: Reference;
  readonly toppings: Order["toppings"];
}

/** "Large, 14.5 in", "Ready, 7:31 PM", or what there is of that. */
export function joined(name: string, note: string): string {
  return name === "" || note === "" ? name + note : t("{name}, {note}", { name, note });
}

/** "Margherita, Large", or only "Large". */
export function titleOf({ pizza = "", pizzaSize }: PizzaWords): string {
  return joined(pizza, pizzaSize.name);
}

/** "without Basil, + Rocket". "": as the shop makes it, or no pizza of the shop. */
export function differencesText(menu: Menu, order: PizzaWords): string {
  const recipe = shopPizza(order, menu.shop.pizzas);
  if (recipe === undefined) return "";
  const { without, added } = differences(order, recipe, menu.toppings);
  return [
    ...tally(without).map(({ text }) => t("without {name}", { name: text })),
    ...tally(added).map(({ text }) => t("+ {name}", { name: text })),
  ].join(comma);
}

/** A guest has chosen toppings, or has written a note. */
export function isByHand(menu: Menu, order: PizzaWords): boolean {
  const { pizza = "", note = "", toppings } = order;
  const isOwn = pizza === "" ? toppings.length > 0 : differencesText(menu, order) !== "";
  return note !== "" || isOwn;
}
