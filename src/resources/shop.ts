/**
 * The shop: its name, whether it is open, a notice for customers, the sold-out items, pizzas with a
 * name, the order of the menu, and how the shop looks. There is only one shop, so it has no id in
 * the API.
 */

import { isDeepStrictEqual } from "node:util";
import { Faults } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Lookup, Row } from "../store/row.ts";
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
  scalar,
  setOf,
} from "./check.ts";
import type { Kind } from "./kind.ts";
import { longestLogo, longestText, maxItems, maxOrdered, maxPizzas } from "./limits.ts";
import { beverages, type MenuKind, pizzaSizes, toppings } from "./menu.ts";
import type { Order } from "./order.ts";
import type { Reference } from "./reference.ts";

export interface Shop {
  readonly name: string;
  readonly isOpen: boolean;
  /** For customers; may be empty. */
  readonly notice: string;
  readonly soldOut: SoldOut;
  /** The pizzas that the order page offers first. */
  readonly pizzas: readonly Pizza[];
  /** Pages show these items first, in this order. */
  readonly menuOrder: IdsByKind;
  /** The color of the order page's buttons, and of what is printed: "#0a5c8c". */
  readonly color?: string | undefined;
  /** A data URL of an image. */
  readonly logo?: string | undefined;
}

/** Ids of items by kind. An id that no item has means nothing. */
export interface IdsByKind {
  readonly toppings: readonly string[];
  readonly pizzasizes: readonly string[];
  readonly beverages: readonly string[];
}

/** The items that cannot be ordered now. */
export type SoldOut = IdsByKind;

/** A pizza that has a name. `toppings`: ids. An id that no topping has means nothing. */
export interface Pizza {
  readonly name: string;
  readonly toppings: readonly string[];
}

export const isPizzas: Guard<readonly Pizza[]> = arrayOf(
  objectOf<Pizza>({ name: isName, toppings: arrayOf(isId, "ids of toppings", maxItems) }),
  "objects, each with name and toppings",
  maxPizzas,
);

const isColor: Guard<string> = scalar(
  'an empty string, or a color: "#" and six of 0-9 and a-f, such as "#0a5c8c"',
  (value): value is string => typeof value === "string" && /^(?:#[0-9a-f]{6})?$/.test(value),
);

const isLogo: Guard<string> = scalar(
  "an empty string, or a data URL of an image (image/png, image/jpeg or image/webp, in base64) " +
    `of at most ${longestLogo} characters`,
  (value): value is string =>
    typeof value === "string" &&
    value.length <= longestLogo &&
    /^(?:data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2})?$/.test(value),
);

/** The shop as a client sends it, and as a line of the store has it. An empty text is none. */
export interface ShopBody extends Omit<Shop, "pizzas" | "menuOrder"> {
  readonly pizzas?: Shop["pizzas"] | undefined;
  readonly menuOrder?: IdsByKind | undefined;
}

function idsByKind(max?: number): Guard<IdsByKind> {
  return objectOf<IdsByKind>({
    toppings: setOf(isId, "different ids of toppings", max),
    pizzasizes: setOf(isId, "different ids of pizza sizes", max),
    beverages: setOf(isId, "different ids of beverages", max),
  });
}

const isShop: Guard<ShopBody> = objectOf<ShopBody>({
  name: isName,
  isOpen: isFlag,
  notice: isTextOf(longestText),
  soldOut: idsByKind(),
  pizzas: optional(isPizzas),
  menuOrder: optional(idsByKind(maxOrdered)),
  color: optional(isColor),
  logo: optional(isLogo),
});

/**
 * Throws Invalid unless each pizza that a write brings in has toppings, and a name that no other
 * pizza has. Pizzas that are stored just so may stay: a shop has them from an older version or from
 * MENU_FILE, and must be able to close all the same.
 */
function requireSoundPizzas(pizzas: readonly Pizza[], stored: readonly Pizza[]): void {
  const faults = new Faults();
  const left = stored.map((pizza) => JSON.stringify(pizza));
  const isNew = pizzas.map((pizza) => {
    const index = left.indexOf(JSON.stringify(pizza));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  for (const [index, { name, toppings }] of pizzas.entries()) {
    if (!isNew[index]) continue;
    if (toppings.length === 0) {
      const expected = `an array of 1 to ${maxItems} ids of toppings`;
      faults.addUnexpected(["pizzas", index, "toppings"], expected, []);
    }
    const isTaken = pizzas.some((other, position) =>
      other.name === name && (position < index || !isNew[position]));
    if (isTaken) {
      faults.addUnexpected(["pizzas", index, "name"], "a name that no other pizza has", name);
    }
  }
  faults.requireNone();
}

/** The whole shop, with its members in the order of the JSON. */
function shopOf(body: ShopBody): Shop {
  const { name, isOpen, notice, soldOut, pizzas = [], menuOrder = noIds, color, logo } = body;
  return {
    name,
    isOpen,
    notice,
    soldOut: inOrder(soldOut),
    pizzas: pizzas.map(({ name, toppings }) => ({ name, toppings })),
    menuOrder: inOrder(menuOrder),
    ...(color && { color }),
    ...(logo && { logo }),
  };
}

function inOrder({ toppings, pizzasizes, beverages }: IdsByKind): IdsByKind {
  return { toppings, pizzasizes, beverages };
}

const noIds: IdsByKind = { toppings: [], pizzasizes: [], beverages: [] };

/** The shop of a new store. */
export const newShop: Shop = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: noIds,
  pizzas: [],
  menuOrder: noIds,
};

/** The id of the one shop in the store. */
export const shopId = "shop";

export const shops: Kind<Shop, undefined, ShopBody> = {
  name: "shop",
  label: "shop",
  isBody: isShop,
  defaults: {},
  optional: ["pizzas", "menuOrder", "color", "logo"],
  filters: {},
  idOf: () => shopId,
  read: (data) => ({ value: shopOf(parse(isShop, data)), kept: undefined }),
  isSame: (body, shop) => isDeepStrictEqual(shopOf(body), shop),
  decide(body, { stored }) {
    const value = shopOf(body);
    requireSoundPizzas(value.pizzas, stored?.value.pizzas ?? []);
    return { value, kept: undefined };
  },
};

/** The row of the shop. A start has made one if a person has deleted its line. */
export function shopRow(lookup: Lookup): Row<Shop, undefined> {
  const row = lookup.get(shops, shopId);
  if (row === undefined) throw new Error("the store has a shop from the start");
  return row;
}

/** Throws Problem 409 unless a customer may order all of this now. `at`: the path to an order. */
export function requireOrderable(
  orders: readonly Order[],
  at: (index: number) => Path,
  lookup: Lookup,
): void {
  const { isOpen, notice, soldOut } = shopRow(lookup).value;
  if (!isOpen) {
    throw new Problem("shop-closed", `the shop is closed: ${notice || "no orders for now"}`);
  }
  const faults = new Faults();
  const names = new Set<string>();
  const check = (kind: MenuKind, ids: readonly string[], { id, name }: Reference, path: Path) => {
    if (!ids.includes(id)) return;
    names.add(name);
    faults.add([...path, "id"], () => `expected a ${kind.label} that is not sold out, got ${name}`);
  };
  for (const [index, order] of orders.entries()) {
    const path = at(index);
    check(pizzaSizes, soldOut.pizzasizes, order.pizzaSize, [...path, "pizzaSize"]);
    for (const [place, one] of order.toppings.entries()) {
      check(toppings, soldOut.toppings, one, [...path, "toppings", place]);
    }
    for (const [place, one] of order.beverages.entries()) {
      check(beverages, soldOut.beverages, one, [...path, "beverages", place]);
    }
  }
  if (faults.count === 0) return;
  const detail = `sold out: ${[...names].join(", ")}; order something else`;
  throw new Problem("sold-out", detail, { errors: faults.list });
}
