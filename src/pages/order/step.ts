/** The obstacles to an order, and the step that its button takes at each. Pure values. */

import { isSoldOut, nameOf } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import { type ExtraKind, isBegun, itemsIn, type Pizza } from "./basket.ts";
import { type BasketOrder, rowsOf } from "./basket-orders.ts";
import { isStaff, type State, tableOf } from "./state.ts";

/** Staff know better than the list of what is sold out. */
export function canOrder(state: State, kind: MenuKind, id: string): boolean {
  return isStaff(state) || !isSoldOut(state.menu, kind, id);
}

/** The names of the toppings that keep a pizza from being ordered. */
export function soldOutOn(state: State, toppings: readonly string[]): readonly string[] {
  return [...new Set(toppings)].filter((id) => !canOrder(state, "toppings", id))
    .map((id) => nameOf(state.menu, "toppings", id));
}

export function needsLink({ isLoaded, guests, caller }: State): boolean {
  return isLoaded && !guests && caller === undefined;
}

/** A guest gets another sign-in with the next order. Others wait until the shop accepts theirs. */
export function mustWait(state: State): boolean {
  return state.refused !== undefined && (isStaff(state) || !state.guests);
}

/** The chosen toppings and drinks that cannot be ordered. */
export function soldOutExtras(state: State): readonly (readonly [ExtraKind, string])[] {
  return itemsIn(state.basket).flatMap(([kind, id]) =>
    kind === "pizzasizes" || canOrder(state, kind, id) ? [] : [[kind, id]]);
}

/** A line for each item that is sold out: "Mozzarella, on pizzas 1 and 2". */
export function soldOutLines(state: State): readonly string[] {
  const rows = rowsOf(state);
  const numbersOf = (isMeant: (order: BasketOrder) => boolean): readonly number[] =>
    rows.flatMap(({ order }, index) => isMeant(order) ? [index + 1] : []);
  const extraLine = ([kind, id]: readonly [ExtraKind, string]): string => {
    const name = nameOf(state.menu, kind, id);
    if (kind === "beverages" || rows.length === 1) return name;
    const numbers = numbersOf(({ toppings }) => toppings.some((topping) => topping.id === id));
    const [number = 0, ...others] = numbers;
    return others.length === 0 ? t("{name}, on pizza {number}", { name, number })
      : t("{name}, on pizzas {numbers}", { name, numbers: listed(numbers.map(String)) });
  };
  return [
    ...numbersOf(({ pizzaSize }) => !canOrder(state, "pizzasizes", pizzaSize.id))
      .map((number) => t("Pizza {number} needs another size", { number })),
    ...soldOutExtras(state).map(extraLine),
  ];
}

export function isSizeMissing(state: State, { size }: Pizza): boolean {
  return size === "" || !canOrder(state, "pizzasizes", size);
}

/** The action of the order's button, and above it the reason why it does not order yet. */
export interface Step {
  readonly act: "place" | "pick a size" | "show sold out" | "show link" | "nothing";
  readonly text: string;
  readonly reason: string;
}

export function nextStep(state: State): Step {
  const { basket: { pizzas }, menu } = state;
  const begun = pizzas.filter(isBegun);
  if (needsLink(state)) {
    return { act: "show link", text: t("Show me"), reason: t("A link is needed to order") };
  }
  if (mustWait(state)) {
    const reason = t("The shop doesn’t accept this sign-in now.");
    return { act: "nothing", text: t("Place order"), reason };
  }
  // Staff take orders while it is closed.
  if (!menu.shop.isOpen && !isStaff(state)) {
    const reason = t("The shop is closed and takes no orders right now.");
    return { act: "nothing", text: t("Place order"), reason };
  }
  if (soldOutExtras(state).length > 0) {
    return { act: "show sold out", text: t("Show me"), reason: "" };
  }
  if (begun.length === 0 || begun.some((pizza) => isSizeMissing(state, pizza))) {
    return { act: "pick a size", text: t("Pick a size"), reason: "" };
  }
  return { act: "place", text: t("Place order"), reason: "" };
}

/** Staff order for somebody else: the kitchen has to know for whom. */
export function isNameMissing(state: State): boolean {
  const { basket, isNameAsked } = state;
  return isStaff(state) && !isNameAsked && `${basket.name}${tableOf(state)}`.trim() === "";
}
