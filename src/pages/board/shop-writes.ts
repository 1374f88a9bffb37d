/** Changes the shop and its menu. Every screen shows the change once the service has it. */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { isSoldOut, type MenuItem } from "../shared/menu.ts";
import type { MenuKind, NamedPizza, Shop } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { textIn } from "./form-parts.ts";
import { notify } from "./notices.ts";
import { state } from "./state.ts";

/** Says what failed, where something did. */
export function tell(work: Promise<unknown>, about: string): void {
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

/** Saves what the fields say, and what else changes. */
export function saveShop(form: HTMLFormElement, change: Partial<Shop> = {}): void {
  const [name, notice] = [textIn(form, "name"), textIn(form, "notice")];
  if (name === "") return notify(t("The shop needs a name."));
  const saving = changeShop(() => ({ name, notice, ...change }));
  tell(saving.then(() => { notify(t("Saved")); }), name);
}

/** Closing asks, since guests notice it at once. */
export async function turnShop(form: HTMLFormElement): Promise<void> {
  // A notice that says when the shop is back is wrong once it is back.
  if (!state().menu.shop.isOpen) return saveShop(form, { isOpen: true, notice: "" });
  const isMeant = await ask(t("Close the shop?"), t("Close the shop"), t("Keep it open"),
    { detail: t("Guests can’t order until it is open again.") });
  if (isMeant) saveShop(form, { isOpen: false });
}

export function setSoldOut(kind: MenuKind, id: string, isOut: boolean): Promise<void> {
  return changeShop(({ soldOut }) => {
    const others = soldOut[kind].filter((one) => one !== id);
    return { soldOut: { ...soldOut, [kind]: isOut ? [...others, id] : others } };
  });
}

export function itemPath(kind: MenuKind, id: string): string {
  return `api/${kind}/${encodeURIComponent(id)}`;
}

/** Undone, an item comes back as it was, under the id by which orders know it. */
export async function removeItem(kind: MenuKind, id: string): Promise<void> {
  const { data, etag } = await read<MenuItem>(itemPath(kind, id));
  const wasSoldOut = isSoldOut(state().menu, kind, id);
  await write("DELETE", itemPath(kind, id), undefined, etag);
  const { name } = data;
  const bringBack = async (): Promise<void> => {
    await write("POST", `api/${kind}`, data);
    if (wasSoldOut) await setSoldOut(kind, id, true);
  };
  notify(t("{name} removed", { name }), undefined, () => { tell(bringBack(), name); });
}

/** Where a pizza stands in the shop's list; below 0 where another device has changed it. */
export function indexOfPizza({ pizzas }: Shop, pizza: NamedPizza): number {
  return pizzas.findIndex(({ name, toppings }) =>
    name === pizza.name && toppings.join(" ") === pizza.toppings.join(" "));
}

export async function removePizza(pizza: NamedPizza): Promise<void> {
  const { name } = pizza;
  const before = indexOfPizza(state().menu.shop, pizza);
  await changeShop((shop) => {
    const index = indexOfPizza(shop, pizza);
    return { pizzas: shop.pizzas.filter((_, at) => at !== index) };
  });
  const bringBack = (): Promise<void> =>
    changeShop(({ pizzas }) => ({ pizzas: pizzas.toSpliced(before, 0, pizza) }));
  notify(t("{name} removed", { name }), undefined, () => { tell(bringBack(), name); });
}
