/** The things that a guest can do with pizzas and drinks, named as they would say it. */

import { longestName } from "../../resources/limits.ts";
import { nameOf } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { t } from "../shared/words.ts";
import {
  type Basket, countOf, keepItems, maxItems, maxPizzas, merged, pizzaCount, type BasketRow,
  withCount, withRow, withSplit, withToppings,
} from "./basket.ts";
import { isByHand, orderOf } from "./basket-orders.ts";
import { canOrder, isRemovable } from "./step.ts";
import { drawNow, set, setBasket, state } from "./store.ts";
import { oneLine, roomIn } from "./typed-text.ts";

/** So long what was taken off can be brought back. */
const undoMs = 10_000;
/** The timer of the undo line. */
const undo = { timer: undefined as ReturnType<typeof setTimeout> | undefined };

/** Draws another basket. What comes or goes above the sizes moves nothing under the finger. */
export function change(basket: Basket): void {
  const topOfSizes = (): number =>
    document.querySelector(".sizes")?.getBoundingClientRect().top ?? 0;
  const top = topOfSizes();
  setBasket(basket);
  drawNow();
  scrollBy(0, topOfSizes() - top);
  const { scrollX, scrollY } = window;
  document.querySelector("#chosen .current")?.scrollIntoView({ block: "nearest" });
  // Within the order alone.
  scrollTo(scrollX, scrollY);
}

export function announceCount(name: string, count: number): void {
  set({ announcement: t("{name}: {text}", { name, text: count }) });
}

/** False with a word about it. */
export function isRoomForPizza(): boolean {
  if (pizzaCount(state().basket) < maxPizzas) return true;
  set({ message: t("{number} pizzas at most in one go.", { number: maxPizzas }) });
  return false;
}

function rowOf(key: string): BasketRow | undefined {
  return state().basket.rows.find((row) => row.key === key);
}

/** One more of the same. */
export function addToRow(key: string): void {
  const row = rowOf(key);
  if (row === undefined || !isRoomForPizza()) return;
  change(withCount(state().basket, key, row.count + 1));
  announceCount(pizzaTitle(orderOf(state(), row)), row.count + 1);
}

/** A pizza that was chosen by hand can be brought back for a while. */
export function removeOne(key: string): void {
  const { basket, menu } = state();
  const row = rowOf(key);
  if (row === undefined) return;
  const isKept = isByHand(menu, orderOf(state(), row));
  const removed = isKept ? { row, index: basket.rows.indexOf(row) } : undefined;
  change(withCount(basket, key, row.count - 1));
  announceCount(pizzaTitle(orderOf(state(), row)), row.count - 1);
  set({ removed });
  clearTimeout(undo.timer);
  undo.timer = setTimeout(() => { set({ removed: undefined }); }, undoMs);
}

export function bringBack(): void {
  const { basket, removed } = state();
  if (removed === undefined || !isRoomForPizza()) return;
  const { row, index } = removed;
  const left = rowOf(row.key);
  change(left === undefined
    ? { ...basket, rows: basket.rows.toSpliced(index, 0, { ...row, count: 1 }) }
    : withCount(basket, row.key, left.count + 1));
  set({ removed: undefined });
}

export function splitRow(key: string): void {
  change(withSplit(state().basket, key));
}

/** Opens size and toppings where the pizza is listed, or closes them. */
export function changeRow(key: string): void {
  const isOpen = state().openRow === key;
  set({ openRow: isOpen ? "" : key });
  change({ ...merged(state().basket), current: key });
}

/** Asked in its row, or changed there. */
export function pickRowSize(key: string, size: string): void {
  const basket = withRow(state().basket, key, { size });
  change(state().openRow === key ? basket : merged(basket));
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
  change(withToppings(state().basket, key, toppings));
  announceCount(nameOf(state().menu, "toppings", id), countOf(toppings, id));
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
  change({ ...state().basket, beverages });
  announceCount(nameOf(state().menu, "beverages", id), countOf(beverages, id));
}

export function removeSoldOut(): void {
  change(keepItems(state().basket, (kind, id) =>
    id === "" || !isRemovable([kind, id]) || canOrder(state(), kind, id)));
}

export function openNote(key: string): void {
  set({ noteRow: key });
  drawNow();
  document.getElementById("note-text")?.focus();
}

export function writeNote(text: string): void {
  const { noteRow } = state();
  setBasket(withRow(state().basket, noteRow, {
    note: typedOrBefore(text, rowOf(noteRow)?.note ?? ""),
  }));
}

/** Once the press that took the focus is over: nothing moves under the finger before. */
export function leaveNote(): void {
  const { noteRow } = state();
  setTimeout(() => {
    const isBack = document.activeElement?.id === "note-text";
    if (isBack || state().noteRow !== noteRow) return;
    set({ noteRow: "" });
    const note = rowOf(noteRow)?.note.trim() ?? "";
    const basket = withRow(state().basket, noteRow, { note });
    setBasket(state().openRow === "" ? merged(basket) : basket);
  }, 300);
}

/**
 * A field holds what is typed to its end, or not at all, with a word: a part may say another thing.
 */
export function typedOrBefore(text: string, before: string): string {
  const line = oneLine(text);
  if (roomIn(line) >= 0) return line;
  const message = t("There is room for {number} letters.", { number: longestName });
  // After the press or the paste, whose own change clears the message.
  queueMicrotask(() => { set({ message }); });
  return before;
}
