/** The things that a guest can do on the page, named as they would say it. */

import { ask } from "../shared/dialogs.ts";
import { type Diet, nameOf } from "../shared/menu.ts";
import type { NamedPizza } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  type Basket, chosenOf, countOf, type ExtraKind, isBegun, maxOfAKind, maxPizzas, needsAnother,
  noteOf, withAnother, withCurrent, withItems, withNamed, withoutNamed, withOneLess, withOneMore,
  withOnly,
} from "./basket.ts";
import { foundCount } from "./finding.ts";
import { isPanel } from "./panel.ts";
import { send } from "./placing.ts";
import { isSending, isSheetInHistory, pizzaCount, pizzaNumber } from "./state.ts";
import {
  canOrder, isNameMissing, isSizeMissing, nextStep, soldOutIn, soldOutOn, type Step,
} from "./step.ts";
import { drawNow, set, setBasket, state } from "./store.ts";

export function pickSize(id: string, tile: Element): void {
  const { top } = tile.getBoundingClientRect();
  setBasket(withCurrent(state().basket, { size: id }));
  drawNow();
  // With the first size the row of pizzas comes in above: the tile stays under the finger.
  scrollBy(0, tile.getBoundingClientRect().top - top);
}

export function addItem(kind: ExtraKind, id: string): void {
  const { basket, menu } = state();
  if (!canOrder(menu, kind, id)) return;
  const next = withOneMore(basket, kind, id);
  if (next === basket) {
    const most = { number: maxOfAKind };
    set({
      message: kind === "toppings" ? t("A pizza has at most {number} toppings.", most)
        : t("An order has at most {number} drinks.", most),
    });
  } else changeCount(next, kind, id);
}

export function takeItem(kind: ExtraKind, id: string): void {
  changeCount(withOneLess(state().basket, kind, id), kind, id);
}

function changeCount(basket: Basket, kind: ExtraKind, id: string): void {
  const count = countOf(chosenOf(basket, kind), id);
  setBasket(basket);
  announceCount(nameOf(state().menu, kind, id), count);
}

function announceCount(name: string, count: number): void {
  set({ announcement: t("{name}: {number}", { name, number: count }) });
}

export function takePizza(pizza: NamedPizza): void {
  const { basket, menu } = state();
  if (soldOutOn(menu, pizza).length > 0) return;
  if (needsAnother(basket) && isFull()) return sayFull();
  setBasket(withNamed(basket, pizza));
  showCurrent();
  announcePizza(pizza);
}

export function putBackPizza(pizza: NamedPizza): void {
  setBasket(withoutNamed(state().basket, pizza.name));
  announcePizza(pizza);
}

function announcePizza({ name }: NamedPizza): void {
  announceCount(name, state().basket.pizzas.filter((pizza) => pizza.name === name).length);
}

/** Turns to the last pizza of that name, and to the toppings. */
export function changeToppings({ name }: NamedPizza): void {
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

/** `place`: of a pizza in the basket. */
function turnTo(place: number): void {
  setBasket({ current: place });
  showCurrent();
}

/** Brings the current pizza into view in the row of pizzas. */
function showCurrent(): void {
  drawNow();
  document.querySelector(".pizzas .chosen")?.closest("li")
    ?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

export function turnToSizes(place: number): void {
  turnTo(place);
  if (state().isSheetOpen) goToSizes();
}

export function addPizza(): void {
  if (isFull()) return sayFull();
  setBasket(withAnother(state().basket));
  showCurrent();
  goToSizes();
}

export function addAnotherLike(place: number): void {
  if (isFull()) return sayFull();
  const { basket } = state();
  setBasket(withAnother(basket, basket.pizzas[place]));
  showCurrent();
}

function isFull(): boolean {
  return pizzaCount(state()) >= maxPizzas;
}

function sayFull(): void {
  set({ message: t("{number} pizzas at most in one go.", { number: maxPizzas }) });
}

export async function removePizza(place: number): Promise<void> {
  const { id = "" } = state().basket.pizzas[place] ?? {};
  const question = t("Remove pizza {number}?", { number: pizzaNumber(state(), place) });
  const isMeant = await ask(question, t("Remove"), t("Keep it"));
  if (isMeant) setBasket(withOnly(state().basket, (pizza) => pizza.id !== id));
}

export function removeSoldOut(): void {
  const out = new Set(soldOutIn(state()).map(([kind, id]) => `${kind} ${id}`));
  setBasket(withItems(state().basket, (kind, id) =>
    kind === "pizzasizes" || !out.has(`${kind} ${id}`)));
}

export function writeNote(text: string): void {
  setBasket({ note: noteOf(text) });
}

export function openSheet(): void {
  if (state().isSheetOpen || isPanel()) return;
  history.pushState({ isSheet: true }, "");
  set({ isSheetOpen: true });
}

export function closeSheet(): void {
  if (!state().isSheetOpen) return;
  set({ isSheetOpen: false });
  if (isSheetInHistory()) history.back();
}

export function goToNote(): void {
  openSheet();
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
  // Something may have sold out in the meantime.
  if (isSending(state()) || nextStep(state()).act !== "place") return;
  if (!isNameMissing(state())) return void send();
  goToNote();
  set({ isNameAsked: true, message: t("For whom is it? Write a name, or press again.") });
}

/** Turns to the first pizza that has no size to be had. */
function goToMissingSize(): void {
  const { basket: { pizzas, current }, menu } = state();
  const place = pizzas.findIndex((pizza) => isBegun(pizza) && isSizeMissing(menu, pizza));
  setBasket({ current: place < 0 ? current : place });
  goToSizes();
}

function goToSizes(): void {
  closeSheet();
  drawNow();
  document.getElementById("choices")?.scrollIntoView({ block: "start" });
  const sizes = [...document.querySelectorAll<HTMLInputElement>(".sizes :enabled")];
  (sizes.find(({ checked }) => checked) ?? sizes[0])?.focus({ preventScroll: true });
}

/** Turns to the first pizza, and to the tile, of what is sold out. */
function showSoldOut(): void {
  const [kind, id = ""] = soldOutIn(state()).find(([outKind]) => outKind !== "pizzasizes") ?? [];
  const place = state().basket.pizzas.findIndex(({ toppings }) => toppings.includes(id));
  if (kind === "toppings") turnTo(place);
  closeSheet();
  set({ search: "", diet: "" });
  drawNow();
  const tile = document.getElementById(`less-${kind}-${id}`);
  tile?.scrollIntoView({ block: "center" });
  tile?.focus({ preventScroll: true });
}
