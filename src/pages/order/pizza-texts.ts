/** Pizzas in words: their names, sizes, and how they differ from the shop's. Pure values. */

import { itemOf, type Menu, nameOf, notesOn, tally } from "../shared/menu.ts";
import { differences, shopPizza } from "../shared/orders.ts";
import type { Order, Reference } from "../shared/types.ts";
import { comma, t } from "../shared/words.ts";
import type { Pizza } from "./basket.ts";

/** "Large, 14.5 in", or what there is of that. */
export function joined(name: string, note: string): string {
  return name === "" || note === "" ? name + note : t("{name}, {note}", { name, note });
}

export function sizeName(menu: Menu, { size }: Pick<Pizza, "size">): string {
  return itemOf(menu, "pizzasizes", size)?.name ?? t("No size yet");
}

/** "Large, 14.5 in". */
export function sizeText(menu: Menu, pizza: Pick<Pizza, "size">): string {
  const size = itemOf(menu, "pizzasizes", pizza.size);
  return joined(sizeName(menu, pizza), size === undefined ? "" : notesOn(size));
}

/** "Margherita, Large", or only "Large". */
export function titleOfPizza(menu: Menu, pizza: Pick<Pizza, "name" | "size">): string {
  return joined(pizza.name, sizeName(menu, pizza));
}

/** The same for an order: its size has the name that it had when it was placed. */
export function titleOf({ pizza = "", pizzaSize }: Pick<Order, "pizza" | "pizzaSize">): string {
  return joined(pizza, pizzaSize.name);
}

export function toppingsOn(menu: Menu, { toppings }: Pizza): readonly Reference[] {
  return toppings.map((id) => ({ id, name: nameOf(menu, "toppings", id) }));
}

/** "without Basil, + Rocket". "": as the shop makes it, or no pizza of the shop. */
export function differencesText(
  menu: Menu, order: Pick<Order, "pizza" | "toppings">,
): string {
  const recipe = shopPizza(order, menu.shop.pizzas);
  if (recipe === undefined) return "";
  const { without, added } = differences(order, recipe, menu.toppings);
  return [
    ...tally(without).map(({ text }) => t("without {name}", { name: text })),
    ...tally(added).map(({ text }) => t("+ {name}", { name: text })),
  ].join(comma);
}

/** A guest has chosen toppings, or has written a note. */
export function isByHand(menu: Menu, pizza: Pizza): boolean {
  const toppings = toppingsOn(menu, pizza);
  return pizza.note !== "" || toppings.length > 0
    && (pizza.name === "" || differencesText(menu, { pizza: pizza.name, toppings }) !== "");
}
