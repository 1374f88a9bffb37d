/** The kinds of the menu: toppings, pizza sizes and beverages. A body is stored as it is. */

import type { StoredKind } from "../store/rows.ts";
import { type Guard, type Members, objectOf, parse } from "./check.ts";

/** The members that every item of the menu has. */
export interface MenuItem {
  readonly id: string;
  readonly name: string;
}

export interface MenuKind<T extends MenuItem = MenuItem> extends StoredKind<T, undefined> {
  /** In messages: "pizza size". */
  readonly label: string;
  /** The names of the fields, in the order of the JSON. */
  readonly fields: readonly string[];
  /** For a body, an item of MENU_FILE, and a line of the store. */
  readonly isItem: Guard<T>;
  /** The same item with its fields in their order. */
  inOrder(item: T): T;
}

export function menuKind<T extends MenuItem>(
  name: string,
  label: string,
  members: Members<T>,
): MenuKind<T> {
  const isItem = objectOf(members);
  const fields = Object.keys(members) as (keyof T & string)[];
  const inOrder = (item: T): T => {
    const ordered: Partial<T> = {};
    for (const field of fields) if (item[field] !== undefined) ordered[field] = item[field];
    // It has every member of the item.
    return ordered as T;
  };
  return {
    name,
    label,
    fields,
    isItem,
    inOrder,
    idOf: ({ id }) => id,
    read: (data) => ({ value: inOrder(parse(isItem, data)), kept: undefined }),
  };
}
