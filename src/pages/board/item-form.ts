/**
 * The form of a menu item. Only what was typed is written. A text that was changed elsewhere stands
 * below the typed one, and only a press on Save after that writes over it.
 */

import { isRefusal, read, write } from "../shared/api.ts";
import type { View } from "../shared/dom.ts";
import { itemOf, type MenuItem } from "../shared/menu.ts";
import type { Beverage, MenuKind, PizzaSize, Topping } from "../shared/types.ts";
import { inchesPerUnit, locale, t, usesInches } from "../shared/words.ts";
import { freshForm, type ItemDialog } from "./dialog-state.ts";
import {
  addAnother, checkbox, choice, formDialog, saveForm, textArea, textField, textIn,
} from "./forms.ts";
import { itemPath } from "./shop-writes.ts";
import { applyChanges, closeDialog, openDialog, state } from "./store.ts";

export const addTitles: Readonly<Record<MenuKind, string>> = {
  pizzasizes: t("Add a size"), toppings: t("Add a topping"), beverages: t("Add a drink"),
};

/** An item of one of the kinds has some of them. */
type Values = Partial<PizzaSize & Topping & Beverage>;

/** The texts of the fields, by the name of what they fill. */
type Texts = Readonly<Record<string, string>>;

/** Without an item a new one. */
export function openItemForm(kind: MenuKind, item?: MenuItem): void {
  openDialog({ type: "item", kind, item, ...freshForm });
}

/** The item as the board knows it now. Undefined: a new one. */
function nowOf({ kind, item }: ItemDialog): MenuItem | undefined {
  return item && (itemOf(state().menu, kind, item.id) ?? item);
}

/** All fields, as they were typed or as they are. */
function textsOf(dialog: ItemDialog): Texts {
  const texts = Object.entries(textsIn(nowOf(dialog)));
  return Object.fromEntries(texts.map(([field, text]) =>
    [field, textIn(dialog, field, text).trim()]));
}

/** The texts of an item. One that it has not is "". */
function textsIn(item: Values = {}): Texts {
  const { name = "", description = "", diameterInInches, isCarbonated, sizeOptions = [] } = item;
  return {
    name, description,
    diameterInInches: diameterInInches === undefined ? "" : typedLength(diameterInInches),
    isVegetarian: String(item.isVegetarian ?? false),
    isVegan: String(item.isVegan ?? false),
    isCarbonated: isCarbonated === undefined ? "" : String(isCarbonated),
    sizeOptions: sizeOptions.join("\n"),
  };
}

/** The members that the service takes: all of a new item, else those that differ. */
function changesOf(dialog: ItemDialog): Values {
  const { kind } = dialog;
  const values = valuesOf(kind, textsOf(dialog));
  const now = nowOf(dialog);
  if (now === undefined) return values;
  const before: Values = valuesOf(kind, textsIn(now));
  return Object.fromEntries(Object.entries(values).filter(([field, value]) =>
    JSON.stringify(value) !== JSON.stringify(before[field as keyof Values])));
}

function valuesOf(kind: MenuKind, texts: Texts): Values {
  const { name = "", description = "" } = texts;
  switch (kind) {
    case "pizzasizes":
      return { name, description, diameterInInches: inchesIn(texts["diameterInInches"] ?? "") };
    case "toppings": {
      const isVegan = texts["isVegan"] === "true";
      // A vegan topping is vegetarian, too.
      return { name, description, isVegetarian: isVegan || texts["isVegetarian"] === "true",
        isVegan };
    }
    case "beverages": {
      const { isCarbonated = "", sizeOptions = "" } = texts;
      const lines = sizeOptions.split("\n").map((line) => line.trim());
      return {
        name, description, ...isCarbonated !== "" && { isCarbonated: isCarbonated === "true" },
        sizeOptions: [...new Set(lines)].filter((line) => line !== ""),
      };
    }
  }
}

function save(dialog: ItemDialog): Promise<void> {
  const { kind, item } = dialog;
  const texts = textsOf(dialog);
  return saveForm(dialog, faultsIn(kind, valuesOf(kind, texts)),
    () => item === undefined ? add(kind, changesOf(dialog)) : change(dialog, item),
    item === undefined ? () => { addAnother({ ...dialog }, texts["name"] ?? ""); } : closeDialog);
}

/** Its event may come later. */
async function add(kind: MenuKind, values: Values): Promise<string> {
  const { data } = await write<MenuItem>("POST", `api/${kind}`, values);
  applyChanges([{ event: `${kind}.created`, data }]);
  return "";
}

/** Resolves to a sentence if another text came: it is shown then, and nothing was written. */
async function change(dialog: ItemDialog, item: MenuItem): Promise<string> {
  const { kind } = dialog;
  const changes = changesOf(dialog);
  const seen = textsIn(nowOf(dialog));
  const { data, etag } = await read<MenuItem>(itemPath(kind, item.id));
  const now = textsIn(data);
  applyChanges([{ event: `${kind}.updated`, data }]);
  if (Object.keys(changes).some((field) => now[field] !== seen[field])) {
    return t("Somebody else changed it. Save writes over that.");
  }
  try {
    await write("PATCH", itemPath(kind, item.id), changes, etag);
    return "";
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return change(dialog, item);
  }
}

function faultsIn(
  kind: MenuKind, { name, diameterInInches, isCarbonated }: Values,
): ItemDialog["faults"] {
  return {
    ...name === "" && { name: t("It needs a name.") },
    ...diameterInInches === 0 && {
      diameterInInches: t("How wide is it? A number such as {example}.", {
        example: typedLength(10.04),
      }),
    },
    ...kind === "beverages" && isCarbonated === undefined
      && { isCarbonated: t("Sparkling or still?") },
  };
}

export function itemForm(dialog: ItemDialog): View {
  const { kind, item, typed } = dialog;
  const first = textsIn(item);
  const now = textsIn(nowOf(dialog));
  const field = (name: string, label: string) => ({
    name, label, first: now[name] ?? "",
    newer: typed[name] === undefined || now[name] === first[name]
      || now[name] === typed[name]?.trim() ? undefined : now[name],
  });
  return formDialog(dialog, {
    title: item === undefined ? addTitles[kind] : t("Change {name}", { name: item.name }),
    isTyped: Object.entries(textsOf(dialog)).some(([name, text]) => text !== now[name]),
    leaveLabel: item === undefined ? "" : t("Don’t change"),
    save: () => save(dialog),
  },
    textField(dialog, field("name", t("Name"))),
    ...fieldsOf(dialog, field),
    textArea(dialog, field("description", t("Description, such as “Contains milk”")), {
      rows: 2,
    }));
}

/** The fields of its kind, besides the name. */
function fieldsOf(
  dialog: ItemDialog,
  field: (name: string, label: string) => Parameters<typeof textField>[1],
): readonly View[] {
  switch (dialog.kind) {
    case "pizzasizes": {
      const label = usesInches ? t("Diameter in inches") : t("Diameter in centimeters");
      return [textField(dialog, field("diameterInInches", label), { inputmode: "decimal" })];
    }
    case "toppings":
      return [
        checkbox(dialog, field("isVegetarian", t("Vegetarian"))),
        checkbox(dialog, field("isVegan", t("Vegan"))),
      ];
    case "beverages":
      return [
        choice(dialog, field("isCarbonated", t("With gas?")), {
          true: t("Sparkling"), false: t("Still"),
        }),
        textArea(dialog, {
          ...field("sizeOptions", t("Bottles or glasses, one per line")), longest: Infinity,
        }, { rows: 4 }),
      ];
  }
}

/** As people type it: "14.5", or "36,8". */
function typedLength(diameterInInches: number): string {
  const options = { maximumFractionDigits: 1, useGrouping: false };
  return (diameterInInches / inchesPerUnit).toLocaleString(locale, options);
}

/** The inches that were typed, with a point or a comma, also in Arabic digits; 0 if unreadable. */
export function inchesIn(text: string): number {
  const latin = text.trim().replaceAll(/[٠-٩۰-۹]/g, (digit) =>
    String((digit.charCodeAt(0) - 0x660) % 0x90)).replace(/[,٫]/, ".");
  const isNumber = /^\d+(\.\d*)?$|^\.\d+$/.test(latin);
  return isNumber ? Number((Number(latin) * inchesPerUnit).toFixed(4)) : 0;
}
