/**
 * The form of a menu item. Only what was typed is written. A text that was changed elsewhere stands
 * below the typed one, and only a press on Save after that writes over it.
 */

import { change, write } from "../shared/api.ts";
import type { View } from "../shared/dom.ts";
import { itemOf, type MenuItem } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { freshForm, type ItemDialog } from "./dialog-state.ts";
import { addAnother, formDialog, saveForm, textIn } from "./forms.ts";
import { fieldsOf, type Texts, type Values } from "./item-fields.ts";
import { itemPath } from "./shop-writes.ts";
import { applyChanges, closeDialog, openDialog, state } from "./store.ts";

export const addTitles: Readonly<Record<MenuKind, string>> = {
  pizzasizes: t("Add a size"), toppings: t("Add a topping"), beverages: t("Add a drink"),
};

/** Opens the form of an item, or of a new one. */
export function openItemForm(kind: MenuKind, item?: MenuItem): void {
  openDialog({ type: "item", kind, item, ...freshForm });
}

/** The item as the board knows it now. Undefined: a new one. */
function latestItem({ kind, item }: ItemDialog): MenuItem | undefined {
  return item && (itemOf(state().menu, kind, item.id) ?? item);
}

/** All fields, as they were typed or as they are. */
function textsOf(dialog: ItemDialog): Texts {
  const texts = Object.entries(textsIn(dialog.kind, latestItem(dialog)));
  return Object.fromEntries(texts.map(([field, text]) =>
    [field, textIn(dialog, field, text).trim()]));
}

function textsIn(kind: MenuKind, item: Values = {}): Texts {
  return Object.fromEntries(fieldsOf[kind].map(({ name, textOf }) => [name, textOf(item)]));
}

function valuesOf(kind: MenuKind, texts: Texts): Values {
  return Object.fromEntries(fieldsOf[kind].flatMap(({ name, valueOf }) => {
    const value = valueOf(texts[name] ?? "", texts);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** The members that the service takes: all of a new item, else those that differ. */
function changesOf(dialog: ItemDialog): Values {
  const { kind } = dialog;
  const values = valuesOf(kind, textsOf(dialog));
  const now = latestItem(dialog);
  if (now === undefined) return values;
  const before: Values = valuesOf(kind, textsIn(kind, now));
  return Object.fromEntries(Object.entries(values).filter(([field, value]) =>
    JSON.stringify(value) !== JSON.stringify(before[field as keyof Values])));
}

function save(dialog: ItemDialog): Promise<void> {
  const { kind, item } = dialog;
  const texts = textsOf(dialog);
  const values = valuesOf(kind, texts);
  const faults = Object.fromEntries(fieldsOf[kind].flatMap(({ name, fault }) =>
    fault !== undefined && values[name] === undefined ? [[name, fault]] : []));
  return saveForm(dialog, faults,
    () => item === undefined ? add(kind, changesOf(dialog)) : update(dialog, item),
    item === undefined ? () => { addAnother({ ...dialog }, texts["name"] ?? ""); } : closeDialog);
}

/** Adds an item, whose event may come later. */
async function add(kind: MenuKind, values: Values): Promise<string> {
  const { data } = await write<MenuItem>("POST", `api/${kind}`, values);
  applyChanges([{ event: `${kind}.created`, data }]);
  return "";
}

/** Resolves to a sentence if another text came: it is shown then, and nothing was written. */
async function update(dialog: ItemDialog, { id }: MenuItem): Promise<string> {
  const { kind } = dialog;
  const seen = textsIn(kind, latestItem(dialog));
  let isNewer = false;
  await change<MenuItem>(itemPath(kind, id), (data) => {
    const changes = changesOf(dialog);
    const now = textsIn(kind, data);
    applyChanges([{ event: `${kind}.updated`, data }]);
    isNewer = Object.keys(changes).some((field) => now[field] !== seen[field]);
    return isNewer ? undefined : changes;
  });
  return isNewer ? t("Somebody else changed it. Save writes over that.") : "";
}

export function itemForm(dialog: ItemDialog): View {
  const { kind, item, typed } = dialog;
  const first = textsIn(kind, item);
  const now = textsIn(kind, latestItem(dialog));
  return formDialog(dialog, {
    title: item === undefined ? addTitles[kind] : t("Change {name}", { name: item.name }),
    isTyped: Object.entries(textsOf(dialog)).some(([name, text]) => text !== now[name]),
    leaveLabel: item && t("Don’t change"),
    save: () => save(dialog),
  }, ...fieldsOf[kind].map(({ name, label, draw }) => draw(dialog, {
    name, label, first: now[name] ?? "",
    newer: typed[name] === undefined || now[name] === first[name]
      || now[name] === typed[name]?.trim() ? undefined : now[name],
  })));
}
