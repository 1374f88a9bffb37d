/** The obstacles to an order, and what its button does at each. Pure values. */

import { isSoldOut, itemName } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { type BasketRow, itemsIn } from "./basket.ts";
import { isStaff, type State, tableOf } from "./state.ts";

/** Staff know better than the list of what is sold out. */
export function canOrder(state: State, kind: MenuKind, id: string): boolean {
  return isStaff(state) || !isSoldOut(state.menu, kind, id);
}

/** The names of those toppings that are sold out, and keep a pizza from being ordered. */
export function soldOutToppings(state: State, toppings: readonly string[]): readonly string[] {
  return [...new Set(toppings)].filter((id) => !canOrder(state, "toppings", id))
    .map((id) => itemName(state.menu, "toppings", id));
}

/** The names of all that is sold out in a row, its size, too. */
export function soldOutOfRow(state: State, { size, toppings }: BasketRow): readonly string[] {
  const names = soldOutToppings(state, toppings);
  const isSizeOut = size !== "" && !canOrder(state, "pizzasizes", size);
  return isSizeOut ? [itemName(state.menu, "pizzasizes", size), ...names] : names;
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

export function isSizeMissing(state: State, { size }: BasketRow): boolean {
  return size === "" || !canOrder(state, "pizzasizes", size);
}

/** Nobody is signed in whom the shop accepts, and it takes nobody's order without. */
export function needsLink({ isLoaded, guestOrders, claims, refused }: State): boolean {
  const isNobody = claims === undefined || refused !== undefined && !isStaff({ claims });
  return isLoaded && !guestOrders && isNobody;
}

/** Staff wait until the shop accepts their sign-in. Guests get another one. */
export function mustWait(state: State): boolean {
  return state.refused !== undefined && isStaff(state);
}

/** The action of the order's button, and above it the reason why it does not order yet. */
export interface PlaceButton {
  readonly act: "place" | "choose" | "pick a size" | "show sold out" | "show link" | "nothing";
  readonly text: string;
  readonly reason: string;
}

export function placeButton(state: State): PlaceButton {
  const { basket: { rows, beverages }, menu } = state;
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
  if (rows.length === 0) {
    const reason = beverages.length > 0 ? t("An order needs a pizza.") : "";
    return { act: "choose", text: t("Choose a pizza"), reason };
  }
  if (rows.some((row) => isSizeMissing(state, row))) {
    return { act: "pick a size", text: t("Pick a size"), reason: "" };
  }
  return { act: "place", text: t("Place order"), reason: "" };
}

/** Staff order for somebody else: the kitchen has to know for whom. */
export function isNameMissing(state: State): boolean {
  const { basket, isNameAsked } = state;
  return isStaff(state) && !isNameAsked && `${basket.name}${tableOf(state)}`.trim() === "";
}
