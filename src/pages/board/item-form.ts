/**
 * The form of a menu item. A fault is told beside its field; what is only odd is asked about, and
 * saved when Save is pressed again. A change is bound to the state it began with.
 */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { h } from "../shared/dom.ts";
import type { View } from "../shared/dom.ts";
import type { MenuItem } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";
import { inchesIn, length, lengthText, t, usesInches } from "../shared/words.ts";
import { addTitles } from "./menu-tab.ts";
import { itemPath } from "./moves.ts";
import type { Draft, ItemDialog } from "./state.ts";
import { set, state } from "./store.ts";

type Type = "text" | "length" | "checkbox" | "lines";

interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type: Type;
}

const fields: Readonly<Record<MenuKind, readonly FormField[]>> = {
  pizzasizes: [
    { name: "name", label: t("Name"), type: "text" },
    {
      name: "diameterInInches", type: "length",
      label: usesInches ? t("Diameter in inches") : t("Diameter in centimeters"),
    },
  ],
  toppings: [
    { name: "name", label: t("Name"), type: "text" },
    { name: "isVegetarian", label: t("Vegetarian"), type: "checkbox" },
    { name: "isVegan", label: t("Vegan"), type: "checkbox" },
  ],
  beverages: [
    { name: "name", label: t("Name"), type: "text" },
    { name: "isCarbonated", label: t("Sparkling"), type: "checkbox" },
    { name: "sizeOptions", label: t("Bottles or glasses, one per line"), type: "lines" },
  ],
};

/** The service's bounds. */
const [nameMost, linesMost, inchesMost] = [200, 50, 1000];
/** Wider than any oven: more likely a lost decimal point. */
const inchesOdd = 40;

/** `like`: what a new item begins with, for a duplicate. */
export function addItem(kind: MenuKind, like?: MenuItem): void {
  openForm({ kind, item: undefined, etag: "", draft: draftOf(kind, like) });
}

export async function changeItem(kind: MenuKind, id: string): Promise<void> {
  const { data, etag } = await read<MenuItem>(itemPath(kind, id));
  openForm({ kind, item: data, etag, draft: draftOf(kind, data) });
}

function openForm(one: Pick<ItemDialog, "kind" | "item" | "etag" | "draft">): void {
  const clean = { faults: {}, doubts: "", failure: "", isSaving: false };
  set({ dialog: { type: "item", ...one, ...clean } });
}

export function setField(name: string, value: string | boolean): void {
  const { dialog } = state();
  if (dialog?.type !== "item") return;
  set({ dialog: { ...dialog, draft: { ...dialog.draft, [name]: value } } });
}

/** Saved only once, however often Save is pressed. */
export async function saveItem(): Promise<void> {
  const { dialog } = state();
  if (dialog?.type !== "item" || dialog.isSaving) return;
  const { values, faults } = valuesOf(dialog);
  const doubts = Object.keys(faults).length > 0 ? "" : doubtsAbout(dialog, values);
  const form: ItemDialog = { ...dialog, faults, doubts, failure: "" };
  if (Object.keys(faults).length > 0 || (doubts !== "" && doubts !== dialog.doubts)) {
    set({ dialog: form });
    const [first = "name"] = Object.keys(faults);
    document.getElementById(`field-${first}`)?.focus();
    return;
  }
  const saving = { ...form, isSaving: true };
  set({ dialog: saving });
  try {
    await writeItem(dialog, values);
    if (isFormOf(saving)) set({ dialog: undefined });
  } catch (fault) {
    // The form shows the newer state, and the next save is bound to that.
    if (isRefusal(fault, 412)) await changeItem(dialog.kind, dialog.item?.id ?? "");
    const { dialog: shown } = state();
    if (shown?.type === "item" && shown.kind === dialog.kind) {
      set({ dialog: { ...shown, failure: explain(fault), isSaving: false } });
    }
  }
}

/** Another item may have been begun in the meantime. */
function isFormOf(one: ItemDialog): boolean {
  const { dialog } = state();
  return dialog?.type === "item" && dialog.item?.id === one.item?.id && dialog.isSaving;
}

function writeItem({ kind, item, etag }: ItemDialog, values: Values): Promise<unknown> {
  return item === undefined ? write("POST", `api/${kind}`, values)
    : write("PUT", itemPath(kind, item.id), values, etag);
}

type Values = Readonly<Record<string, unknown>>;

function draftOf(kind: MenuKind, item: MenuItem | undefined): Draft {
  const values: Values = { ...item };
  return Object.fromEntries(fields[kind].map(({ name, type }) => {
    const value = values[name];
    if (type === "checkbox") return [name, value === true];
    if (type === "lines") return [name, Array.isArray(value) ? value.join("\n") : ""];
    if (type === "length") return [name, typeof value === "number" ? lengthText(value) : ""];
    return [name, String(value ?? "")];
  }));
}

type Faults = Readonly<Partial<Record<string, string>>>;

function valuesOf({ kind, item, draft }: ItemDialog): {
  readonly values: Values; readonly faults: Faults;
} {
  const before: Values = { ...item };
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const { name, type } of fields[kind]) {
    const written = draft[name] ?? "";
    // An untouched width stays as it is, not as it was rounded to be shown.
    const isUntouched = item !== undefined && written === draftOf(kind, item)[name];
    const text = String(written).trim();
    values[name] = isUntouched ? before[name] : type === "checkbox" ? written === true
      : type === "length" ? inchesIn(text) : type === "lines" ? linesIn(text) : text;
    const fault = isUntouched ? "" : faultOf(type, values[name]);
    if (fault !== "") faults[name] = fault;
  }
  return { values, faults };
}

function linesIn(text: string): readonly string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** "": none. */
function faultOf(type: Type, value: unknown): string {
  if (type === "text") {
    if (value === "") return t("It needs a name.");
    return [...String(value)].length > nameMost ? t("That is too long.") : "";
  }
  if (type === "length") {
    const example = lengthText(10.04);
    if (value === 0) return t("How wide is it? A number such as {example}.", { example });
    return Number(value) > inchesMost ? t("That is wider than any pizza.") : "";
  }
  if (!Array.isArray(value)) return "";
  const twice = value.find((line, index) => value.indexOf(line) < index);
  if (twice !== undefined) return t("{name} is there twice.", { name: twice });
  const isLong = value.length > linesMost || value.some((line) => [...line].length > nameMost);
  return isLong ? t("That is too long.") : "";
}

/** What may be meant and is more likely a slip: a question each. */
function doubtsAbout({ kind, item }: ItemDialog, values: Values): string {
  const { name, isVegan, isVegetarian, diameterInInches } = values;
  const items: readonly MenuItem[] = state().menu[kind];
  const same = (other: MenuItem): boolean =>
    other.id !== item?.id && other.name.toLowerCase() === String(name).toLowerCase();
  const doubts = [
    items.some(same) && t("There is one of that name already. Add another?"),
    isVegan === true && isVegetarian === false
      && t("What is vegan is vegetarian too. Is it really not vegetarian?"),
    Number(diameterInInches) > inchesOdd
      && t("A pizza {width} wide: is that right?", { width: length(Number(diameterInInches)) }),
  ];
  return doubts.filter((doubt) => doubt !== false).join("\n");
}

export function itemForm(dialog: ItemDialog): View {
  const { kind, item, faults, doubts, failure } = dialog;
  const title = item === undefined ? addTitles[kind] : t("Change {name}", { name: item.name });
  return h("dialog", { key: "item", class: "form", "aria-labelledby": "form-title" },
    h("form", { novalidate: true, "data-do": "save-item" },
      h("h2", { id: "form-title" }, title),
      ...fields[kind].map((field) => fieldView(field, dialog.draft[field.name], faults)),
      h("p", { class: "fault", role: "alert" }, failure !== "" ? failure : doubts),
      h("div", { class: "actions" },
        h("button", { class: "go" }, doubts === "" ? t("Save") : t("Save anyway")),
        h("button", { type: "button", "data-do": "close-dialog" }, t("Cancel")))));
}

function fieldView(
  { name, label, type }: FormField, value: string | boolean | undefined, faults: Faults,
): View {
  const fault = faults[name] ?? "";
  const common = {
    id: `field-${name}`, "data-do": "field", "data-of": name, autocomplete: "off",
    "aria-describedby": `fault-${name}`, "aria-invalid": fault !== "" && "true",
  };
  const input = type === "lines" ? h("textarea", { ...common, rows: 4, value })
    : type === "checkbox" ? h("input", { ...common, type, checked: value === true })
      : h("input", { ...common, type: "text", value, inputmode: type === "length" && "decimal" });
  return h("label", { key: name, class: type }, h("span", {}, label), input,
    h("span", { class: "fault", id: `fault-${name}` }, fault));
}
