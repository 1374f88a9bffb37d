/** The things that a guest can do with the menu, named as they would say it. */

import type { Diet } from "../shared/menu.ts";
import type { ShopPizza } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { countOfPizza, withPizza, withSize } from "./basket.ts";
import { announceCount, change, isRoomForPizza, removeOne } from "./basket-actions.ts";
import { openRowInOrder } from "./order-actions.ts";
import { foundCount } from "./search.ts";
import { drawNow, set, state } from "./store.ts";

export function pickSize(id: string): void {
  change(withSize(state().basket, id));
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
