/**
 * The menu and the shop as staff work them: sold out and back in one tap, add, change, duplicate,
 * remove and undo, open and close. What is shown is what the service last told: a row changes when
 * the event comes, on this screen as on every other.
 */

import { explain, isRefusal, read, write } from "./api.ts";
import { arrange, button, byId, el, onClick, part, setText, unseen } from "./dom.ts";
import { addItem, changeItem } from "./item-dialog.ts";
import { isSoldOut, menu, menuKinds, notesOn, shop } from "./menu.ts";
import type { MenuItem, MenuKind, Shop } from "./menu.ts";
import { notify } from "./notices.ts";
import { t } from "./words.ts";

/** Of one item; it stays the same element whatever becomes of the item. */
interface Row {
  readonly element: HTMLElement;
  show(item: MenuItem): void;
}

const titles = {
  pizzasizes: [t("Sizes"), t("Add a size")],
  toppings: [t("Toppings"), t("Add a topping")],
  beverages: [t("Drinks"), t("Add a drink")],
} as const;

const sections = Object.fromEntries(menuKinds.map((kind) => [kind, sectionOf(kind)])) as
  Record<MenuKind, { list: HTMLElement; rows: Map<string, Row> }>;
const search = byId("menu-search", HTMLInputElement);
let lastChange: Promise<void> = Promise.resolve();
const shopName = byId("shop-name-input", HTMLInputElement);
const notice = byId("notice-input", HTMLInputElement);

search.addEventListener("input", showFound);
onClick("toggle-shop", () => { void tell(changeShop(({ isOpen }) => ({ isOpen: !isOpen }))); });
part("shop-form").addEventListener("submit", (event) => {
  event.preventDefault();
  void saveTexts();
});

export function showMenuTab(): void {
  for (const kind of menuKinds) showKind(kind);
  showShop();
}

export function showKind(kind: MenuKind): void {
  const { list, rows } = sections[kind];
  const items = [...menu[kind].values()];
  for (const id of rows.keys()) if (!menu[kind].has(id)) rows.delete(id);
  arrange(list, items.map((item) => {
    const row = rows.get(item.id) ?? makeRow(kind);
    rows.set(item.id, row);
    row.show(item);
    return row.element;
  }));
  showFound();
}

/** A field that somebody is typing in keeps what is typed. */
function showShop(): void {
  const { name, isOpen, notice: text } = shop();
  setText(part("shop-now"), isOpen ? t("The shop is open.") : t("The shop is closed."));
  setText(part("toggle-shop"), isOpen ? t("Close the shop") : t("Open the shop"));
  for (const [input, value] of [[shopName, name], [notice, text]] as const) {
    if (input.value === input.defaultValue) input.value = value;
    input.defaultValue = value;
  }
}

async function saveTexts(): Promise<void> {
  const [name, text] = [shopName.value.trim(), notice.value.trim()];
  const fault = name === "" ? t("The shop needs a name.") : "";
  setText(part("shop-fault"), fault);
  shopName.setAttribute("aria-invalid", String(fault !== ""));
  if (fault !== "") return shopName.focus();
  [shopName.defaultValue, notice.defaultValue] = [shopName.value, notice.value];
  await tell(changeShop(() => ({ name, notice: text })).then(() => { notify(t("Saved.")); }));
}

/** What `change` makes of the shop as it is then; one change after the other. */
function changeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const changing = lastChange.then(() => writeShop(change));
  lastChange = changing.catch(() => undefined);
  return changing;
}

/** Again where another screen was faster: each change of ours stands beside its. */
async function writeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const { data, etag } = await read<Shop>("api/shop");
  await write("PATCH", "api/shop", change(data), etag).catch((fault) => {
    if (!isRefusal(fault, 412)) throw fault;
    return writeShop(change);
  });
}

function setSoldOut(kind: MenuKind, id: string, isOut: boolean): Promise<void> {
  return changeShop(({ soldOut: all }) => {
    const others = all[kind].filter((one) => one !== id);
    return { soldOut: { ...all, [kind]: isOut ? [...others, id] : others } };
  });
}

/** Undone, an item comes back as it was, under the id by which orders know it; at the end. */
async function remove(kind: MenuKind, id: string): Promise<void> {
  const path = `api/${kind}/${encodeURIComponent(id)}`;
  const { data, etag } = await read<MenuItem>(path);
  const wasSoldOut = isSoldOut(kind, id);
  await write("DELETE", path, undefined, etag);
  const bringBack = async () => {
    await write("POST", `api/${kind}`, data);
    if (wasSoldOut) await setSoldOut(kind, id, true);
  };
  const { name } = data;
  notify(t("{name} was removed.", { name }), () => { void tell(bringBack(), name); });
}

function sectionOf(kind: MenuKind): { list: HTMLElement; rows: Map<string, Row> } {
  const [title, add] = titles[kind];
  const list = el("ul", { class: "items" });
  part("menu-kinds").append(el("section", { class: kind },
    el("h2", {}, title), button("add", () => { addItem(kind, add); }, `+ ${add}`), list));
  return { list, rows: new Map() };
}

function makeRow(kind: MenuKind): Row {
  let shown: MenuItem | undefined;
  const act = (work: (item: MenuItem) => Promise<unknown>) => () => {
    if (shown !== undefined) void tell(work(shown), shown.name);
  };
  const what = el("b");
  const notes = el("span", { class: "quiet" });
  const toggle = button("toggle", act(({ id }) => setSoldOut(kind, id, !isSoldOut(kind, id))));
  const change = button("", act(({ id }) => changeItem(kind, id)));
  const duplicate = button("", act(async (item) => { addItem(kind, titles[kind][1], item); }));
  const away = button("", act(({ id }) => remove(kind, id)));
  const summary = el("summary");
  const more = el("details", {}, summary, duplicate, away);
  const element = el("li", {}, el("p", {}, what, " ", notes), toggle, change, more);
  const show = (item: MenuItem) => {
    const before = shown;
    const isOut = isSoldOut(kind, item.id);
    const text = isOut ? t("Bring back") : t("Sold out");
    element.classList.toggle("sold-out", isOut);
    setText(notes, [isOut ? t("sold out") : "", notesOn(item)].filter(Boolean).join(" · "));
    if (toggle.firstChild?.textContent !== text || before?.name !== item.name) {
      toggle.replaceChildren(text, unseen(` ${item.name}`));
    }
    shown = item;
    if (before?.name === item.name) return;
    setText(what, item.name);
    const texts = [
      [change, t("Change")], [duplicate, t("Duplicate")], [away, t("Remove")],
    ] as const;
    for (const [one, label] of texts) one.replaceChildren(label, unseen(` ${item.name}`));
    summary.replaceChildren("⋯", unseen(t("More for {name}", { name: item.name })));
  };
  return { element, show };
}

function showFound(): void {
  const wanted = search.value.trim().toLocaleLowerCase();
  let found = 0;
  for (const kind of menuKinds) {
    for (const [id, { element }] of sections[kind].rows) {
      const name = menu[kind].get(id)?.name ?? "";
      element.hidden = !name.toLocaleLowerCase().includes(wanted);
      if (!element.hidden) found += 1;
    }
  }
  setText(part("menu-found"),
    wanted === "" || found > 0 ? "" : t("Nothing on the menu is called that."));
}

/** What came of it is told by the row itself, once the service has it; a fault here. */
function tell(work: Promise<unknown>, about = shop().name): Promise<void> {
  return work.then(() => undefined, (fault) => { notify(`${about}: ${explain(fault)}`); });
}
