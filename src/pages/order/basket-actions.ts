/**
 * The things that a guest can do with pizzas and drinks, on the menu and in the order, named as
 * they would say it.
 */

import { maxItems, maxOrders } from "../../resources/limits.ts";
import { type Diet, itemName } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { ShopPizza } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  type BasketRow, countOf, countOfPizza, keepItems, merged, pizzaCount, withCount,
  withPizza, withRow, withSize, withSplit, withToppings,
} from "./basket.ts";
import { isByHand, orderOf } from "./basket-orders.ts";
import { goToHeading, openRowInBasket, showBasket } from "./navigation.ts";
import { canOrder, isRemovable } from "./obstacles.ts";
import { foundCount } from "./search.ts";
import { drawNow, set, state } from "./store.ts";

/** So long what was taken off can be brought back. */
const undoMs = 10_000;
/** The timer of the undo line. */
const undo = { timer: undefined as ReturnType<typeof setTimeout> | undefined };

function announceCount(name: string, count: number): void {
  set({ announcement: t("{name}: {text}", { name, text: count }) });
}

/** If there is no room, says so. */
function isRoomForPizza(): boolean {
  if (pizzaCount(state().basket) < maxOrders) return true;
  set({ message: t("{number} pizzas at most in one go.", { number: maxOrders }) });
  return false;
}

function rowOf(key: string): BasketRow | undefined {
  return state().basket.rows.find((row) => row.key === key);
}

export function pickSize(id: string): void {
  showBasket(withSize(state().basket, id));
}

export function addShopPizza(pizza: ShopPizza): void {
  if (!isRoomForPizza()) return;
  showBasket(withPizza(state().basket, pizza));
  announceShopPizza(pizza.name);
}

/** Takes off the last pizza of that name. */
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
  if (row !== undefined) openRowInBasket(row.key);
}

/** The next topping begins another pizza. */
export function buildOwn(): void {
  showBasket({ ...state().basket, current: "" });
  set({ search: "", diet: "" });
  drawNow();
  goToHeading("toppings");
}

/** Adds one more pizza of a row. */
export function addToRow(key: string): void {
  const row = rowOf(key);
  if (row === undefined || !isRoomForPizza()) return;
  showBasket(withCount(state().basket, key, row.count + 1));
  announceCount(pizzaTitle(orderOf(state(), row)), row.count + 1);
}

/** A pizza that was chosen by hand can be brought back for a while. */
export function removeOne(key: string): void {
  const { basket, menu } = state();
  const row = rowOf(key);
  if (row === undefined) return;
  const isKept = isByHand(menu, orderOf(state(), row));
  const takenOff = isKept ? { row, index: basket.rows.indexOf(row) } : undefined;
  showBasket(withCount(basket, key, row.count - 1));
  announceCount(pizzaTitle(orderOf(state(), row)), row.count - 1);
  set({ takenOff });
  clearTimeout(undo.timer);
  undo.timer = setTimeout(() => { set({ takenOff: undefined }); }, undoMs);
}

export function bringBack(): void {
  const { basket, takenOff } = state();
  if (takenOff === undefined || !isRoomForPizza()) return;
  const { row, index } = takenOff;
  const left = rowOf(row.key);
  showBasket(left === undefined
    ? { ...basket, rows: basket.rows.toSpliced(index, 0, { ...row, count: 1 }) }
    : withCount(basket, row.key, left.count + 1));
  set({ takenOff: undefined });
}

export function splitRow(key: string): void {
  showBasket(withSplit(state().basket, key));
}

/** Opens size and toppings where the pizza is listed, or closes them. */
export function changeRow(key: string): void {
  const isOpen = state().openRow === key;
  set({ openRow: isOpen ? "" : key });
  showBasket({ ...merged(state().basket), current: key });
}

/** Picks the size of a pizza that has none yet, or that is changed in its row. */
export function pickRowSize(key: string, size: string): void {
  const basket = withRow(state().basket, key, { size });
  showBasket(state().openRow === key ? basket : merged(basket));
}

/** `key`: of a row. "": the first topping of the next pizza. */
export function addTopping(key: string, id: string): void {
  const row = rowOf(key);
  if (row === undefined && !isRoomForPizza()) return;
  const toppings = [...row?.toppings ?? [], id];
  if (toppings.length <= maxItems) return changeToppings(key, toppings, id);
  set({ message: t("A pizza has at most {number} toppings.", { number: maxItems }) });
}

export function removeTopping(key: string, id: string): void {
  const { toppings = [] } = rowOf(key) ?? {};
  changeToppings(key, toppings.toSpliced(toppings.lastIndexOf(id), 1), id);
}

function changeToppings(key: string, toppings: readonly string[], id: string): void {
  showBasket(withToppings(state().basket, key, toppings));
  announceCount(itemName(state().menu, "toppings", id), countOf(toppings, id));
}

export function addDrink(id: string): void {
  const drinks = [...state().basket.beverages, id];
  if (drinks.length <= maxItems) return changeDrinks(drinks, id);
  set({ message: t("An order has at most {number} drinks.", { number: maxItems }) });
}

export function removeDrink(id: string): void {
  const { beverages } = state().basket;
  changeDrinks(beverages.toSpliced(beverages.lastIndexOf(id), 1), id);
}

function changeDrinks(beverages: readonly string[], id: string): void {
  showBasket({ ...state().basket, beverages });
  announceCount(itemName(state().menu, "beverages", id), countOf(beverages, id));
}

export function removeSoldOut(): void {
  showBasket(keepItems(state().basket, (kind, id) =>
    id === "" || !isRemovable([kind, id]) || canOrder(state(), kind, id)));
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
