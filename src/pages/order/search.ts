/** The part of the menu that the search and the filters leave. Pure values. */

import { isComplete, itemsInOrder, type MenuItem, suits, toppingsOf } from "../shared/menu.ts";
import type { ShopPizza } from "../shared/types.ts";
import { normalize } from "../shared/words.ts";
import type { ExtraKind } from "./basket.ts";
import type { State } from "./state.ts";

export function itemsFound({ menu, search, diet }: State, kind: ExtraKind): readonly MenuItem[] {
  const items: readonly MenuItem[] = itemsInOrder(menu, kind);
  return items.filter((item) =>
    isFoundBy(search, textOf(item)) && (diet === "" || suits(item, diet)));
}

/** The shop's pizzas by their name, or by what is on them. One that lacks a topping is not sold. */
export function pizzasFound({ menu, search, diet }: State): readonly ShopPizza[] {
  return menu.shop.pizzas.filter((pizza) => {
    const toppings = toppingsOf(menu, pizza);
    const text = [pizza.name, ...toppings.map(textOf)].join(" ");
    return isComplete(menu, pizza) && isFoundBy(search, text)
      && (diet === "" || toppings.every((topping) => suits(topping, diet)));
  });
}

/** Whether the text holds each word of the search. */
function isFoundBy(search: string, text: string): boolean {
  return normalize(search).split(/\s+/).every((word) => normalize(text).includes(word));
}

function textOf({ name, description = "" }: MenuItem): string {
  return `${name} ${description}`;
}

export function foundCount(state: State): number {
  return pizzasFound(state).length + itemsFound(state, "toppings").length
    + itemsFound(state, "beverages").length;
}

/** A guest may take the items found for all that there are. */
export function isNarrowed({ search, diet }: State): boolean {
  return search.trim() !== "" || diet !== "";
}
