/** The form of a menu item. A change is bound to the state it began with. */

import { read, write } from "../shared/api.ts";
import type { View } from "../shared/dom.ts";
import { changeMenu, itemOf, type MenuItem } from "../shared/menu.ts";
import type { Beverage, MenuKind, PizzaSize, Topping } from "../shared/types.ts";
import { inchesPerUnit, locale, t, usesInches } from "../shared/words.ts";
import type { ItemDialog } from "./dialog-types.ts";
import { freshForm, openDialog } from "./dialogs.ts";
import { checkbox, choice, formDialog, saveOnce, textArea, textField, textIn } from "./forms.ts";
import { itemPath } from "./shop-writes.ts";
import { set, state } from "./store.ts";

export const addTitles: Readonly<Record<MenuKind, string>> = {
  pizzasizes: t("Add a size"), toppings: t("Add a topping"), beverages: t("Add a drink"),
};

/** An item of one of the kinds has some of them. */
type Values = Partial<PizzaSize & Topping & Beverage>;

/** All that the form fills: the server picks the id. */
type BodyOf<T extends MenuItem> = Omit<T, "id">;

/** Without an item a new one. */
export function openItemForm(kind: MenuKind, item?: MenuItem, etag?: string): void {
  openDialog({ type: "item", kind, item, etag, ...freshForm });
}

export async function changeItem(kind: MenuKind, id: string): Promise<void> {
  const { data, etag } = await read<MenuItem>(itemPath(kind, id));
  openItemForm(kind, data, etag);
}

function saveItem(
  dialog: ItemDialog, form: HTMLFormElement, isAnother: boolean,
): Promise<void> {
  const { kind, item, etag } = dialog;
  const values = valuesOf(dialog, form);
  const next = { ...dialog, ...freshForm, saved: t("{name} saved", { name: values.name ?? "" }) };
  return saveOnce(dialog, form, faultsIn(kind, values), () =>
    etag === undefined ? addItem(kind, values)
      : write("PATCH", itemPath(kind, item?.id ?? ""), values, etag),
  isAnother ? next : undefined);
}

/** Its event may come later, and the step that comes next has to be known before. */
async function addItem(kind: MenuKind, values: Values): Promise<void> {
  const { data } = await write<MenuItem>("POST", `api/${kind}`, values);
  const { menu } = state();
  if (itemOf(menu, kind, data.id) !== undefined) return;
  set({ menu: changeMenu(menu, { event: `${kind}.created`, data }) });
}

function valuesOf({ kind, item }: ItemDialog, form: HTMLFormElement): Values {
  const fields = new FormData(form);
  const named = { name: textIn(form, "name"), description: textIn(form, "description") };
  switch (kind) {
    case "pizzasizes": {
      const { diameterInInches: before }: Values = { ...item };
      const width = textIn(form, "diameterInInches");
      // An untouched width stays as it is, not as it was rounded to be shown.
      const isSame = before !== undefined && width === typedLength(before);
      const diameterInInches = isSame ? before : inchesIn(width);
      return { ...named, diameterInInches } satisfies BodyOf<PizzaSize>;
    }
    case "toppings": {
      const isVegan = fields.has("isVegan");
      // A vegan topping is vegetarian, too.
      const isVegetarian = isVegan || fields.has("isVegetarian");
      return { ...named, isVegetarian, isVegan } satisfies BodyOf<Topping>;
    }
    case "beverages": {
      const lines = textIn(form, "sizeOptions").split("\n").map((line) => line.trim());
      const sizeOptions = [...new Set(lines)].filter((line) => line !== "");
      const answer = fields.get("isCarbonated");
      return {
        ...named, ...answer !== null && { isCarbonated: answer === "true" }, sizeOptions,
      } satisfies Partial<BodyOf<Beverage>>;
    }
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
  const { kind, item, etag, faults } = dialog;
  const title = etag === undefined ? addTitles[kind]
    : t("Change {name}", { name: item?.name ?? "" });
  return formDialog(title, dialog, etag === undefined, (form, isAnother) =>
    saveItem(dialog, form, isAnother),
    textField("name", t("Name"), item?.name ?? "", faults["name"]),
    ...fieldsOf(dialog),
    textArea("description", t("Description, such as “Contains milk”"), item?.description ?? "", {
      rows: 2, maxlength: 500,
    }));
}

/** The fields of its kind, besides the name. */
function fieldsOf({ kind, item, faults }: ItemDialog): readonly View[] {
  const values: Values = { ...item };
  switch (kind) {
    case "pizzasizes": {
      const { diameterInInches: width } = values;
      const label = usesInches ? t("Diameter in inches") : t("Diameter in centimeters");
      return [textField("diameterInInches", label, width === undefined ? "" : typedLength(width),
        faults["diameterInInches"], { inputmode: "decimal" })];
    }
    case "toppings":
      return [
        checkbox("isVegetarian", t("Vegetarian"), values.isVegetarian),
        checkbox("isVegan", t("Vegan"), values.isVegan),
      ];
    case "beverages":
      return [
        choice("isCarbonated", t("With gas?"), { true: t("Sparkling"), false: t("Still") },
          values.isCarbonated?.toString(), faults["isCarbonated"]),
        textArea("sizeOptions", t("Bottles or glasses, one per line"),
          values.sizeOptions?.join("\n") ?? "", { rows: 4 }),
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
