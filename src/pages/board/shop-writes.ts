/** Changes the shop and its menu. Every screen shows the change once the service has it. */

import { change, explain, read, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import {
  emptyMenu, isSoldOut, itemName, itemsInOrder, type MenuItem, menuKinds,
} from "../shared/menu.ts";
import type { MenuKind, Shop, ShopPizza } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import { freshForm, type OpeningDialog } from "./dialog-state.ts";
import { saveForm, textIn } from "./forms.ts";
import { closeDialog, notify, openDialog, set, state } from "./store.ts";

/** Says what failed, where something did. */
export function notifyFailure(work: Promise<unknown>, about: string): void {
  work.catch((fault: unknown) => { notify(`${about}: ${explain(fault)}`); });
}

/** Both last if another change is faster: see `change`. */
export async function changeShop(bodyOf: (now: Shop) => Partial<Shop>): Promise<void> {
  await change<Shop>("api/shop", bodyOf);
}

/** A notice that comes from elsewhere meanwhile does not replace the typed one. */
export function typeNotice(text: string): void {
  const { typedNotice, menu: { shop } } = state();
  set({ typedNotice: { text, before: typedNotice?.before ?? shop.notice } });
}

/** Saves the notice that was typed, and what else changes. */
export async function saveNotice(more: Partial<Shop> = {}): Promise<void> {
  const { typedNotice } = state();
  const notice = typedNotice?.text.trim();
  await changeShop(() => ({ ...notice !== undefined && { notice }, ...more }));
  if (state().typedNotice === typedNotice) set({ typedNotice: undefined });
  notify(t("Saved"));
}

/** Asks, since guests notice it at once. */
export async function closeShop(): Promise<void> {
  const isMeant = await ask(t("Close the shop?"), t("Close the shop"), t("Keep it open"),
    { detail: t("Guests can’t order until it is open again.") });
  if (isMeant) await saveNotice({ isOpen: false });
}

/** Asks about what was said and sold out while the shop was closed, if there is something. */
export async function openShop(): Promise<void> {
  const { menu: { shop } } = state();
  if (shop.notice === "" && soldOutNames().length === 0) return saveNotice({ isOpen: true });
  openDialog({ type: "opening", ...freshForm });
}

export function soldOutNames(): readonly string[] {
  const { menu } = state();
  return menuKinds.flatMap((kind) => menu[kind].filter(({ id }) => isSoldOut(menu, kind, id)))
    .map(({ name }) => name);
}

export function saveOpening(dialog: OpeningDialog): Promise<void> {
  const isChosen = (field: string): boolean => textIn(dialog, field, "false") === "true";
  return saveForm(dialog, {}, async () => {
    await changeShop(() => ({
      isOpen: true, ...isChosen("notice") && { notice: "" },
      ...isChosen("soldOut") && { soldOut: emptyMenu.shop.soldOut },
    }));
    return "";
  }, closeDialog);
}

export function setSoldOut(kind: MenuKind, id: string, isOut: boolean): Promise<void> {
  return changeShop(({ soldOut }) => {
    const others = soldOut[kind].filter((other) => other !== id);
    return { soldOut: { ...soldOut, [kind]: isOut ? [...others, id] : others } };
  });
}

export function itemPath(kind: MenuKind, id: string): string {
  return `api/${kind}/${encodeURIComponent(id)}`;
}

/** A topping goes from the shop's pizzas first, so that no recipe keeps what nobody sells. */
export async function removeItem(kind: MenuKind, id: string): Promise<void> {
  const { menu } = state();
  const name = itemName(menu, kind, id);
  const pizzas = kind !== "toppings" ? []
    : menu.shop.pizzas.filter(({ toppings }) => toppings.includes(id));
  const emptied = pizzas.filter((pizza) => isNothingElseOn(pizza, id));
  const others = pizzas.filter((pizza) => !emptied.includes(pizza));
  const detail = [
    others.length > 0 && t("{name} goes from {pizzas}, too.", { name, pizzas: namesOf(others) }),
    emptied.length > 0
      && t("Nothing else is on {pizzas}: gone, too.", { pizzas: namesOf(emptied) }),
  ].filter((sentence) => sentence !== false).join(" ");
  if (!await askToRemove(name, detail)) return;
  if (pizzas.length > 0) {
    await changeShop((shop) => ({
      pizzas: shop.pizzas.filter((pizza) => !isNothingElseOn(pizza, id)).map((pizza) =>
        ({ ...pizza, toppings: pizza.toppings.filter((topping) => topping !== id) })),
    }));
  }
  const { etag } = await read<MenuItem>(itemPath(kind, id));
  await write("DELETE", itemPath(kind, id), undefined, etag);
  notify(t("{name} removed", { name }));
}

/** A pizza with this topping alone. */
function isNothingElseOn({ toppings }: ShopPizza, id: string): boolean {
  return toppings.length > 0 && toppings.every((topping) => topping === id);
}

function namesOf(pizzas: readonly ShopPizza[]): string {
  return listed(pizzas.map(({ name }) => name));
}

function askToRemove(name: string, detail: string): Promise<boolean> {
  return ask(t("Remove {name}?", { name }), t("Remove"), t("Keep it"),
    { ...detail !== "" && { detail }, className: "ink" });
}

/** Where a pizza stands in the shop's list; below 0 where another device has changed it. */
export function indexOfPizza({ pizzas }: Shop, pizza: ShopPizza): number {
  return pizzas.findIndex(({ name, toppings }) =>
    name === pizza.name && toppings.join(" ") === pizza.toppings.join(" "));
}

export async function removePizza(pizza: ShopPizza): Promise<void> {
  const { name } = pizza;
  if (!await askToRemove(name, "")) return;
  await changeShop((shop) => {
    const removed = indexOfPizza(shop, pizza);
    return { pizzas: shop.pizzas.filter((_, index) => index !== removed) };
  });
  notify(t("{name} removed", { name }));
}

/** Where it stands on both pages. `by`: -1 is up, 1 is down. */
export function reorderItem(kind: MenuKind, id: string, by: -1 | 1): Promise<void> {
  const items: readonly MenuItem[] = itemsInOrder(state().menu, kind);
  const ids = items.map((item) => item.id);
  const order = moved(ids, ids.indexOf(id), by).slice(0, longestOrder);
  return changeShop(({ menuOrder }) => ({ menuOrder: { ...menuOrder, [kind]: order } }));
}

/** The service keeps no longer order of a kind. */
const longestOrder = 200;

export function reorderPizza(name: string, by: -1 | 1): Promise<void> {
  return changeShop(({ pizzas }) => ({
    pizzas: moved(pizzas, pizzas.findIndex((pizza) => pizza.name === name), by),
  }));
}

/** The items, with the one at `index` one place further. */
function moved<T>(items: readonly T[], index: number, by: -1 | 1): readonly T[] {
  return items.toSpliced(index, 1).toSpliced(index + by, 0, ...items.slice(index, index + 1));
}
