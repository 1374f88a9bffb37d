/** The things that a guest can do with the whole order, named as they would say it. */

import { maxOrders } from "../../resources/limits.ts";
import { ask } from "../shared/dialogs.ts";
import { itemOf } from "../shared/menu.ts";
import type { WholeOrder } from "../shared/orders.ts";
import type { MenuKind, Reference } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import { isEmpty, isFrozen, merged, newRow } from "./basket.ts";
import {
  goTo, goToMissingSize, goToName, goToPizzas, goToSoldOut, openBasket, openRowInBasket,
} from "./navigation.ts";
import { canOrder, isNameMissing, type PlaceButton } from "./obstacles.ts";
import { ownOrderOf, seenOf, withOwnOrder } from "./own-orders.ts";
import { send } from "./placing.ts";
import { isSending } from "./state.ts";
import { set, setBasket, state } from "./store.ts";

export const placeActions: Readonly<Record<PlaceButton["act"], (() => void) | undefined>> = {
  place: () => void placeOrder(),
  choose: goToPizzas,
  "pick a size": goToMissingSize,
  "show sold out": goToSoldOut,
  "show link": () => { document.getElementById("access")?.focus(); },
  nothing: undefined,
};

async function placeOrder(): Promise<void> {
  const { basket } = state();
  if (isSending(state())) return;
  if (isNameMissing(state())) {
    goToName();
    return set({
      isNameAsked: true, message: t("For whom is it? Write a table or a name, or press again."),
    });
  }
  const bare = basket.rows.find(({ toppings }) => toppings.length === 0);
  if (bare !== undefined) {
    const size = itemOf(state().menu, "pizzasizes", bare.size)?.name ?? "";
    const isMeant = await ask(t("{name}: without any topping?", { name: bare.pizza || size }),
      t("Place order"), t("Change"));
    if (!isMeant) return openRowInBasket(bare.key);
  }
  await send();
}

/** Goes to the menu with the same order in the basket. */
export async function orderAgain(whole: WholeOrder): Promise<void> {
  const { basket } = state();
  const isReplaced = !isEmpty(basket) && !isFrozen(basket);
  if (isReplaced && !(await ask(t("Replace what you have chosen?"), t("Order again"),
    t("Keep it")))) return;
  // Another one may be under way by now.
  if (!isFrozen(state().basket)) fillBasket(whole);
  goTo();
  openBasket();
}

/** Fills the basket with what is still sold of an order, and says what is not. */
function fillBasket({ pizzas, drinks, count, name }: WholeOrder): void {
  const { basket, menu } = state();
  const missing = new Set<string>();
  const sold = (kind: MenuKind, items: readonly Reference[]): readonly string[] =>
    items.flatMap((item) => {
      if (itemOf(menu, kind, item.id) !== undefined && canOrder(state(), kind, item.id)) {
        return [item.id];
      }
      missing.add(item.name);
      return [];
    });
  const rows = pizzas.filter(({ status }) => count === 0 || status !== "Cancelled")
    .map(({ pizza = "", note = "", pizzaSize, toppings }) => newRow({
      pizza, note, size: sold("pizzasizes", [pizzaSize])[0] ?? "",
      toppings: sold("toppings", toppings),
    }));
  setBasket(merged({
    ...basket, rows: rows.slice(0, maxOrders), current: "",
    beverages: sold("beverages", drinks), name: name || basket.name,
  }));
  if (missing.size > 0) {
    set({ message: t("Not sold now, so left out: {names}", { names: listed([...missing]) }) });
  }
}

/** The guest has read what the kitchen did. */
export function noteSeen({ number, pizzas }: WholeOrder): void {
  const { ownOrders } = state();
  const ownOrder = ownOrderOf(ownOrders, number);
  if (ownOrder === undefined) return;
  const seen = ownOrder.seen.map((pizza) => {
    const order = pizzas.find(({ id }) => id === pizza.id);
    return order === undefined ? pizza : seenOf(order);
  });
  set({ ownOrders: withOwnOrder(ownOrders, { ...ownOrder, seen }) });
}
