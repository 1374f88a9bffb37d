/**
 * The shop: its name, whether it is open, a notice for customers, and the sold-out items. There is
 * only one shop, so it has no id in the API.
 */

import type { Lookup, Row, StoredKind } from "../store/tables.ts";
import { type Guard, isFlag, isId, isName, isTextOf, objectOf, parse, setOf } from "./check.ts";

export interface Shop {
  readonly name: string;
  readonly isOpen: boolean;
  /** For customers; may be empty. */
  readonly notice: string;
  readonly soldOut: SoldOut;
}

/** Ids of items that cannot be ordered now, by kind. An id that no item has means nothing. */
export interface SoldOut {
  readonly toppings: readonly string[];
  readonly pizzasizes: readonly string[];
  readonly beverages: readonly string[];
}

/** For a body, and a line of the store. */
export const isShop: Guard<Shop> = objectOf<Shop>({
  name: isName,
  isOpen: isFlag,
  notice: isTextOf(500),
  soldOut: objectOf<SoldOut>({
    toppings: setOf(isId, "different ids of toppings"),
    pizzasizes: setOf(isId, "different ids of pizza sizes"),
    beverages: setOf(isId, "different ids of beverages"),
  }),
});

/** The same shop with its members in the order of the JSON. */
export function shopInOrder({ name, isOpen, notice, soldOut }: Shop): Shop {
  const { toppings, pizzasizes, beverages } = soldOut;
  return { name, isOpen, notice, soldOut: { toppings, pizzasizes, beverages } };
}

/** The shop of a new store. */
export const newShop: Shop = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
};

/** The id of the one shop in the store. */
export const shopId = "shop";

export const shops: StoredKind<Shop, undefined> = {
  name: "shop",
  idOf: () => shopId,
  read: (data) => ({ value: shopInOrder(parse(isShop, data)), kept: undefined }),
};

/** The row of the shop. A start has made one if a person has deleted its line. */
export function shopRow(lookup: Lookup): Row<Shop, undefined> {
  const row = lookup.get(shops, shopId);
  if (row === undefined) throw new Error("the store has a shop from the start");
  return row;
}
