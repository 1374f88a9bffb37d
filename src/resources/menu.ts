/**
 * The menu: toppings, pizza sizes and beverages. Each kind is its fields with a guard for each. An
 * item is stored as it was sent, with its fields in this order, and without an empty description.
 */

import { Faults } from "../problems/faults.ts";
import type { StoredKind } from "../store/tables.ts";
import {
  type Guard,
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

/** Facts for guests about an item, such as its allergens. */
const isDescription = optional(isTextOf(500));

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
});

export interface PizzaSize extends MenuItem {
  readonly diameterInInches: number;
}

export const pizzaSizes: MenuKind<PizzaSize> = menuKind<PizzaSize>("pizzasizes", "pizza size", {
  id: isId,
  name: isName,
  diameterInInches: isAmountUpTo(1_000),
  description: isDescription,
});

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
});

/** The kinds of the menu, in the order of the store's file. Orders refer to their items. */
export const menuKinds: readonly MenuKind[] = [toppings, pizzaSizes, beverages];

/** The members that every item of the menu has. */
export interface MenuItem {
  readonly id: string;
  readonly name: string;
  /** Never empty. */
  readonly description?: string | undefined;
}

export interface MenuKind<T extends MenuItem = MenuItem> extends StoredKind<T, undefined> {
  /** In messages: "pizza size". */
  readonly label: string;
  /** The names of the fields, in the order of the JSON. */
  readonly fields: readonly string[];
  /** The names of the fields that may be missing. */
  readonly optionalFields: readonly string[];
  /** The guard for a body, for an item of MENU_FILE, and for a line of the store. */
  readonly isItem: Guard<T>;
  /** The same item with its fields in their order. */
  inOrder(item: T): T;
}

function menuKind<T extends MenuItem>(
  name: string,
  label: string,
  members: Members<T>,
): MenuKind<T> {
  const isItem = objectOf(members);
  const fields = Object.keys(members) as (keyof T & string)[];
  const optionalFields = fields.filter((name) => members[name](undefined, [], new Faults()));
  const inOrder = (item: T): T => {
    const ordered: Partial<T> = {};
    for (const field of fields) {
      const value = item[field];
      // An empty text is none. Only optional texts may be empty.
      if (value !== undefined && value !== "") ordered[field] = value;
    }
    // It has every member of the item.
    return ordered as T;
  };
  return {
    name,
    label,
    fields,
    optionalFields,
    isItem,
    inOrder,
    idOf: ({ id }) => id,
    read: (data) => ({ value: inOrder(parse(isItem, data)), kept: undefined }),
  };
}
