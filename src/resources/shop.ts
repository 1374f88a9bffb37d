/**
 * The shop: its name, whether it is open, a notice for customers, and the sold-out items. A
 * singleton that anyone may read and staff may change. The API does not show its id.
 */

import { Faults, Invalid } from "../problems/faults.ts";
import type { Row } from "../store/rows.ts";
import { beverages } from "./beverage.ts";
import {
  areSame,
  bounds,
  type Field,
  flagField,
  idsField,
  nameField,
  objectField,
  picker,
  type Shape,
  textField,
} from "./field.ts";
import { checkAll, type Kind, lineMembers, requireValid, type World } from "./kind.ts";
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

/** The shop in the store. `soldOut` may have items that were deleted since. */
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
const line = objectField<ShownShop>(fields, "document", ["id", ...lineMembers]);

const atFirst: ShownShop = {
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
  description: "What the shop can do now.",
  fields,
  singleton: { value: { id: shopId, ...atFirst }, kept: undefined },
  guard: () => sentShop,
  next(_id, sent, stored, world) {
    const next = pick(sent);
    if (stored !== undefined && areSame(fields, next, shown(stored, world))) return stored;
    const faults = new Faults();
    checkAll(shop, sentShop, next, stored, world, faults);
    if (!faults.isEmpty) throw new Invalid(faults);
    return { value: { id: shopId, ...next }, kept: undefined };
  },
  read: (members) => ({
    // Items may have been deleted since they were sold out.
    value: { id: shopId, ...pick(requireValid(line, members)) },
    kept: undefined,
  }),
  shown,
  examples: {
    create: { ...atFirst },
    patch: { isOpen: false, notice: "Back at 18:00" },
  },
};

/** Leaves out the items that were deleted since they were sold out. */
function shown({ value }: Row<Shop>, world: Pick<World, "get">): ShownShop {
  const { name, isOpen, notice, soldOut } = value;
  return {
    name,
    isOpen,
    notice,
    soldOut: {
      toppings: soldOut.toppings.filter((id) => world.get(toppings, id) !== undefined),
      pizzasizes: soldOut.pizzasizes.filter((id) => world.get(pizzaSizes, id) !== undefined),
      beverages: soldOut.beverages.filter((id) => world.get(beverages, id) !== undefined),
    },
  };
}
