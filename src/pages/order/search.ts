/** The part of the menu that the search and the filters leave. Pure values. */

import { type MenuItem, namedPizzas, suits, toppingsOf } from "../shared/menu.ts";
import type { NamedPizza } from "../shared/types.ts";
import { isFoundBy } from "../shared/words.ts";
import type { ExtraKind } from "./basket.ts";
import type { State } from "./state.ts";

export function itemsFound({ menu, search, diet }: State, kind: ExtraKind): readonly MenuItem[] {
  const items: readonly MenuItem[] = menu[kind];
  return items.filter((item) =>
    isFoundBy(search, item.name) && (diet === "" || suits(item, diet)));
}

/** The shop's pizzas by their name, or by what is on them. */
export function pizzasFound({ menu, search, diet }: State): readonly NamedPizza[] {
  return namedPizzas(menu).filter((pizza) => {
    const toppings = toppingsOf(menu, pizza);
    const text = [pizza.name, ...toppings.map(({ name }) => name)].join(" ");
    return isFoundBy(search, text)
      && (diet === "" || toppings.every((topping) => suits(topping, diet)));
  });
}

export function foundCount(state: State): number {
  return pizzasFound(state).length + itemsFound(state, "toppings").length
    + itemsFound(state, "beverages").length;
}
