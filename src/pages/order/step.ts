/** The reason why a basket cannot be ordered yet, and its button's remedy. Pure values. */

import { isSoldOut, type Menu, nameOf } from "../shared/menu.ts";
import { statusFacts } from "../shared/orders.ts";
import { isStaff, token } from "../shared/session.ts";
import type { MenuKind, NamedPizza } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import {
  type Basket, isBegun, itemsIn, type Pizza, withNewGroup, withOnly,
} from "./basket.ts";
import { pizzaCount, pizzaNumber, type State, table, visible } from "./state.ts";
import type { Ordered } from "./visits.ts";

/** Staff know better than the list of what is sold out. */
export function canOrder(menu: Menu, kind: MenuKind, id: string): boolean {
  return isStaff() || !isSoldOut(menu, kind, id);
}

/** The names of the toppings that keep a pizza of the shop from being ordered. */
export function soldOutOn(menu: Menu, { toppings }: NamedPizza): readonly string[] {
  return [...new Set(toppings)].filter((id) => !canOrder(menu, "toppings", id))
    .map((id) => nameOf(menu, "toppings", id));
}

export function needsLink({ isLoaded, guests }: State): boolean {
  return isLoaded && !guests && token() === null;
}

/** The chosen items that cannot be ordered. */
export function soldOutIn({ basket, menu }: State): readonly (readonly [MenuKind, string])[] {
  return itemsIn(basket).filter((item) => !canOrder(menu, ...item));
}

/** The sold-out items, a line each: "Mozzarella, on pizzas 1 and 2". */
export function soldOutLines(state: State): readonly string[] {
  const { basket: { pizzas }, menu } = state;
  return soldOutIn(state).flatMap(([kind, id]) => {
    const name = nameOf(menu, kind, id);
    const numbers = pizzas.flatMap(({ size, toppings }, place) =>
      size === id && kind === "pizzasizes" || toppings.includes(id) && kind === "toppings"
        ? [pizzaNumber(state, place)] : []);
    if (kind === "pizzasizes") {
      return numbers.map((number) => t("Pizza {number} needs another size", { number }));
    }
    if (kind === "beverages" || pizzaCount(state) === 1) return [name];
    const [number = 0, ...others] = numbers;
    return [others.length === 0 ? t("{name}, on pizza {number}", { name, number })
      : t("{name}, on pizzas {numbers}", { name, numbers: listed(numbers.map(String)) })];
  });
}

export function isSizeMissing(menu: Menu, { size }: Pizza): boolean {
  return size === "" || !canOrder(menu, "pizzasizes", size);
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
  // Staff take orders while it is closed.
  if (!menu.shop.isOpen && !isStaff()) {
    const reason = t("The shop is closed and takes no orders right now.");
    return { act: "nothing", text: t("Place order"), reason };
  }
  if (soldOutIn(state).some(([kind]) => kind !== "pizzasizes")) {
    return { act: "show sold out", text: t("Show me"), reason: "" };
  }
  if (begun.length === 0 || begun.some((pizza) => isSizeMissing(menu, pizza))) {
    return { act: "pick a size", text: t("Pick a size"), reason: "" };
  }
  return { act: "place", text: t("Place order"), reason: "" };
}

/** Staff order for somebody else: the kitchen has to know for whom. */
export function isNameMissing({ basket, isNameAsked }: State): boolean {
  return isStaff() && !isNameAsked && table === "" && basket.note.trim() === "";
}

const longestGroupMs = 10 * 60_000;

/**
 * The basket as it is sent. What comes long after the first orders of its number, or once one of
 * them is ready, is no longer made together with them, and gets a number of its own.
 */
export function readyToSend({ basket, orders, visits }: State): Basket {
  const visit = visits.find(({ group }) => group === basket.group);
  const isLate = visit !== undefined && (Date.now() - visit.placedAt > longestGroupMs
    || visit.ordered.some(({ id }) => {
      const order = orders.get(id);
      return order !== undefined && statusFacts[order.status].isReady;
    }));
  const begun = withOnly(basket, isBegun);
  return isLate ? withNewGroup(begun) : begun;
}

/** The next order to send: the first pizza, with all drinks. */
export function nextOrder({ basket, menu }: State): Ordered {
  const { group, pizzas: [pizza], beverages, note } = basket;
  const references = (kind: MenuKind, ids: readonly string[]) =>
    ids.map((id) => ({ id, name: nameOf(menu, kind, id) }));
  const [pizzaSize = { id: "", name: "" }] = references("pizzasizes", [pizza?.size ?? ""]);
  return {
    id: pizza?.id ?? "", group, table, note: visible(note.trim()), pizzaSize,
    toppings: references("toppings", pizza?.toppings ?? []),
    beverages: references("beverages", beverages),
  };
}
