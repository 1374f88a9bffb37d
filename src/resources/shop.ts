/**
 * The shop: its name, whether it is open, a notice for customers, and the sold-out items. A
 * singleton that anyone may read and staff may change. The API does not show its id.
 */

import { isDeepStrictEqual } from "node:util";
import type { Lookup } from "../store/stored-kind.ts";
import type { Content, Row } from "../store/rows.ts";
import { beverages } from "./beverage.ts";
import {
  areSame,
  bounds,
  type Field,
  flagField,
  idsField,
  nameField,
  objectField,
  parse,
  picker,
  type Shape,
  textField,
} from "./field.ts";
import type { Kind } from "./kind.ts";
import { pizzaSizes } from "./pizza-size.ts";
import { toppings } from "./topping.ts";

/** The shop in the API. */
export interface ShownShop {
  readonly name: string;
  readonly isOpen: boolean;
  /** For customers; may be empty. */
  readonly notice: string;
  readonly soldOut: SoldOut;
}

/** Ids of items that cannot be ordered now, by kind. */
export interface SoldOut {
  readonly toppings: readonly string[];
  readonly pizzasizes: readonly string[];
  readonly beverages: readonly string[];
}

/** The shop in the store. */
export interface Shop extends ShownShop {
  readonly id: string;
}

/** The id of the singleton. */
export const shopId = "shop";

const soldOutFields: Shape<SoldOut> = {
  toppings: idsField(toppings),
  pizzasizes: idsField(pizzaSizes),
  beverages: idsField(beverages),
};
const soldOutField: Field<SoldOut> = {
  ...objectField<SoldOut>(soldOutFields, "update"),
  clean: picker(soldOutFields),
};
const fields: Shape<ShownShop> = {
  name: nameField,
  isOpen: flagField,
  notice: textField(bounds.noticeLength, ["Back at 18:00"]),
  soldOut: soldOutField,
};
const pick = picker(fields);
const line = objectField<ShownShop>(fields, "file");

const newShop: ShownShop = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
};

type SentShop = ShownShop & { readonly id?: never };

const sentShop = objectField<ShownShop, SentShop>(fields, "update");

export const shop: Kind<Shop, undefined, SentShop> = {
  name: "shop",
  label: "shop",
  schemaName: "Shop",
  description: "Its name, whether it is open, a notice for customers, and what is sold out.",
  fields,
  singleton: { value: { id: shopId, ...newShop }, kept: undefined },
  body: () => sentShop,
  next(_id, sent, stored) {
    const next = pick(sent);
    if (stored !== undefined && areSame<ShownShop>(fields, next, stored.value)) return stored;
    return { value: { id: shopId, ...next }, kept: undefined };
  },
  read: (members) => ({ value: { id: shopId, ...pick(parse(line, members)) }, kept: undefined }),
  examples: {
    create: { ...newShop },
    patch: { isOpen: false, notice: "Back at 18:00" },
  },
};

/**
 * The shop without sold-out items that do not exist; the row itself if all exist. An item that was
 * deleted must not be sold out when its id comes back.
 */
export function withoutDeleted(
  row: Row<Shop, undefined>,
  lookup: Lookup,
): Content<Shop, undefined> {
  const { soldOut: before } = row.value;
  const soldOut = {
    toppings: before.toppings.filter((id) => lookup.get(toppings, id) !== undefined),
    pizzasizes: before.pizzasizes.filter((id) => lookup.get(pizzaSizes, id) !== undefined),
    beverages: before.beverages.filter((id) => lookup.get(beverages, id) !== undefined),
  };
  if (isDeepStrictEqual(soldOut, before)) return row;
  return { value: { ...row.value, soldOut }, kept: undefined };
}
