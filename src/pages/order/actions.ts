/** The things that a guest can do on the page, named as they would say it. */

import { ask } from "../shared/dialogs.ts";
import { type Diet, nameOf } from "../shared/menu.ts";
import type { NamedPizza } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  type Basket, chosenOf, countOf, type ExtraKind, isBegun, maxOfAKind, maxPizzas, noteOf,
  withAnother, withChosen, withCurrent, withItems, withNamed, withoutNamed, withOnly,
} from "./basket.ts";
import { send } from "./placing.ts";
import { foundCount } from "./search.ts";
import { isSending, isOrderOpenInHistory, pizzaCount, pizzaNumber } from "./state.ts";
import { canOrder, isNameMissing, isSizeMissing, soldOutExtras, type Step } from "./step.ts";
import { drawNow, set, setBasket, state } from "./store.ts";

export function pickSize(id: string, tile: Element): void {
  const { top } = tile.getBoundingClientRect();
  setBasket(withCurrent(state().basket, { size: id }));
  drawNow();
  // With the first size the row of pizzas comes in above: the tile stays under the finger.
  scrollBy(0, tile.getBoundingClientRect().top - top);
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

export function takeItem(kind: ExtraKind, id: string): void {
  const ids = chosenOf(state().basket, kind);
  choose(kind, ids.toSpliced(ids.lastIndexOf(id), 1), id);
}

/** `id`: of the item of which there is one more or less. */
function choose(kind: ExtraKind, ids: readonly string[], id: string): void {
  setBasket(withChosen(state().basket, kind, ids));
  announceCount(nameOf(state().menu, kind, id), countOf(ids, id));
}

function announceCount(name: string, count: number): void {
  set({ announcement: t("{name}: {number}", { name, number: count }) });
}

export function addNamed(pizza: NamedPizza): void {
  const next = withNamed(state().basket, pizza);
  if (pizzaCount({ ...state(), basket: next }) > maxPizzas) {
    return set({ message: t("{number} pizzas at most in one go.", { number: maxPizzas }) });
  }
  changePizzas(next);
  announceNamed(pizza.name);
}

export function takeNamed(name: string): void {
  setBasket(withoutNamed(state().basket, name));
  announceNamed(name);
}

function announceNamed(name: string): void {
  announceCount(name, countOf(state().basket.pizzas.map((pizza) => pizza.name), name));
}

/** Turns to the last pizza of that name, and to the toppings. */
export function changeToppings(name: string): void {
  turnTo(state().basket.pizzas.findLastIndex((pizza) => pizza.name === name));
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
function turnTo(index: number): void {
  changePizzas({ ...state().basket, current: index });
}

/** Brings the current pizza into view in the row of pizzas. */
function changePizzas(basket: Basket): void {
  setBasket(basket);
  drawNow();
  document.querySelector(".pizzas .chosen")?.closest("li")
    ?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

export function turnToSizes(index: number): void {
  turnTo(index);
  if (state().isOrderOpen) goToSizes();
}

export function addPizza(): void {
  changePizzas(withAnother(state().basket));
  goToSizes();
}

export function addAnotherLike(index: number): void {
  const { basket } = state();
  changePizzas(withAnother(basket, basket.pizzas[index]));
}

export async function removePizza(index: number): Promise<void> {
  const { id = "" } = state().basket.pizzas[index] ?? {};
  const question = t("Remove pizza {number}?", { number: pizzaNumber(state(), index) });
  const isMeant = await ask(question, t("Remove"), t("Keep it"));
  if (isMeant) setBasket(withOnly(state().basket, (pizza) => pizza.id !== id));
}

/** A pizza without a size could not be ordered either: it keeps its own. */
export function removeSoldOut(): void {
  const { basket, menu } = state();
  setBasket(withItems(basket, (kind, id) => kind === "pizzasizes" || canOrder(menu, kind, id)));
}

export function writeNote(text: string): void {
  setBasket({ note: noteOf(text) });
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

export function goToNote(): void {
  openOrder();
  drawNow();
  document.getElementById("note-text")?.focus();
}

export function showAllVisits(): void {
  set({ areAllVisitsShown: true });
}

export const steps: Readonly<Record<Step["act"], (() => void) | undefined>> = {
  place: placeOrder,
  "pick a size": goToMissingSize,
  "show sold out": showSoldOut,
  "show link": () => { document.getElementById("access")?.focus(); },
  nothing: undefined,
};

function placeOrder(): void {
  if (isSending(state())) return;
  if (!isNameMissing(state())) return void send();
  goToNote();
  set({ isNameAsked: true, message: t("For whom is it? Write a name, or press again.") });
}

/** Turns to the first pizza that has no size to be had. */
function goToMissingSize(): void {
  const { basket: { pizzas }, menu } = state();
  const index = pizzas.findIndex((pizza) => isBegun(pizza) && isSizeMissing(menu, pizza));
  if (index >= 0) turnTo(index);
  goToSizes();
}

function goToSizes(): void {
  closeOrder();
  drawNow();
  document.getElementById("choices")?.scrollIntoView({ block: "start" });
  const sizes = [...document.querySelectorAll<HTMLInputElement>(".sizes :enabled")];
  (sizes.find(({ checked }) => checked) ?? sizes[0])?.focus({ preventScroll: true });
}

/** Turns to the first pizza, and to the tile, of what is sold out. */
function showSoldOut(): void {
  const [[kind, id] = ["", ""]] = soldOutExtras(state());
  if (kind === "toppings") {
    turnTo(state().basket.pizzas.findIndex(({ toppings }) => toppings.includes(id)));
  }
  closeOrder();
  set({ search: "", diet: "" });
  drawNow();
  const tile = document.getElementById(`less-${kind}-${id}`);
  tile?.scrollIntoView({ block: "center" });
  tile?.focus({ preventScroll: true });
}
