/**
 * The menu: toppings, pizza sizes and beverages. Each kind is its fields with a guard for each. An
 * item is stored as it was sent, with its fields in this order, and without an empty description.
 */

import { isDeepStrictEqual } from "node:util";
import { Faults } from "../problems/faults.ts";
import type { Content } from "../store/row.ts";
import {
  isAmountUpTo,
  isFlag,
  isId,
  isName,
  isTextOf,
  type Members,
  objectOf,
  optional,
  parse,
  setOf,
} from "./check.ts";
import type { Filters, Kind } from "./kind.ts";
import { longestText } from "./limits.ts";

/** Facts for guests about an item, such as its allergens. */
const isDescription = optional(isTextOf(longestText));

export interface Topping extends MenuItem {
  readonly isVegetarian: boolean;
  readonly isVegan: boolean;
}

export const toppings: MenuKind<Topping> = menuKind<Topping>("toppings", "topping", {
  id: isId,
  name: isName,
  isVegetarian: isFlag,
  isVegan: isFlag,
  description: isDescription,
}, { isVegetarian: "flag", isVegan: "flag" });

export interface PizzaSize extends MenuItem {
  readonly diameterInInches: number;
}

export const pizzaSizes: MenuKind<PizzaSize> = menuKind<PizzaSize>("pizzasizes", "pizza size", {
  id: isId,
  name: isName,
  diameterInInches: isAmountUpTo(1_000),
  description: isDescription,
}, { diameterInInches: "number" });

export interface Beverage extends MenuItem {
  readonly isCarbonated: boolean;
  /** Its sizes, such as "0.33 l". */
  readonly sizeOptions: readonly string[];
}

export const beverages: MenuKind<Beverage> = menuKind<Beverage>("beverages", "beverage", {
  id: isId,
  name: isName,
  isCarbonated: isFlag,
  sizeOptions: setOf(isName, "different strings", 50),
  description: isDescription,
}, { isCarbonated: "flag" });

/** The kinds of the menu, in the order of the store's file. Orders refer to their items. */
export const menuKinds: readonly MenuKind[] = [toppings, pizzaSizes, beverages];

/** The members that every item of the menu has. */
export interface MenuItem {
  readonly id: string;
  readonly name: string;
  /** Never empty. */
  readonly description?: string | undefined;
}

export interface MenuKind<T extends MenuItem = MenuItem> extends Kind<T, undefined, T> {
  /** The names of the fields, in the order of the JSON. */
  readonly fields: readonly string[];
}

/** The guards are for a body, for an item of MENU_FILE, and for a line of the store. */
function menuKind<T extends MenuItem>(
  name: string,
  label: string,
  members: Members<T>,
  filters: Filters,
): MenuKind<T> {
  const isBody = objectOf(members);
  const fields = Object.keys(members) as (keyof T & string)[];
  const content = (item: T): Content<T, undefined> => {
    const ordered: Partial<T> = {};
    for (const field of fields) {
      const value = item[field];
      // An empty text is none. Only optional texts may be empty.
      if (value !== undefined && value !== "") ordered[field] = value;
    }
    // It has every member of the item.
    return { value: ordered as T, kept: undefined };
  };
  return {
    name,
    label,
    fields,
    isBody,
    defaults: {},
    optional: fields.filter((name) => members[name](undefined, [], new Faults())),
    filters: { id: "id", name: "text", ...filters },
    idOf: ({ id }) => id,
    read: (data) => content(parse(isBody, data)),
    isSame: (body, item) => isDeepStrictEqual(content(body).value, item),
    decide: content,
  };
}
