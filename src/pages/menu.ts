/** The menu and what the shop can do now, as last read and kept up to date by the live changes. */

import { read } from "./api.ts";
import type { Change } from "./stream.ts";
import { length, t } from "./words.ts";

export interface Topping {
  readonly id: string;
  readonly name: string;
  readonly isVegetarian: boolean;
  readonly isVegan: boolean;
}

export interface PizzaSize {
  readonly id: string;
  readonly name: string;
  readonly diameterInInches: number;
}

export interface Beverage {
  readonly id: string;
  readonly name: string;
  readonly isCarbonated: boolean;
  readonly sizeOptions: readonly string[];
}

export type MenuKind = "pizzasizes" | "toppings" | "beverages";
export type MenuItem = PizzaSize | Topping | Beverage;

export const menu = {
  pizzasizes: new Map<string, PizzaSize>(),
  toppings: new Map<string, Topping>(),
  beverages: new Map<string, Beverage>(),
};

/** What the shop can do now (contract part 3). */
export interface Shop {
  readonly name: string;
  readonly isOpen: boolean;
  /** "": none. */
  readonly notice: string;
  /** Ids of items. */
  readonly soldOut: Readonly<Record<MenuKind, readonly string[]>>;
}

export const menuKinds = ["pizzasizes", "toppings", "beverages"] as const;

let loads = 0;
/** Until it is read it has no name, and nothing is said of it. */
let current: Shop = {
  name: "", isOpen: true, notice: "", soldOut: { pizzasizes: [], toppings: [], beverages: [] },
};

export function shop(): Shop {
  return current;
}

export function isSoldOut(kind: MenuKind, id: string): boolean {
  return current.soldOut[kind].includes(id);
}

/** False: a later load has begun, which may have been answered first; this one changes nothing. */
export async function loadMenu(): Promise<boolean> {
  loads += 1;
  const mine = loads;
  const [{ data }, ...lists] = await Promise.all([
    read<Shop>("api/shop"), ...menuKinds.map((kind) => read<MenuItem[]>(`api/${kind}`)),
  ]);
  if (mine !== loads) return false;
  current = data;
  for (const [at, kind] of menuKinds.entries()) {
    menu[kind].clear();
    for (const item of lists[at]?.data ?? []) put(kind, item);
  }
  return true;
}

/**
 * What changed, and what the item was before; undefined for a change of orders. An event of these
 * kinds carries the whole item, or the whole shop (contract part 6).
 */
export function changeMenu(
  { event, data }: Change,
): { kind: MenuKind | "shop"; before?: MenuItem | undefined } | undefined {
  const [plural, verb] = event.split(".");
  if (plural === "shop") {
    current = data as unknown as Shop;
    return { kind: "shop" };
  }
  const kind = menuKinds.find((one) => one === plural);
  if (kind === undefined) return undefined;
  const before = menu[kind].get(data.id);
  if (verb === "deleted") menu[kind].delete(data.id);
  else put(kind, data as MenuItem);
  return { kind, before };
}

/** What there is to say of an item beside its name: "37 cm", "sparkling · 0.33 l can". */
export function notesOn(item: MenuItem): string {
  if ("diameterInInches" in item) return length(item.diameterInInches);
  if ("isVegan" in item) {
    return item.isVegan ? t("vegan") : item.isVegetarian ? t("vegetarian") : "";
  }
  return [item.isCarbonated ? t("sparkling") : t("still"), ...item.sizeOptions].join(" · ");
}

/** Answers and events of a kind hold items of that kind (contract part 2). */
function put(kind: MenuKind, item: MenuItem): void {
  (menu[kind] as Map<string, MenuItem>).set(item.id, item);
}
