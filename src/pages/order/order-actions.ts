/** The things that a guest can do with the whole order, named as they would say it. */

import { ask } from "../shared/dialogs.ts";
import { itemOf } from "../shared/menu.ts";
import type { WholeOrder } from "../shared/orders.ts";
import { signOut } from "../shared/session.ts";
import { tableNameOf } from "../shared/table-names.ts";
import type { MenuKind, Reference } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import { addressOf, isOrderOpenInHistory } from "./address.ts";
import { isEmpty, isFrozen, maxPizzas, merged, newRow } from "./basket.ts";
import { change, typedOrBefore } from "./basket-actions.ts";
import { showAddress } from "./following.ts";
import { send } from "./placing.ts";
import { isSending } from "./state.ts";
import {
  canOrder, isNameMissing, isRemovable, isSizeMissing, soldOutItems, type Step,
} from "./step.ts";
import { drawNow, set, setBasket, state } from "./store.ts";
import { visitOf } from "./tracker.ts";
import { seenOf, withVisit } from "./visits.ts";

export function writeName(text: string): void {
  setBasket({ name: typedOrBefore(text, state().basket.name) });
}

export function writeTable(text: string): void {
  setBasket({ table: typedOrBefore(text, state().basket.table) });
}

export function writeWantedAt(text: string): void {
  setBasket({ wantedAt: text });
}

export function leaveTable(): void {
  const { basket: { table } } = state();
  if (tableNameOf(table) !== table) setBasket({ table: tableNameOf(table) });
}

/** Where the order is a panel: see order.css. Else it is a bar, and unfolds. */
const panel = matchMedia("(min-width: 56.25em) and (min-height: 30em)");

/** A dialog: the focus goes in, and what is behind is inert. */
export function openOrder(): void {
  if (state().isOrderOpen || panel.matches) return;
  history.pushState({ isOrderOpen: true }, "");
  set({ isOrderOpen: true });
  drawNow();
  document.getElementById("order")?.focus();
}

export function closeOrder(): void {
  if (!state().isOrderOpen) return;
  set({ isOrderOpen: false });
  if (isOrderOpenInHistory()) history.back();
  drawNow();
  document.querySelector<HTMLElement>(".unfold")?.focus({ preventScroll: true });
}

/** In a window that has become wide the order is a panel. */
panel.addEventListener("change", () => { if (panel.matches) closeOrder(); });

export function goToName(): void {
  openOrder();
  drawNow();
  document.getElementById("name")?.focus();
}

export const stepActions: Readonly<Record<Step["act"], (() => void) | undefined>> = {
  place: () => void placeOrder(),
  choose: goToPizzas,
  "pick a size": goToMissingSize,
  "show sold out": showSoldOut,
  "show link": () => { document.getElementById("access")?.focus(); },
  nothing: undefined,
};

async function placeOrder(): Promise<void> {
  const { basket } = state();
  if (isSending(state())) return;
  if (isNameMissing(state())) {
    goToName();
    return set({
      isNameAsked: true, message: t("For whom is it? Write a table or a name, or press again."),
    });
  }
  const bare = basket.rows.find(({ toppings }) => toppings.length === 0);
  if (bare !== undefined) {
    const size = itemOf(state().menu, "pizzasizes", bare.size)?.name ?? "";
    const isMeant = await ask(t("{name}: without any topping?", { name: bare.pizza || size }),
      t("Place order"), t("Change"));
    if (!isMeant) return openRowInOrder(bare.key);
  }
  await send();
}

function goToPizzas(): void {
  closeOrder();
  const heading = document.getElementById("named") ?? document.getElementById("toppings");
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

/** The size of the next pizza, or of the one that the menu changes. */
export function focusSizes(): void {
  const sizes = [...document.querySelectorAll<HTMLInputElement>(".sizes :enabled")];
  (sizes.find(({ checked }) => checked) ?? sizes[0])?.focus({ preventScroll: true });
}

/** Goes to the first pizza that has no size, or one that is sold out: its row asks for it. */
function goToMissingSize(): void {
  const row = state().basket.rows.find((one) => isSizeMissing(state(), one));
  if (row !== undefined) goToRow(row.key);
}

/** Goes to the first pizza with something sold out, and opens it. */
function showSoldOut(): void {
  const [[, id] = ["", ""]] = soldOutItems(state()).filter(isRemovable);
  const row = state().basket.rows.find(({ toppings }) => toppings.includes(id));
  if (row === undefined) openOrder();
  else openRowInOrder(row.key);
}

/** Opens size and toppings of a pizza where it is listed. */
export function openRowInOrder(key: string): void {
  set({ openRow: key });
  goToRow(key);
}

function goToRow(key: string): void {
  openOrder();
  change({ ...state().basket, current: key });
  const row = document.getElementById(`row-${key}`);
  row?.scrollIntoView({ block: "nearest" });
  row?.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true });
}

/** Fills the basket with what is still sold of an order. */
export async function orderAgain({ pizzas, drinks, count, name }: WholeOrder): Promise<void> {
  const { basket, menu } = state();
  if (!isFrozen(basket)) {
    if (!isEmpty(basket) && !(await ask(t("Replace what you have chosen?"),
      t("Order again"), t("Keep it")))) return;
    const missing = new Set<string>();
    const sold = (kind: MenuKind, items: readonly Reference[]): readonly string[] =>
      items.flatMap(({ id, name }) => {
        if (itemOf(menu, kind, id) !== undefined && canOrder(state(), kind, id)) return [id];
        missing.add(name);
        return [];
      });
    const rows = pizzas.filter(({ status }) => count === 0 || status !== "Cancelled")
      .map(({ pizza = "", note = "", pizzaSize, toppings }) => newRow({
        pizza, note, size: sold("pizzasizes", [pizzaSize])[0] ?? "",
        toppings: sold("toppings", toppings),
      }));
    setBasket(merged({
      ...basket, rows: rows.slice(0, maxPizzas), current: "",
      beverages: sold("beverages", drinks), name: name || basket.name,
    }));
    if (missing.size > 0) {
      set({ message: t("Not sold now, so left out: {names}", { names: listed([...missing]) }) });
    }
  }
  history.pushState(null, "", addressOf());
  const { message } = state();
  showAddress();
  set({ message });
  openOrder();
}

/** The guest has read what the kitchen did. */
export function noteSeen({ number, pizzas }: WholeOrder): void {
  const visit = visitOf(state(), number);
  if (visit === undefined) return;
  const { visits } = state();
  const seen = visit.seen.map((pizza) => {
    const order = pizzas.find(({ id }) => id === pizza.id);
    return order === undefined ? pizza : seenOf(order);
  });
  set({ visits: withVisit(visits, { ...visit, seen }) });
}

export function forgetSignIn(): void {
  signOut();
}

