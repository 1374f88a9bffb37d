/** What orders and the shop say of the menu's items: their names, and those that are not there. */

import { literalAt } from "../log/json-text.ts";
import { didYouMean } from "../problems/nearest.ts";
import type { Entry } from "../store/table.ts";
import type { Lookup } from "./kind.ts";

/** What an item of each kind that orders refer to is called. */
export const itemLabels = {
  pizzasizes: "pizza size",
  toppings: "topping",
  beverages: "beverage",
} as const;

/** A kind of the menu. */
export type MenuKind = keyof typeof itemLabels;

const beforeName = '{"id":"","name":';

/** The name of a menu item, as JSON: it stands behind the id, as menu.ts has put it there. */
export function itemName(item: Entry | undefined): string | undefined {
  return item && literalAt(item.text, beforeName.length + item.id.length);
}

/** Guesses for one body, and the longest id that is guessed at: each looks through a menu. */
const guessesMost = 5;
const guessedLength = 32;

/** For the first ids of one body that no item has: "; did you mean …?" or "". */
export function itemGuesses(ids: Lookup["ids"]): (kind: MenuKind, id: string) => string {
  let left = guessesMost;
  return (kind, id) => {
    if (left === 0 || id.length > guessedLength) return "";
    left -= 1;
    return didYouMean(id, ids(kind));
  };
}
