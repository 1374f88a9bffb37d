/** Changes the shop and its menu. Every screen shows the change once the service has it. */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { isSoldOut, type MenuItem } from "../shared/menu.ts";
import type { MenuKind, Shop } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { notify } from "./notices.ts";
import { set, state } from "./state.ts";

/** Says what failed, where something did. */
export async function tell(work: Promise<unknown>, about: string): Promise<void> {
  await work.catch((fault: unknown) => { notify(`${about}: ${explain(fault)}`); });
}

type ShopChange = (now: Shop) => Partial<Shop>;

const shopWrites: { last: Promise<unknown> } = { last: Promise.resolve() };

/** Makes one change after the other, each of the shop as it is then. */
function changeShop(change: ShopChange): Promise<void> {
  const done = shopWrites.last.then(() => writeShop(change));
  shopWrites.last = done.catch(() => undefined);
  return done;
}

/** Again if another screen was faster, so both changes last. */
async function writeShop(change: ShopChange): Promise<void> {
  const { data, etag } = await read<Shop>("api/shop");
  await write("PATCH", "api/shop", change(data), etag).catch((fault: unknown) => {
    if (!isRefusal(fault, 412)) throw fault;
    return writeShop(change);
  });
}

export function saveShop(form: FormData): void {
  const [name = "", notice = ""] = ["name", "notice"].map((field) => textOf(form, field));
  if (name === "") return void notify(t("The shop needs a name."));
  void tell(changeShop(() => ({ name, notice })).then(() => { notify(t("Saved")); }), name);
}

/** A notice that says when the shop is back is wrong once it is back. */
export function openShop(): void {
  void tell(changeShop(() => ({ isOpen: true, notice: "" })), state().menu.shop.name);
}

export function closeShop(form: FormData): void {
  const notice = textOf(form, "notice");
  set({ dialog: undefined });
  void tell(changeShop(() => ({ isOpen: false, notice })), state().menu.shop.name);
}

function textOf(form: FormData, field: string): string {
  return String(form.get(field)).trim();
}

export function setSoldOut(kind: MenuKind, id: string, isOut: boolean): Promise<void> {
  return changeShop(({ soldOut: all }) => {
    const others = all[kind].filter((one) => one !== id);
    return { soldOut: { ...all, [kind]: isOut ? [...others, id] : others } };
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
  notify(t("{name} removed", { name }), undefined, () => tell(bringBack(), name));
}
