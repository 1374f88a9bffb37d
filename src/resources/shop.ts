/**
 * The shop: its name, whether it is open, a notice for customers, the sold-out items, and pizzas
 * with a name. There is only one shop, so it has no id in the API.
 */

import { Faults } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Lookup, Row, StoredKind } from "../store/tables.ts";
import {
  arrayOf,
  type Guard,
  isFlag,
  isId,
  isName,
  isTextOf,
  objectOf,
  optional,
  parse,
  type Path,
  setOf,
} from "./check.ts";
import { beverages, type MenuKind, pizzaSizes, toppings } from "./menu.ts";
import type { Order, Reference } from "./order.ts";

export interface Shop {
  readonly name: string;
  readonly isOpen: boolean;
  /** For customers; may be empty. */
  readonly notice: string;
  readonly soldOut: SoldOut;
  /** The pizzas that the order page offers first. */
  readonly pizzas: readonly Pizza[];
}

/** Ids of items that cannot be ordered now, by kind. An id that no item has means nothing. */
export interface SoldOut {
  readonly toppings: readonly string[];
  readonly pizzasizes: readonly string[];
  readonly beverages: readonly string[];
}

/** A pizza that has a name. `toppings`: ids. An id that no topping has means nothing. */
export interface Pizza {
  readonly name: string;
  readonly toppings: readonly string[];
}

export const isPizzas: Guard<readonly Pizza[]> = arrayOf(
  objectOf<Pizza>({ name: isName, toppings: arrayOf(isId, "ids of toppings", 50) }),
  "objects, each with name and toppings",
  100,
);

/** The shop as a client sends it, and as a line of the store has it. */
export interface ShopBody extends Omit<Shop, "pizzas"> {
  readonly pizzas?: Shop["pizzas"] | undefined;
}

export const isShop: Guard<ShopBody> = objectOf<ShopBody>({
  name: isName,
  isOpen: isFlag,
  notice: isTextOf(500),
  soldOut: objectOf<SoldOut>({
    toppings: setOf(isId, "different ids of toppings"),
    pizzasizes: setOf(isId, "different ids of pizza sizes"),
    beverages: setOf(isId, "different ids of beverages"),
  }),
  pizzas: optional(isPizzas),
});

/** The whole shop, with its members in the order of the JSON. */
export function shopOf({ name, isOpen, notice, soldOut, pizzas = [] }: ShopBody): Shop {
  const { toppings, pizzasizes, beverages } = soldOut;
  return {
    name,
    isOpen,
    notice,
    soldOut: { toppings, pizzasizes, beverages },
    pizzas: pizzas.map(({ name, toppings }) => ({ name, toppings })),
  };
}

/** The shop of a new store. */
export const newShop: Shop = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
  pizzas: [],
};

/** The id of the one shop in the store. */
export const shopId = "shop";

export const shops: StoredKind<Shop, undefined> & { readonly label: string } = {
  name: "shop",
  label: "shop",
  idOf: () => shopId,
  read: (data) => ({ value: shopOf(parse(isShop, data)), kept: undefined }),
};

/** The row of the shop. A start has made one if a person has deleted its line. */
export function shopRow(lookup: Lookup): Row<Shop, undefined> {
  const row = lookup.get(shops, shopId);
  if (row === undefined) throw new Error("the store has a shop from the start");
  return row;
}

/** Throws Problem 409 unless a customer may order this now. */
export function requireOrderable(order: Order, lookup: Lookup): void {
  const { isOpen, notice, soldOut } = shopRow(lookup).value;
  if (!isOpen) {
    throw new Problem("shop-closed", `the shop is closed: ${notice || "no orders for now"}`);
  }
  const faults = new Faults();
  const names = new Set<string>();
  const check = (kind: MenuKind, ids: readonly string[], { id, name }: Reference, at: Path) => {
    if (!ids.includes(id)) return;
    names.add(name);
    faults.add([...at, "id"], () => `expected a ${kind.label} that is not sold out, got ${name}`);
  };
  check(pizzaSizes, soldOut.pizzasizes, order.pizzaSize, ["pizzaSize"]);
  for (const [index, one] of order.toppings.entries()) {
    check(toppings, soldOut.toppings, one, ["toppings", index]);
  }
  for (const [index, one] of order.beverages.entries()) {
    check(beverages, soldOut.beverages, one, ["beverages", index]);
  }
  if (faults.count === 0) return;
  const detail = `sold out: ${[...names].join(", ")}; order something else`;
  throw new Problem("sold-out", detail, { errors: faults.list });
}
