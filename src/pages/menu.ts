/** The menu as last read, kept up to date by the live changes. */

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

export const menuKinds = ["pizzasizes", "toppings", "beverages"] as const;

let loads = 0;

/** False: a later load has begun, which may have been answered first; this one changes nothing. */
export async function loadMenu(): Promise<boolean> {
  loads += 1;
  const mine = loads;
  const lists = await Promise.all(menuKinds.map((kind) => read<MenuItem[]>(`api/${kind}`)));
  if (mine !== loads) return false;
  for (const [at, kind] of menuKinds.entries()) {
    menu[kind].clear();
    for (const item of lists[at]?.data ?? []) put(kind, item);
  }
  return true;
}

/** The kind that changed, and what the item was before; undefined for a change of orders. */
export function changeMenu(
  { event, data }: Change,
): { kind: MenuKind; before: MenuItem | undefined } | undefined {
  const [plural, verb] = event.split(".");
  const kind = menuKinds.find((one) => one === plural);
  if (kind === undefined) return undefined;
  const before = menu[kind].get(data.id);
  if (verb === "deleted") menu[kind].delete(data.id);
  // An event of a menu kind carries the whole item (contract part 6).
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
