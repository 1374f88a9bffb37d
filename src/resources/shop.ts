/**
 * What the shop can do now (contract part 3): one document that anyone reads and staff change.
 *
 *     {"name":"Forno","isOpen":true,"notice":"","soldOut":{"toppings":["funghi"],…}}
 *
 * There is always one. In the store it stands under an id, which is not shown outside.
 */

import type { StoredKind } from "../store/opening.ts";
import type { Decision, Draft } from "../store/store.ts";
import { type Entry, parsedBody } from "../store/table.ts";
import { type Field, flagField, idsField, nameField, noticeField } from "./field.ts";
import type { Lookup } from "./kind.ts";
import { itemLabels, type MenuKind, missingItems, type Referred } from "./menu.ts";
import { objectField, parseBody } from "./shape.ts";

/** What the shop can do now, as it is answered. */
export interface Shop {
  readonly name: string;
  readonly isOpen: boolean;
  /** For customers; may be empty. */
  readonly notice: string;
  readonly soldOut: SoldOut;
}

/** Ids of what cannot be ordered now, by kind. */
export type SoldOut = Readonly<Record<MenuKind, readonly string[]>>;

/** The name of its kind in the store, and its id there. */
export const shopName = "shop";

/** As staff write it, whole. */
export const shopField: Field<Shop> = objectField<Shop>({
  name: nameField,
  isOpen: flagField,
  notice: noticeField,
  soldOut: objectField<SoldOut>({
    toppings: idsField(itemLabels.toppings),
    pizzasizes: idsField(itemLabels.pizzasizes),
    beverages: idsField(itemLabels.beverages),
  }),
});

const atFirst: Shop = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
};

/** The shop as the store sees it. */
export const storedShop: StoredKind = {
  name: shopName,
  standing: { id: shopName, body: bodyOf(atFirst), afterRemoval: withoutRemoved },
};

/** Checks a body by itself. Throws Problem 400 "invalid-body" with every fault. */
export function parseShop(body: unknown): Shop {
  return parseBody(shopField, body);
}

/** What to store. Throws Problem 400 "invalid-body" for what is not on the menu. */
export function decideShop(
  next: Shop,
  stored: Entry,
  { accepted, ids }: Lookup,
): Decision {
  requireItems(next, (kind, id) => accepted(kind, id) !== undefined, ids);
  const draft = shopDraft(next);
  return draft.body === stored.body ? "keep" : draft;
}

/** The shop as it is stored. */
export function shopDraft(shop: Shop): Draft {
  return { body: bodyOf(shop), kept: "" };
}

/**
 * Throws Problem 400 "invalid-body" that points at every id of `soldOut` that no item has.
 * `ids`: those to guess from.
 */
export function requireItems(
  { soldOut }: Shop,
  isItem: (kind: MenuKind, id: string) => boolean,
  ids: Lookup["ids"] = () => [],
): void {
  const faults = missingItems(referencesOf(soldOut), isItem, ids);
  if (!faults.isEmpty) throw faults.toProblem();
}

function* referencesOf(soldOut: SoldOut): Generator<Referred> {
  for (const kind of ["toppings", "pizzasizes", "beverages"] as const) {
    for (const [index, id] of soldOut[kind].entries()) {
      yield { kind, id, path: ["soldOut", kind, index] };
    }
  }
}

/** The shop as it is answered, as JSON. */
export function shopText(entry: Entry): string {
  return `{${entry.body.slice(`{"id":"${shopName}",`.length)}`;
}

/** Stored by this server, as `bodyOf` has made it. */
export function shopOf(entry: Entry): Shop {
  const { id: _, ...shop } = parsedBody(entry) as Shop & { readonly id: string };
  return shop;
}

/** The body in the store. */
function bodyOf({ name, isOpen, notice, soldOut }: Shop): string {
  const { toppings, pizzasizes, beverages } = soldOut;
  return JSON.stringify({
    id: shopName,
    name,
    isOpen,
    notice,
    soldOut: { toppings, pizzasizes, beverages },
  });
}

/** What is not on the menu cannot be sold out. */
function withoutRemoved(stored: Entry, kind: string, id: string): string | undefined {
  const shop = shopOf(stored);
  const soldOut: Readonly<Record<string, readonly string[]>> = shop.soldOut;
  const ids = soldOut[kind];
  if (ids?.includes(id) !== true) return undefined;
  const others = ids.filter((other) => other !== id);
  return bodyOf({ ...shop, soldOut: { ...shop.soldOut, [kind]: others } });
}
