/** The obstacles to an order, and the step that its button takes at each. Pure values. */

import { isSoldOut, nameOf } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { isBegun, itemsIn, type Pizza } from "./basket.ts";
import type { BasketOrder } from "./basket-orders.ts";
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

/** The same with the size. */
export function soldOutIn(state: State, { pizzaSize, toppings }: BasketOrder): readonly string[] {
  const size = canOrder(state, "pizzasizes", pizzaSize.id) ? [] : [pizzaSize.name];
  return [...size, ...soldOutOn(state, toppings.map(({ id }) => id))];
}

export function needsLink({ isLoaded, guestOrders, claims }: State): boolean {
  return isLoaded && !guestOrders && claims === undefined;
}

/** A guest gets another sign-in with the next order. Others wait until the shop accepts theirs. */
export function mustWait(state: State): boolean {
  return state.refused !== undefined && (isStaff(state) || !state.guestOrders);
}

type Item = readonly [kind: MenuKind, id: string];

/** The chosen items that cannot be ordered. */
export function soldOutItems(state: State): readonly Item[] {
  return itemsIn(state.basket).filter(([kind, id]) => !canOrder(state, kind, id));
}

/** A pizza without a size could not be ordered either: it keeps its own. */
export function isRemovable([kind]: Item): boolean {
  return kind !== "pizzasizes";
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
    return { act: "nothing", text: t("Place order"), reason: t("Closed right now") };
  }
  if (soldOutItems(state).some(isRemovable)) {
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
