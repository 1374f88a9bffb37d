/**
 * The form of a menu item. A fault is told beside its field. A change is bound to the state it
 * began with.
 */

import { explain, read, write } from "../shared/api.ts";
import { button, h, type View } from "../shared/dom.ts";
import type { MenuItem } from "../shared/menu.ts";
import type { Beverage, MenuKind, PizzaSize, Topping } from "../shared/types.ts";
import { inchesPerUnit, locale, t, usesInches } from "../shared/words.ts";
import type { ItemDialog } from "./dialogs.ts";
import { addTitles } from "./menu-tab.ts";
import { itemPath } from "./shop-writes.ts";
import { set, state } from "./state.ts";

/** An item of one of the kinds has some of them. */
type Values = Partial<PizzaSize & Topping & Beverage>;

/** All that the form fills: the server picks the id. */
type BodyOf<T extends MenuItem> = Omit<T, "id">;

/** Without an item a new one. */
export function openForm(kind: MenuKind, item?: MenuItem, etag?: string): void {
  const untried = { faults: {}, failure: "", isSaving: false };
  set({ dialog: { type: "item", kind, item, etag, ...untried } });
}

export async function changeItem(kind: MenuKind, id: string): Promise<void> {
  const { data, etag } = await read<MenuItem>(itemPath(kind, id));
  openForm(kind, data, etag);
}

/** Saves once, however often Save is pressed. */
export async function saveItem(form: HTMLFormElement): Promise<void> {
  const { dialog } = state();
  if (dialog?.type !== "item" || dialog.isSaving) return;
  const { kind, item, etag } = dialog;
  const values = valuesOf(dialog, new FormData(form));
  const faults = faultsIn(values);
  const isRight = Object.keys(faults).length === 0;
  const shown = { ...dialog, faults, failure: "", isSaving: isRight };
  set({ dialog: shown });
  if (!isRight) {
    queueMicrotask(() => { form.querySelector<HTMLElement>("[aria-invalid]")?.focus(); });
    return;
  }
  const work = etag === undefined ? write("POST", `api/${kind}`, values)
    : write("PATCH", itemPath(kind, item?.id ?? ""), values, etag);
  const next = await work.then(() => undefined, (fault: unknown): ItemDialog =>
    ({ ...shown, failure: explain(fault), isSaving: false }));
  if (state().dialog === shown) set({ dialog: next });
}

function valuesOf({ kind, item }: ItemDialog, form: FormData): Values {
  const text = (field: string): string => String(form.get(field)).trim();
  const name = text("name");
  switch (kind) {
    case "pizzasizes": {
      const { diameterInInches: before }: Values = { ...item };
      const width = text("diameterInInches");
      // An untouched width stays as it is, not as it was rounded to be shown.
      const isSame = before !== undefined && width === lengthText(before);
      const diameterInInches = isSame ? before : inchesIn(width);
      return { name, diameterInInches } satisfies BodyOf<PizzaSize>;
    }
    case "toppings":
      return {
        name, isVegetarian: form.has("isVegetarian"), isVegan: form.has("isVegan"),
      } satisfies BodyOf<Topping>;
    case "beverages": {
      const lines = text("sizeOptions").split("\n").map((line) => line.trim());
      const sizeOptions = [...new Set(lines)].filter((line) => line !== "");
      return {
        name, isCarbonated: form.has("isCarbonated"), sizeOptions,
      } satisfies BodyOf<Beverage>;
    }
  }
}

function faultsIn({ name, diameterInInches }: Values): ItemDialog["faults"] {
  return {
    ...name === "" && { name: t("It needs a name.") },
    ...diameterInInches === 0 && {
      diameterInInches: t("How wide is it? A number such as {example}.", {
        example: lengthText(10.04),
      }),
    },
  };
}

function checkbox(name: string, label: string, checked = false): View {
  return h("label", { class: "checkbox" }, h("span", {}, label),
    h("input", { type: "checkbox", name, checked }));
}

export function itemForm(dialog: ItemDialog): View {
  const { kind, item, etag, failure } = dialog;
  const title = etag === undefined ? addTitles[kind]
    : t("Change {name}", { name: item?.name ?? "" });
  return h("dialog", { key: "item", class: "form", "aria-labelledby": "form-title" },
    h("form", { novalidate: true, "data-do": "save-item" },
      h("h2", { id: "form-title" }, title),
      textField(dialog, "name", t("Name"), item?.name ?? ""),
      ...fieldsOf(dialog),
      h("p", { class: "fault", role: "alert" }, failure),
      h("div", { class: "actions" },
        h("button", { type: "submit", class: "go" }, t("Save")),
        button("close-dialog", "", {}, t("Cancel")))));
}

/** The fields of its kind, besides the name. */
function fieldsOf(dialog: ItemDialog): readonly View[] {
  const item: Values = { ...dialog.item };
  switch (dialog.kind) {
    case "pizzasizes": {
      const { diameterInInches: width } = item;
      const label = usesInches ? t("Diameter in inches") : t("Diameter in centimeters");
      const value = width === undefined ? "" : lengthText(width);
      return [textField(dialog, "diameterInInches", label, value)];
    }
    case "toppings":
      return [
        checkbox("isVegetarian", t("Vegetarian"), item.isVegetarian),
        checkbox("isVegan", t("Vegan"), item.isVegan),
      ];
    case "beverages":
      return [
        checkbox("isCarbonated", t("Sparkling"), item.isCarbonated),
        h("label", {}, h("span", {}, t("Bottles or glasses, one per line")), h("textarea", {
          name: "sizeOptions", rows: 4, value: item.sizeOptions?.join("\n") ?? "",
        })),
      ];
  }
}

function textField(
  { faults }: ItemDialog, name: "name" | "diameterInInches", label: string, value: string,
): View {
  const fault = faults[name] ?? "";
  return h("label", {}, h("span", {}, label), h("input", {
    name, value, maxlength: 200, autocomplete: "off",
    inputmode: name === "diameterInInches" && "decimal",
    "aria-describedby": `fault-${name}`, "aria-invalid": fault !== "" && "true",
  }), h("span", { class: "fault", id: `fault-${name}` }, fault));
}

/** As people type it: "14.5", or "36,8". */
function lengthText(diameterInInches: number): string {
  const options = { maximumFractionDigits: 1, useGrouping: false };
  return (diameterInInches / inchesPerUnit).toLocaleString(locale, options);
}

/** The inches that were typed, with a point or a comma, also in Arabic digits; 0 if unreadable. */
function inchesIn(text: string): number {
  const latin = text.trim().replaceAll(/[٠-٩۰-۹]/g, (digit) =>
    String((digit.charCodeAt(0) - 0x660) % 0x90)).replace(/[,٫]/, ".");
  const isNumber = /^\d+(\.\d*)?$|^\.\d+$/.test(latin);
  return isNumber ? Number((Number(latin) * inchesPerUnit).toFixed(4)) : 0;
}
