/**
 * The menu as staff work it: add, change, sold out for tonight, and back again. "Sold out"
 * deletes the item, and every board that looks on keeps it whole: it comes back as it was,
 * under the same id, by which the orders that hold it refer to it.
 */

import { explain, read, write } from "./api.ts";
import { button, el, part, unseen } from "./dom.ts";
import { addItem, changeItem } from "./item-dialog.ts";
import { menu, menuKinds, notesOn } from "./menu.ts";
import type { MenuItem, MenuKind } from "./menu.ts";
import { notify } from "./notices.ts";
import { keep, kept } from "./session.ts";

const titles = {
  pizzasizes: ["Sizes", "Add a size"],
  toppings: ["Toppings", "Add a topping"],
  beverages: ["Drinks", "Add a drink"],
} as const;

const lists = { pizzasizes: el("ul"), toppings: el("ul"), beverages: el("ul") };
// Written by `keepSoldOut` alone, on this device.
let soldOut = JSON.parse(kept("sold-out", "localStorage") ?? "{}") as
  Partial<Record<MenuKind, readonly MenuItem[]>>;

for (const kind of menuKinds) {
  const [title, add] = titles[kind];
  part("menu").append(el("section", {}, el("h2", {}, title), lists[kind],
    button("staff", () => { addItem(kind, add); }, add)));
}

export function showMenuTab(): void {
  for (const kind of menuKinds) showKind(kind);
}

/**
 * After a change of one item; `before` is what it was, if it was on the menu. Taken for sold out
 * until showKind finds it on the menu still.
 */
export function menuTabChanged(kind: MenuKind, before: MenuItem | undefined): void {
  if (before !== undefined) keepSoldOut(kind, [...(soldOut[kind] ?? []), before]);
  showKind(kind);
}

function showKind(kind: MenuKind): void {
  const list = lists[kind];
  // What is on the menu again is not sold out, whoever brought it back.
  keepSoldOut(kind, (soldOut[kind] ?? []).filter(({ id }) => !menu[kind].has(id)));
  const { activeElement } = document;
  const focused = list.contains(activeElement) ? activeElement?.textContent : undefined;
  list.replaceChildren(...[...menu[kind].values()].map((item) => line(kind, item)),
    ...(soldOut[kind] ?? []).map((item) => soldOutLine(kind, item)));
  if (focused === undefined) return;
  const same = [...list.querySelectorAll("button")].find((one) => one.textContent === focused);
  (same ?? list.parentElement?.querySelector<HTMLElement>(":scope > button"))?.focus();
}

function keepSoldOut(kind: MenuKind, items: readonly MenuItem[]): void {
  soldOut = { ...soldOut, [kind]: items };
  keep("sold-out", JSON.stringify(soldOut), "localStorage");
}

function line(kind: MenuKind, item: MenuItem): HTMLElement {
  const path = `api/${kind}/${encodeURIComponent(item.id)}`;
  return el("li", {}, el("span", {}, el("b", {}, item.name), ` ${notesOn(item)}`),
    action("Change", item, () => changeItem(kind, item.id)),
    // The row changes when the event comes, on this screen as on every other.
    action("Sold out", item, async () => {
      await write("DELETE", path, undefined, (await read(path)).etag);
    }));
}

function soldOutLine(kind: MenuKind, item: MenuItem): HTMLElement {
  return el("li", { class: "gone" }, el("span", {}, el("b", {}, item.name), " sold out"),
    action("Bring back", item, () => write("POST", `api/${kind}`, item)),
    action("Forget", item, async () => {
      keepSoldOut(kind, (soldOut[kind] ?? []).filter(({ id }) => id !== item.id));
      showKind(kind);
    }));
}

function action(label: string, { name }: MenuItem, act: () => Promise<unknown>): HTMLElement {
  return button("staff", () => {
    act().catch((fault) => { notify(`${name}: ${explain(fault)}`); });
  }, label, unseen(` ${name}`));
}
