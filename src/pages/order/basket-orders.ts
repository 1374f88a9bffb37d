/** The pizzas of the basket as the orders that they become. Pure values. */

import { itemName, itemOf, type Menu } from "../shared/menu.ts";
import { differencesFromShop } from "../shared/pizza-text.ts";
import type { MenuKind, Reference } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { type BasketRow, type OrderBody, pizzaId } from "./basket.ts";
import { type State, tableOf } from "./state.ts";
import { textSent, visibleOrEmpty } from "./typed-text.ts";

/** The whole order as it is sent. The drinks go with the first pizza. */
export function ordersOf(state: State): readonly OrderBody[] {
  const { basket, menu } = state;
  const pizzas = basket.rows.flatMap((row) =>
    Array.from({ length: row.count }, () => orderOf(state, row)));
  return pizzas.map((order, index) => ({
    ...order, id: pizzaId(basket, index + 1),
    beverages: index > 0 ? [] : referencesTo(menu, "beverages", basket.beverages),
  }));
}

/** Each pizza of a row as an order without drinks. Its id depends on its place. */
export function orderOf(
  state: State, { pizza, size, toppings, note }: BasketRow,
): Omit<OrderBody, "id"> {
  const { basket: { group, name, wantedAt }, menu } = state;
  return {
    group, pizza, note: textSent(note), name: textSent(name),
    table: visibleOrEmpty(tableOf(state)), wantedAt: timeSent(wantedAt),
    pizzaSize: {
      id: size,
      // Behind the name of a pizza it is within a line.
      name: itemOf(menu, "pizzasizes", size)?.name
        ?? (pizza === "" ? t("No size yet") : t("no size yet")),
    },
    toppings: referencesTo(menu, "toppings", toppings), beverages: [], status: "Pending",
  };
}

function referencesTo(menu: Menu, kind: MenuKind, ids: readonly string[]): readonly Reference[] {
  return ids.map((id) => ({ id, name: itemName(menu, kind, id) }));
}

/** "" also for a time that is not typed to its end. */
function timeSent(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}

/** The pizza has toppings that were chosen by hand, or a note. */
export function isByHand(menu: Menu, order: Omit<OrderBody, "id">): boolean {
  const { pizza, note, toppings } = order;
  const { without = [], added = [] } = differencesFromShop(menu, order) ?? {};
  return note !== "" || (pizza === "" ? toppings : [...without, ...added]).length > 0;
}
