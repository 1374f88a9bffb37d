/** Leads a person about the page: to an address, into the order, to one of its rows, to a field. */

import { addressOf, isBasketOpenInHistory, readAddressNumber } from "./address.ts";
import type { Basket } from "./basket.ts";
import { isRemovable, isSizeMissing, soldOutItems } from "./obstacles.ts";
import { drawNow, set, setBasket, state } from "./store.ts";

/** Shows what the address asks for. False: it asks for the same as before. */
export function showAddress(): boolean {
  const addressNumber = readAddressNumber();
  const isSame = addressNumber === state().addressNumber;
  set({ isBasketOpen: isBasketOpenInHistory() });
  if (isSame) return false;
  set({ addressNumber, isAddressKnown: false, message: "", isJustPlaced: false });
  drawNow();
  scrollTo(0, 0);
  document.getElementById("title")?.focus();
  return true;
}

/** Goes to the orders of a number, or to the menu. The message goes along. */
export function goTo(number = ""): void {
  const { message } = state();
  const move = isBasketOpenInHistory() ? "replaceState" : "pushState";
  history[move](null, "", addressOf(number));
  showAddress();
  set({ message });
}

/** Where the order is a panel: see basket-view.css. Else it is a bar, and unfolds. */
const panel = matchMedia("(min-width: 56.25em) and (min-height: 30em)");

/** A dialog: the focus goes in, and what is behind is inert. */
export function openBasket(): void {
  if (state().isBasketOpen || panel.matches) return;
  history.pushState({ isBasketOpen: true }, "");
  set({ isBasketOpen: true });
  focusOrder();
}

/** The heading of the order, or of the order that is sent. */
export function focusOrder(): void {
  drawNow();
  document.getElementById("order")?.focus();
}

export function closeBasket(): void {
  if (!state().isBasketOpen) return;
  set({ isBasketOpen: false });
  if (isBasketOpenInHistory()) history.back();
  drawNow();
  document.querySelector<HTMLElement>(".unfold-button")?.focus({ preventScroll: true });
}

/** In a window that has become wide the order is a panel. */
panel.addEventListener("change", () => { if (panel.matches) closeBasket(); });

/** Draws another basket. What comes or goes above the sizes moves nothing under the finger. */
export function showBasket(basket: Basket): void {
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

export function goToName(): void {
  openBasket();
  drawNow();
  document.getElementById("name")?.focus();
}

export function goToPizzas(): void {
  closeBasket();
  goToHeading("named", "toppings");
}

/** Goes to the first of these that is there. */
export function goToHeading(...ids: readonly string[]): void {
  const [heading] = ids.flatMap((id) => document.getElementById(id) ?? []);
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

/** The size of the next pizza, or of the one that the menu changes. */
export function focusSizes(): void {
  const sizes = [...document.querySelectorAll<HTMLInputElement>(".sizes :enabled")];
  (sizes.find(({ checked }) => checked) ?? sizes[0])?.focus({ preventScroll: true });
}

/** Goes to the first pizza that has no size, or one that is sold out: its row asks for it. */
export function goToMissingSize(): void {
  const row = state().basket.rows.find((each) => isSizeMissing(state(), each));
  if (row !== undefined) goToRow(row.key);
}

/** Goes to the first pizza with something sold out, and opens it. */
export function goToSoldOut(): void {
  const [[, id] = ["", ""]] = soldOutItems(state()).filter(isRemovable);
  const row = state().basket.rows.find(({ toppings }) => toppings.includes(id));
  if (row === undefined) openBasket();
  else openRowInBasket(row.key);
}

/** Opens size and toppings of a pizza where it is listed. */
export function openRowInBasket(key: string): void {
  set({ openRow: key });
  goToRow(key);
}

function goToRow(key: string): void {
  openBasket();
  showBasket({ ...state().basket, current: key });
  const row = document.getElementById(`row-${key}`);
  row?.scrollIntoView({ block: "nearest" });
  row?.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true });
}
