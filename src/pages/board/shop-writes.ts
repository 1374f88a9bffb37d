/** Changes the shop and its menu. Every screen shows the change once the service has it. */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { emptyMenu, isSoldOut, type MenuItem, menuKinds, nameOf } from "../shared/menu.ts";
import type { MenuKind, Shop, ShopPizza } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import { textIn } from "./forms.ts";
import { notify } from "./notices.ts";
import { state } from "./store.ts";

/** Says what failed, where something did. */
export function notifyFailure(work: Promise<unknown>, about: string): void {
  work.catch((fault: unknown) => { notify(`${about}: ${explain(fault)}`); });
}

/** Again if another change was faster, so both last. */
export async function changeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const { data, etag } = await read<Shop>("api/shop");
  await write("PATCH", "api/shop", change(data), etag).catch((fault: unknown) => {
    if (!isRefusal(fault, 412)) throw fault;
    return changeShop(change);
  });
}

/** Saves the notice, and what else changes. */
export async function saveNotice(form: HTMLFormElement, change: Partial<Shop> = {}): Promise<void> {
  const notice = textIn(form, "notice");
  await changeShop(() => ({ notice, ...change }));
  notify(t("Saved"));
}

/** Closing asks, since guests notice it at once. Opening offers to sell everything again. */
export async function openOrCloseShop(form: HTMLFormElement): Promise<void> {
  if (state().menu.shop.isOpen) {
    const isMeant = await ask(t("Close the shop?"), t("Close the shop"), t("Keep it open"),
      { detail: t("Guests can’t order until it is open again.") });
    return isMeant ? saveNotice(form, { isOpen: false }) : undefined;
  }
  // A notice that says when the shop is back is wrong once it is back.
  await saveNotice(form, { isOpen: true, notice: "" });
  const { menu } = state();
  const names = menuKinds.flatMap((kind) => menu[kind].filter(({ id }) =>
    isSoldOut(menu, kind, id))).map(({ name }) => name);
  if (names.length === 0) return;
  const isAgain = await ask(t("Sell everything again?"), t("Sell everything"), t("Not yet"),
    { detail: t("Sold out: {names}", { names: listed(names) }), className: "go" });
  if (isAgain) await changeShop(() => ({ soldOut: emptyMenu.shop.soldOut }));
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

/**
 * A topping of the shop's pizzas asks first. Undone, an item comes back as it was, under the id by
 * which orders know it.
 */
export async function removeItem(kind: MenuKind, id: string): Promise<void> {
  const { pizzas } = state().menu.shop;
  const names = kind === "toppings"
    ? pizzas.filter(({ toppings }) => toppings.includes(id)).map((pizza) => pizza.name) : [];
  if (names.length > 0 && !(await askToRemove(kind, id, names))) return;
  const { data, etag } = await read<MenuItem>(itemPath(kind, id));
  const wasSoldOut = isSoldOut(state().menu, kind, id);
  await write("DELETE", itemPath(kind, id), undefined, etag);
  const { name } = data;
  const bringBack = async (): Promise<void> => {
    await write("POST", `api/${kind}`, data);
    if (wasSoldOut) await setSoldOut(kind, id, true);
  };
  notify(t("{name} removed", { name }), undefined, () => { notifyFailure(bringBack(), name); });
}

function askToRemove(
  kind: MenuKind, id: string, pizzas: readonly string[],
): Promise<boolean> {
  const name = nameOf(state().menu, kind, id);
  const detail = t("It is on {pizzas}. What lacks a topping is not offered.", {
    pizzas: listed(pizzas),
  });
  return ask(t("Remove {name}?", { name }), t("Remove"), t("Keep it"),
    { detail, className: "ink" });
}

/** Where a pizza stands in the shop's list; below 0 where another device has changed it. */
export function indexOfPizza({ pizzas }: Shop, pizza: ShopPizza): number {
  return pizzas.findIndex(({ name, toppings }) =>
    name === pizza.name && toppings.join(" ") === pizza.toppings.join(" "));
}

export async function removePizza(pizza: ShopPizza): Promise<void> {
  const { name } = pizza;
  const before = indexOfPizza(state().menu.shop, pizza);
  await changeShop((shop) => {
    const removed = indexOfPizza(shop, pizza);
    return { pizzas: shop.pizzas.filter((_, index) => index !== removed) };
  });
  const bringBack = (): Promise<void> =>
    changeShop(({ pizzas }) => ({ pizzas: pizzas.toSpliced(before, 0, pizza) }));
  notify(t("{name} removed", { name }), undefined, () => { notifyFailure(bringBack(), name); });
}
