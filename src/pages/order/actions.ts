/** The things that a guest can do with the menu, named as they would say it. */

import { type Diet, nameOf } from "../shared/menu.ts";
import type { ShopPizza } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  countOf, countOfPizza, currentRow, type ExtraKind, maxItems, withPizza, withSize, withToppings,
} from "./basket.ts";
import { announceCount, change, focusLess, isRoomForPizza, removeOne } from "./basket-actions.ts";
import { openRowInOrder } from "./order-actions.ts";
import { foundCount } from "./search.ts";
import { chosenOf } from "./state.ts";
import { drawNow, set, state } from "./store.ts";

export function pickSize(id: string): void {
  change(withSize(state().basket, id));
}

export function addItem(kind: ExtraKind, id: string): void {
  const { basket } = state();
  const ids = chosenOf(state(), kind);
  const isPizzaNew = kind === "toppings" && currentRow(basket) === undefined;
  if (isPizzaNew && !isRoomForPizza()) return;
  if (ids.length < maxItems) return choose(kind, [...ids, id], id);
  const most = { number: maxItems };
  set({
    message: kind === "toppings" ? t("A pizza has at most {number} toppings.", most)
      : t("An order has at most {number} drinks.", most),
  });
}

export function removeItem(kind: ExtraKind, id: string): void {
  const ids = chosenOf(state(), kind);
  choose(kind, ids.toSpliced(ids.lastIndexOf(id), 1), id);
}

/** `index`: of its row in the order. */
export function removeDrink(id: string, index: number): void {
  removeItem("beverages", id);
  if (!state().basket.beverages.includes(id)) focusLess(index);
}

/** `id`: the item that was added or removed. */
function choose(kind: ExtraKind, ids: readonly string[], id: string): void {
  const { basket } = state();
  change(kind === "beverages" ? { ...basket, beverages: ids }
    : withToppings(basket, basket.current, ids));
  announceCount(nameOf(state().menu, kind, id), countOf(ids, id));
}

export function addShopPizza(pizza: ShopPizza): void {
  if (!isRoomForPizza()) return;
  change(withPizza(state().basket, pizza));
  announceShopPizza(pizza.name);
}

/** The last one of that name. */
export function removeShopPizza(name: string): void {
  const row = state().basket.rows.findLast(({ pizza }) => pizza === name);
  if (row === undefined) return;
  removeOne(row.key);
  announceShopPizza(name);
}

function announceShopPizza(name: string): void {
  announceCount(name, countOfPizza(state().basket, name));
}

/** Opens the last pizza of that name in the order. */
export function changeShopPizza(name: string): void {
  const row = state().basket.rows.findLast(({ pizza }) => pizza === name);
  if (row !== undefined) openRowInOrder(row.key);
}

/** The next topping begins another pizza. */
export function buildOwn(): void {
  change({ ...state().basket, current: "" });
  set({ search: "", diet: "" });
  drawNow();
  const heading = document.getElementById("toppings");
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

export function searchFor(text: string): void {
  set({ search: text });
  announceFound();
}

export function filterBy(diet: Diet): void {
  set({ diet: diet === state().diet ? "" : diet });
  announceFound();
}

function announceFound(): void {
  set({ announcement: t("{count} found", { count: foundCount(state()) }) });
}
