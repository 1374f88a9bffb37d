/** The pizzas of the basket as the orders that they become. Pure values. */

import { itemOf, type Menu, nameOf } from "../shared/menu.ts";
import { equalPizzas } from "../shared/orders.ts";
import { differenceLines } from "../shared/pizza-text.ts";
import type { MenuKind, Reference, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { noteSent } from "./basket.ts";
import { type State, tableOf } from "./state.ts";
import { visibleOrEmpty } from "./typed-text.ts";

/** An order as it is sent. An empty text is none. */
export interface BasketOrder {
  readonly id: string;
  readonly group: string;
  readonly pizza: string;
  readonly note: string;
  readonly name: string;
  readonly table: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly status: Status;
}

/** In the order of sending. The drinks go with the first. */
export function ordersOf(state: State): readonly BasketOrder[] {
  const { basket: { group, pizzas, beverages, name }, menu } = state;
  const references = (kind: MenuKind, ids: readonly string[]): readonly Reference[] =>
    ids.map((id) => ({ id, name: nameOf(menu, kind, id) }));
  const [who, table] = [visibleOrEmpty(name).trim(), visibleOrEmpty(tableOf(state))];
  return pizzas.map((pizza, index) => ({
    id: pizza.id, group, pizza: pizza.name, note: noteSent(pizza.note), name: who, table,
    pizzaSize: {
      id: pizza.size,
      // Behind the name of a pizza it is within a line.
      name: itemOf(menu, "pizzasizes", pizza.size)?.name
        ?? (pizza.name === "" ? t("No size yet") : t("no size yet")),
    },
    toppings: references("toppings", pizza.toppings),
    beverages: index > 0 ? [] : references("beverages", beverages),
    status: "Pending",
  }));
}

export function isBegun({ pizzaSize, toppings }: BasketOrder): boolean {
  return pizzaSize.id !== "" || toppings.length > 0;
}

/** Its toppings were chosen by hand, or it has a note. */
export function isByHand(menu: Menu, order: BasketOrder): boolean {
  const { pizza, note, toppings } = order;
  const { without = [], added = [] } = differenceLines(menu, order) ?? {};
  return note !== "" || (pizza === "" ? toppings : [...without, ...added]).length > 0;
}

/** The pizza that the menu adds to. */
export function currentOrder(state: State): BasketOrder {
  const order = ordersOf(state)[state.basket.current];
  if (order === undefined) throw new Error("no current pizza");
  return order;
}

/** Equal pizzas, and the first of them. */
export interface Row {
  readonly order: BasketOrder;
  readonly ids: readonly string[];
}

export function rowsOf(state: State): readonly Row[] {
  // While a note is written, its pizzas stay apart from those that have the same for a moment.
  const orders = ordersOf(state).map((order): BasketOrder =>
    (state.noteOpenFor.includes(order.id) ? { ...order, status: "Preparing" } : order));
  return equalPizzas(orders).flatMap((equal) =>
    equal.slice(0, 1).map((order) => ({ order, ids: equal.map(({ id }) => id) })));
}
