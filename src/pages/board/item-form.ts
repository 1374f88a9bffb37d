/**
 * The form of a menu item. A fault is told beside its field; what is only odd is asked about, and
 * saved when Save is pressed again. A change is bound to the state it began with.
 */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { button, h, type View } from "../shared/dom.ts";
import type { MenuItem } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";
import { inchesIn, length, lengthText, t, usesInches } from "../shared/words.ts";
import { addTitles } from "./menu-tab.ts";
import { formDialog } from "./parts.ts";
import { itemPath } from "./shop-writes.ts";
import { drawNow, type ItemDialog, set, state } from "./state.ts";

/** How a kind of field shows a value, and reads what was typed. */
interface FieldType {
  readonly shown: (value: unknown) => string;
  readonly typed: (text: string) => unknown;
  /** "": none. */
  readonly faultOf: (value: unknown) => string;
}

const fieldTypes = {
  text: {
    shown: (value) => String(value ?? ""),
    typed: (text) => text,
    faultOf: (value) => value === "" ? t("It needs a name.") : "",
  },
  length: {
    shown: (value) => typeof value === "number" ? lengthText(value) : "",
    typed: inchesIn,
    faultOf: (value) => value !== 0 ? ""
      : t("How wide is it? A number such as {example}.", { example: lengthText(10.04) }),
  },
  checkbox: {
    shown: (value) => value === true ? "on" : "",
    typed: (text) => text === "on",
    faultOf: () => "",
  },
  lines: {
    shown: (value) => Array.isArray(value) ? value.join("\n") : "",
    typed: (text) => text.split("\n").map((line) => line.trim()).filter((line) => line !== ""),
    faultOf: (value) => {
      const lines = value as readonly string[];
      const twice = lines.find((line, index) => lines.indexOf(line) < index);
      return twice === undefined ? "" : t("{name} is there twice.", { name: twice });
    },
  },
} as const satisfies Readonly<Record<string, FieldType>>;

interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type: keyof typeof fieldTypes;
}

const nameField: FormField = { name: "name", label: t("Name"), type: "text" };

const fields: Readonly<Record<MenuKind, readonly FormField[]>> = {
  pizzasizes: [
    nameField,
    {
      name: "diameterInInches", type: "length",
      label: usesInches ? t("Diameter in inches") : t("Diameter in centimeters"),
    },
  ],
  toppings: [
    nameField,
    { name: "isVegetarian", label: t("Vegetarian"), type: "checkbox" },
    { name: "isVegan", label: t("Vegan"), type: "checkbox" },
  ],
  beverages: [
    nameField,
    { name: "isCarbonated", label: t("Sparkling"), type: "checkbox" },
    { name: "sizeOptions", label: t("Bottles or glasses, one per line"), type: "lines" },
  ],
};

/** Wider than any oven: more likely a lost decimal point. */
const inchesOdd = 40;

/** Without an etag a new item, which begins with the values of `item`. */
export function openForm(kind: MenuKind, item?: MenuItem, etag?: string): void {
  const untried = { faults: {}, doubts: "", failure: "", isSaving: false };
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
  const values = valuesOf(dialog, new FormData(form));
  const faults = faultsOf(dialog.kind, values);
  const isRight = Object.keys(faults).length === 0;
  const doubts = isRight ? doubtsAbout(dialog, values) : "";
  const isSaving = isRight && (doubts === "" || doubts === dialog.doubts);
  const shown = { ...dialog, faults, doubts, isSaving, failure: "" };
  set({ dialog: shown });
  if (!isSaving) {
    drawNow();
    form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    return;
  }
  const { kind, item, etag } = dialog;
  const work = etag === undefined ? write("POST", `api/${kind}`, values)
    : write("PUT", itemPath(kind, item?.id ?? ""), values, etag);
  const next = await work.then(() => undefined, (fault: unknown) => afterFailure(shown, fault));
  if (state().dialog === shown) set({ dialog: next });
}

async function afterFailure(dialog: ItemDialog, fault: unknown): Promise<ItemDialog> {
  const next = { ...dialog, failure: explain(fault), isSaving: false };
  if (!isRefusal(fault, 412)) return next;
  // The form shows the newer state, and the next save is bound to that.
  return read<MenuItem>(itemPath(dialog.kind, dialog.item?.id ?? ""))
    .then(({ data, etag }) => ({ ...next, item: data, etag }), () => next);
}

type Values = Readonly<Record<string, unknown>>;

function valuesOf({ kind, item }: ItemDialog, form: FormData): Values {
  const before: Values = { ...item };
  return Object.fromEntries(fields[kind].map(({ name, type }) => {
    const text = String(form.get(name) ?? "").trim();
    const { shown, typed }: FieldType = fieldTypes[type];
    // An untouched width stays as it is, not as it was rounded to be shown.
    return [name, text !== "" && text === shown(before[name]) ? before[name] : typed(text)];
  }));
}

function faultsOf(kind: MenuKind, values: Values): Readonly<Record<string, string>> {
  return Object.fromEntries(fields[kind]
    .map(({ name, type }) => [name, fieldTypes[type].faultOf(values[name])] as const)
    .filter(([, fault]) => fault !== ""));
}

/** A question about each value that is more likely a slip. */
function doubtsAbout({ kind, item, etag }: ItemDialog, values: Values): string {
  const { name, isVegan, isVegetarian, diameterInInches } = values;
  const others = state().menu[kind].filter(({ id }) => etag === undefined || id !== item?.id);
  const doubts = [
    others.some((other) => other.name.toLowerCase() === String(name).toLowerCase())
      && t("There is one of that name already. Add another?"),
    isVegan === true && isVegetarian === false
      && t("What is vegan is vegetarian too. Is it really not vegetarian?"),
    Number(diameterInInches) > inchesOdd
      && t("A pizza {width} wide: is that right?", { width: length(Number(diameterInInches)) }),
  ];
  return doubts.filter((doubt) => doubt !== false).join("\n");
}

export function itemForm(dialog: ItemDialog): View {
  const { kind, item, etag, doubts, failure } = dialog;
  const title = etag === undefined ? addTitles[kind]
    : t("Change {name}", { name: item?.name ?? "" });
  return formDialog("save-item", title,
    ...fields[kind].map((field) => fieldView(field, dialog)),
    h("p", { class: "fault", role: "alert" }, failure !== "" ? failure : doubts),
    h("div", { class: "actions" },
      h("button", { class: "go" }, doubts === "" ? t("Save") : t("Save anyway")),
      button("close-dialog", "", {}, t("Cancel"))));
}

function fieldView({ name, label, type }: FormField, { item, faults }: ItemDialog): View {
  const values: Values = { ...item };
  const value = fieldTypes[type].shown(values[name]);
  const fault = faults[name] ?? "";
  const common = {
    name, autocomplete: "off", "aria-describedby": `fault-${name}`,
    "aria-invalid": fault !== "" && "true",
  };
  const input = type === "lines" ? h("textarea", { ...common, rows: 4, value })
    : type === "checkbox" ? h("input", { ...common, type, checked: value === "on" })
      : h("input", {
        ...common, value, maxlength: 200, inputmode: type === "length" && "decimal",
      });
  return h("label", { key: name, class: type }, h("span", {}, label), input,
    h("span", { class: "fault", id: `fault-${name}` }, fault));
}
