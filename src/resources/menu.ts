/**
 * What is on the menu: toppings, pizza sizes and beverages, each its fields and its names. What was
 * sent is what is stored, in the order of the shape. And what orders and the shop, which refer to
 * the menu's items, say of them: their names, and which are not there.
 */

import { literalAt } from "../log/json-text.ts";
import { didYouMean, Faults, inWords } from "../problems/faults.ts";
import type { Entry } from "../store/table.ts";
import {
  diameterField,
  flagField,
  idField,
  nameField,
  type Path,
  sizeOptionsField,
} from "./field.ts";
import type { Kind, Lookup } from "./kind.ts";
import { objectField, parseBody } from "./shape.ts";

/** What goes on a pizza. */
export const toppings: Kind = menuKind({
  name: "toppings",
  label: "topping",
  schemaName: "Topping",
  description: "What goes on a pizza.",
  fields: { isVegetarian: flagField, isVegan: flagField },
  examples: {
    create: { id: "tartufo", name: "Truffle", isVegetarian: true, isVegan: true },
    patch: { name: "White truffle" },
  },
});

/** How large a pizza is. */
export const pizzaSizes: Kind = menuKind({
  name: "pizzasizes",
  label: "pizza size",
  schemaName: "PizzaSize",
  description: "How large a pizza is.",
  fields: { diameterInInches: diameterField },
  examples: {
    create: { id: "mini", name: "Mini", diameterInInches: 6.5 },
    patch: { diameterInInches: 7 },
  },
});

/** Drinks. */
export const beverages: Kind = menuKind({
  name: "beverages",
  label: "beverage",
  schemaName: "Beverage",
  description: "What there is to drink.",
  fields: { isCarbonated: flagField, sizeOptions: sizeOptionsField },
  examples: {
    create: { id: "gassosa", name: "Gassosa", isCarbonated: true, sizeOptions: ["0.2 l", "1 l"] },
    patch: { sizeOptions: ["0.33 l"] },
  },
});

/** What a kind of the menu says of itself; the rest is the same for all. */
interface MenuRow
  extends Pick<Kind, "name" | "label" | "schemaName" | "description" | "examples"> {
  /** Beside the id and the name. */
  readonly fields: Kind["shape"];
}

interface MenuItem {
  readonly id: string;
  readonly name: string;
}

/** Makes a kind of the menu. A resource is stored as its fields, in the order of the shape. */
function menuKind({ fields, ...row }: MenuRow): Kind {
  const shape = { id: idField, name: nameField, ...fields };
  const names = Object.keys(shape);
  // The server chooses an id where a client does not.
  const optional = ["id"] as const;
  const sent = objectField<MenuItem, "id">(shape, { optional });
  return {
    ...row,
    shape,
    optional: { create: optional, update: optional },
    times: [],
    parse(body, { pathId }) {
      const content = parseBody(sent, body, pathId);
      const json = (id: string): string => JSON.stringify({ ...content, id }, names);
      return {
        id: content.id ?? undefined,
        isSameAs: (stored) => stored.body === json(stored.id),
        decide(id, stored) {
          const next = json(id);
          return stored?.body === next ? "keep" : { body: next, kept: "" };
        },
      };
    },
  };
}

/** The kinds that orders and the shop refer to. */
export type MenuKind = "toppings" | "pizzasizes" | "beverages";

/** What an item of each is called. */
export const itemLabels: Readonly<Record<MenuKind, string>> = {
  toppings: toppings.label,
  pizzasizes: pizzaSizes.label,
  beverages: beverages.label,
};

const beforeName = '{"id":"","name":';

/** The name of a menu item, as JSON: it stands behind the id, where `menuKind` has put it. */
export function itemName(item: Entry | undefined): string | undefined {
  return item && literalAt(item.text, beforeName.length + item.id.length);
}

/** An item that a body refers to. */
export interface Referred {
  readonly kind: MenuKind;
  readonly id: string;
  /** To its id. */
  readonly path: Path;
}

/** Guesses for one body, and the longest id that is guessed at: each looks through a menu. */
const guessesMost = 5;
const guessedLength = 32;

/** A fault for each that is no item, with guesses among `ids` for the first ones. */
export function missingItems(
  referred: Iterable<Referred>,
  isItem: (kind: MenuKind, id: string) => boolean,
  ids: Lookup["ids"],
): Faults {
  const faults = new Faults();
  let guesses = guessesMost;
  const guess = (kind: MenuKind, id: string): string => {
    if (guesses === 0 || id.length > guessedLength) return "";
    guesses -= 1;
    return didYouMean(id, ids(kind));
  };
  for (const { kind, id, path } of referred) {
    if (isItem(kind, id)) continue;
    const expected = `expected the id of a ${itemLabels[kind]} on the menu`;
    faults.add(path, () => `${expected}, got ${inWords(id)}${guess(kind, id)}`);
  }
  return faults;
}
