/** Changes the shop and its menu. Every screen shows the change once the service has it. */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { isSoldOut, type MenuItem } from "../shared/menu.ts";
import type { MenuKind, Shop } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { notify } from "./notices.ts";
import { state } from "./state.ts";

/** Says what failed, where something did. */
export async function tell(work: Promise<unknown>, about: string): Promise<void> {
  await work.catch((fault: unknown) => { notify(`${about}: ${explain(fault)}`); });
}

/** Again if another change was faster, so both last. */
async function changeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const { data, etag } = await read<Shop>("api/shop");
  await write("PATCH", "api/shop", change(data), etag).catch((fault: unknown) => {
    if (!isRefusal(fault, 412)) throw fault;
    return changeShop(change);
  });
}

/** Saves what the fields say, and whether the shop is open from now on. */
export function saveShop(form: FormData, isOpen: boolean): void {
  const [name = "", text = ""] = ["name", "notice"].map((field) => String(form.get(field)).trim());
  if (name === "") return void notify(t("The shop needs a name."));
  // A notice that says when the shop is back is wrong once it is back.
  const notice = isOpen && !state().menu.shop.isOpen ? "" : text;
  void tell(changeShop(() => ({ name, notice, isOpen })).then(() => { notify(t("Saved")); }), name);
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
