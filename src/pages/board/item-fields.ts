/** The fields in the form of a menu item: what each shows, and what its text stands for. */

import type { View } from "../shared/dom.ts";
import type { Beverage, MenuKind, PizzaSize, Topping } from "../shared/types.ts";
import { inchesPerUnit, locale, t, usesInches } from "../shared/words.ts";
import type { Form } from "./dialog-state.ts";
import { checkbox, choice, type Field, textArea, textField } from "./forms.ts";

/** The members of all kinds of items. */
export type Values = Partial<PizzaSize & Topping & Beverage>;

/** The texts of the fields, by the name of what they fill. */
export type Texts = Readonly<Record<string, string>>;

interface ItemField {
  readonly name: keyof Values;
  readonly label: string;
  readonly textOf: (item: Values) => string;
  /** Undefined: the text stands for nothing. `texts`: of all fields. */
  readonly valueOf: (text: string, texts: Texts) => Values[keyof Values];
  /** The fault of a text that stands for nothing. */
  readonly fault?: string;
  readonly draw: (form: Form, field: Field) => View;
}

const nameField: ItemField = {
  name: "name",
  label: t("Name"),
  textOf: ({ name = "" }) => name,
  valueOf: (text) => text || undefined,
  fault: t("It needs a name."),
  draw: textField,
};

const descriptionField: ItemField = {
  name: "description",
  label: t("Description, such as “Contains milk”"),
  textOf: ({ description = "" }) => description,
  valueOf: (text) => text,
  draw: (form, field) => textArea(form, field, { rows: 2 }),
};

export const fieldsOf: Readonly<Record<MenuKind, readonly ItemField[]>> = {
  pizzasizes: [nameField, {
    name: "diameterInInches",
    label: usesInches ? t("Diameter in inches") : t("Diameter in centimeters"),
    textOf: ({ diameterInInches: inches }) => inches === undefined ? "" : typedLength(inches),
    valueOf: (text) => inchesIn(text) || undefined,
    fault: t("How wide is it? A number such as {example}.", { example: typedLength(10.04) }),
    draw: (form, field) => textField(form, field, { inputmode: "decimal" }),
  }, descriptionField],
  toppings: [nameField, {
    name: "isVegetarian",
    label: t("Vegetarian"),
    textOf: ({ isVegetarian = false }) => String(isVegetarian),
    // A vegan topping is vegetarian, too.
    valueOf: (text, { isVegan }) => text === "true" || isVegan === "true",
    draw: checkbox,
  }, {
    name: "isVegan",
    label: t("Vegan"),
    textOf: ({ isVegan = false }) => String(isVegan),
    valueOf: (text) => text === "true",
    draw: checkbox,
  }, descriptionField],
  beverages: [nameField, {
    name: "isCarbonated",
    label: t("With gas?"),
    textOf: ({ isCarbonated = "" }) => String(isCarbonated),
    valueOf: (text) => text === "" ? undefined : text === "true",
    fault: t("Sparkling or still?"),
    draw: (form, field) => choice(form, field, { true: t("Sparkling"), false: t("Still") }),
  }, {
    name: "sizeOptions",
    label: t("Bottles or glasses, one per line"),
    textOf: ({ sizeOptions = [] }) => sizeOptions.join("\n"),
    valueOf: (text) => [...new Set(text.split("\n").map((line) => line.trim()))]
      .filter((line) => line !== ""),
    draw: (form, field) => textArea(form, { ...field, longest: Infinity }, { rows: 4 }),
  }, descriptionField],
};

/** A length as people type it: "14.5", or "36,8". */
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
