/** The things that a guest can do on the page, named as they would say it. */

import { ask } from "../shared/dialogs.ts";
import { type Diet, nameOf } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { ShopPizza } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { isOrderOpenInHistory } from "./address.ts";
import {
  type Basket, chosenOf, countOf, type ExtraKind, isBegun, keepItems, keepPizzas, maxOfAKind,
  maxPizzas, withAnother, withChosen, withNote, withoutShopPizza, withShopPizza, withSize,
} from "./basket.ts";
import { isByHand, type Row, rowsOf } from "./basket-orders.ts";
import { send } from "./placing.ts";
import { tableNameOf } from "../shared/table-names.ts";
import { foundCount } from "./search.ts";
import { isSending, pizzaCount } from "./state.ts";
import {
  canOrder, isNameMissing, isRemovable, isSizeMissing, soldOutItems, type Step,
} from "./step.ts";
import { drawNow, set, setBasket, state } from "./store.ts";
import { oneLine } from "./typed-text.ts";

/** Draws another basket. What comes or goes above the sizes moves nothing under the finger. */
function change(basket: Basket, shown = ".pizzas .chosen"): void {
  const topOfSizes = (): number =>
    document.querySelector(".sizes")?.getBoundingClientRect().top ?? 0;
  const top = topOfSizes();
  setBasket(basket);
  drawNow();
  scrollBy(0, topOfSizes() - top);
  const { scrollX, scrollY } = window;
  for (const element of document.querySelectorAll(shown)) {
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  // Within their lists alone.
  scrollTo(scrollX, scrollY);
}

/** The same from the menu: the row of the current pizza comes into view in the order. */
function changeCurrent(basket: Basket): void {
  change(basket, ".pizzas .chosen, #chosen .current");
}

export function pickSize(id: string): void {
  changeCurrent(withSize(state().basket, id));
}

export function addItem(kind: ExtraKind, id: string): void {
  const ids = chosenOf(state().basket, kind);
  if (ids.length < maxOfAKind) return choose(kind, [...ids, id], id);
  const most = { number: maxOfAKind };
  set({
    message: kind === "toppings" ? t("A pizza has at most {number} toppings.", most)
      : t("An order has at most {number} drinks.", most),
  });
}

export function removeItem(kind: ExtraKind, id: string): void {
  const ids = chosenOf(state().basket, kind);
  choose(kind, ids.toSpliced(ids.lastIndexOf(id), 1), id);
}

/** `id`: the item that was added or removed. */
function choose(kind: ExtraKind, ids: readonly string[], id: string): void {
  changeCurrent(withChosen(state().basket, kind, ids));
  announceCount(nameOf(state().menu, kind, id), countOf(ids, id));
}

function announceCount(name: string, count: number): void {
  set({ announcement: t("{name}: {text}", { name, text: count }) });
}

export function addShopPizza(pizza: ShopPizza): void {
  const next = withShopPizza(state().basket, pizza);
  if (!isRoomFor(next)) return;
  changeCurrent(next);
  announceShopPizza(pizza.name);
}

export function removeShopPizza(name: string): void {
  change(withoutShopPizza(state().basket, name));
  announceShopPizza(name);
}

function announceShopPizza(name: string): void {
  announceCount(name, countOf(state().basket.pizzas.map((pizza) => pizza.name), name));
}

/** False with a word about it. */
function isRoomFor(basket: Basket): boolean {
  if (pizzaCount({ ...state(), basket }) <= maxPizzas) return true;
  set({ message: t("{number} pizzas at most in one go.", { number: maxPizzas }) });
  return false;
}

/** Selects the last pizza of that name, and goes to the toppings. */
export function changeToppings(name: string): void {
  selectPizza(state().basket.pizzas.findLastIndex((pizza) => pizza.name === name));
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

/** `index`: of a pizza in the basket. */
function selectPizza(index: number): void {
  change({ ...state().basket, current: index });
}

/** Selects the last of equal pizzas, and goes to the sizes. */
export function changeSize(ids: readonly string[]): void {
  selectPizza(state().basket.pizzas.findLastIndex(({ id }) => ids.includes(id)));
  goToSizes();
}

export function addPizza(): void {
  change(withAnother(state().basket));
  goToSizes();
}

/** One more of the same. The menu goes on with the pizza that it is at. */
export function addToRow({ order }: Row): void {
  const { basket } = state();
  const like = basket.pizzas.find(({ id }) => id === order.id);
  const next = { ...withAnother(basket, like), current: basket.current };
  if (!isRoomFor(next)) return;
  change(next);
  announceRow(order);
}

function announceRow(order: Row["order"]): void {
  const row = rowsOf(state()).find(({ ids }) => ids.includes(order.id));
  announceCount(pizzaTitle(order), row?.ids.length ?? 0);
}

/** Removes the last one. What was chosen by hand goes only after a question. */
export async function removeFromRow({ order, ids }: Row, index: number): Promise<void> {
  const isLast = ids.length === 1;
  if (isLast && isByHand(state().menu, order)) {
    const question = t("Remove {name}?", { name: pizzaTitle(order) });
    if (!(await ask(question, t("Remove"), t("Keep it")))) return;
  }
  change(keepPizzas(state().basket, ({ id }) => id !== ids.at(-1)));
  announceRow(order);
  if (isLast) focusLess(index);
}

export function removeDrink(id: string, index: number): void {
  removeItem("beverages", id);
  if (!state().basket.beverages.includes(id)) focusLess(index);
}

/** The − of the next row takes the focus of one that is gone. `index`: of its row. */
function focusLess(index: number): void {
  const all = [...document.querySelectorAll<HTMLElement>("#chosen .less")];
  all[Math.min(index, all.length - 1)]?.focus({ preventScroll: true });
}

export function removeSoldOut(): void {
  change(keepItems(state().basket, (kind, id) =>
    !isRemovable([kind, id]) || canOrder(state(), kind, id)));
}

export function openNote(ids: readonly string[]): void {
  set({ noteOpenFor: ids });
  drawNow();
  document.getElementById("note-text")?.focus();
}

export function writeNote(text: string): void {
  setBasket(withNote(state().basket, state().noteOpenFor, oneLine(text)));
}

/** Once the press that took the focus is over: nothing moves under the finger before. */
export function leaveNote(): void {
  const { noteOpenFor } = state();
  setTimeout(() => {
    const { basket } = state();
    const isBack = document.activeElement?.id === "note-text";
    if (isBack || state().noteOpenFor !== noteOpenFor) return;
    const note = basket.pizzas.find(({ id }) => noteOpenFor.includes(id))?.note.trim() ?? "";
    set({ noteOpenFor: [], basket: withNote(basket, noteOpenFor, note) });
  }, 300);
}

export function writeName(text: string): void {
  setBasket({ name: oneLine(text) });
}

export function writeTable(text: string): void {
  setBasket({ table: oneLine(text) });
}

export function leaveTable(): void {
  const { basket: { table } } = state();
  if (tableNameOf(table) !== table) setBasket({ table: tableNameOf(table) });
}

/** Where the order is a panel: see order.css. Else it is a bar, and unfolds. */
const panel = matchMedia("(min-width: 56.25em) and (min-height: 30em)");

export function openOrder(): void {
  if (state().isOrderOpen || panel.matches) return;
  history.pushState({ isOrderOpen: true }, "");
  set({ isOrderOpen: true });
}

export function closeOrder(): void {
  if (!state().isOrderOpen) return;
  set({ isOrderOpen: false });
  if (isOrderOpenInHistory()) history.back();
}

export function goToName(): void {
  openOrder();
  drawNow();
  document.getElementById("name")?.focus();
}

export const stepActions: Readonly<Record<Step["act"], (() => void) | undefined>> = {
  place: placeOrder,
  "pick a size": goToMissingSize,
  "show sold out": showSoldOut,
  "show link": () => { document.getElementById("access")?.focus(); },
  nothing: undefined,
};

function placeOrder(): void {
  if (isSending(state())) return;
  if (!isNameMissing(state())) return void send();
  goToName();
  set({
    isNameAsked: true, message: t("For whom is it? Write a table or a name, or press again."),
  });
}

/** Selects the first pizza that has no size, or a size that is sold out. */
function goToMissingSize(): void {
  const index = state().basket.pizzas.findIndex((pizza) =>
    isBegun(pizza) && isSizeMissing(state(), pizza));
  if (index >= 0) selectPizza(index);
  goToSizes();
}

function goToSizes(): void {
  closeOrder();
  drawNow();
  document.getElementById("choices")?.scrollIntoView({ block: "start" });
  focusSizes();
}

/** The size of the current pizza, else the first. */
export function focusSizes(): void {
  const sizes = [...document.querySelectorAll<HTMLInputElement>(".sizes :enabled")];
  (sizes.find(({ checked }) => checked) ?? sizes[0])?.focus({ preventScroll: true });
}

/** Selects the first pizza with something sold out, and goes to its tile. */
function showSoldOut(): void {
  const [[kind, id] = ["", ""]] = soldOutItems(state()).filter(isRemovable);
  if (kind === "toppings") {
    selectPizza(state().basket.pizzas.findIndex(({ toppings }) => toppings.includes(id)));
  }
  closeOrder();
  set({ search: "", diet: "" });
  drawNow();
  const tile = document.getElementById(`less-${kind}-${id}`);
  tile?.scrollIntoView({ block: "center" });
  tile?.focus({ preventScroll: true });
}
