/**
 * What the pages know of the shop: the menu and what can be done now, as last read and kept up to
 * date by the live changes, and orders as they are read (contract part 2). The pages are compiled
 * apart from the server, so its model is stated again here.
 */

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

/** In the order of the menu: the ids of its items, and of those removed since it was read. */
const places: Readonly<Record<MenuKind, Set<string>>> = {
  pizzasizes: new Set(), toppings: new Set(), beverages: new Set(),
};

let loads = 0;
/** Until it is read it has no name, and nothing is said of it. */
export let shop: Shop = {
  name: "", isOpen: true, notice: "", soldOut: { pizzasizes: [], toppings: [], beverages: [] },
};

export function isSoldOut(kind: MenuKind, id: string): boolean {
  return shop.soldOut[kind].includes(id);
}

/** False: a later load has begun, which may have been answered first; this one changes nothing. */
export async function loadMenu(): Promise<boolean> {
  loads += 1;
  const mine = loads;
  const [{ data }, ...lists] = await Promise.all([
    read<Shop>("api/shop"), ...menuKinds.map((kind) => read<MenuItem[]>(`api/${kind}`)),
  ]);
  if (mine !== loads) return false;
  shop = data;
  for (const [at, kind] of menuKinds.entries()) {
    menu[kind].clear();
    places[kind].clear();
    for (const item of lists[at]?.data ?? []) put(kind, item);
  }
  return true;
}

/**
 * False for a change of orders. An event of the menu carries the whole item, one of the shop the
 * whole shop (contract part 6).
 */
export function changeMenu({ event, data }: Change): boolean {
  const [plural, verb] = event.split(".");
  const kind = menuKinds.find((one) => one === plural);
  if (plural === "shop") shop = data as unknown as Shop;
  else if (kind === undefined) return false;
  else if (verb === "deleted") menu[kind].delete(data.id);
  else put(kind, data as MenuItem);
  return true;
}

/** What there is to say of an item beside its name: "37 cm", "sparkling · 0.33 l can". */
export function notesOn(item: MenuItem): string {
  if ("diameterInInches" in item) return length(item.diameterInInches);
  if ("isVegan" in item) {
    return item.isVegan ? t("vegan") : item.isVegetarian ? t("vegetarian") : "";
  }
  return [item.isCarbonated ? t("sparkling") : t("still"), ...item.sizeOptions].join(" · ");
}

/** An item that comes back, its removal undone, has its old place. */
function put(kind: MenuKind, item: MenuItem): void {
  // Answers and events of a kind hold items of that kind (contract part 2).
  const items = menu[kind] as Map<string, MenuItem>;
  const isBack = places[kind].has(item.id) && !items.has(item.id);
  items.set(item.id, item);
  places[kind].add(item.id);
  if (!isBack) return;
  const inOrder = [...places[kind]].flatMap((id) => items.get(id) ?? []);
  items.clear();
  for (const one of inOrder) items.set(one.id, one);
}

export const openStatuses = ["Pending", "Preparing", "Ready", "Out for Delivery"] as const;

export type Status = (typeof openStatuses)[number] | "Delivered" | "Cancelled";

/** As people call them. */
export const stages: Readonly<Record<Status, string>> = {
  Pending: t("Pending"),
  Preparing: t("Preparing"),
  Ready: t("Ready"),
  "Out for Delivery": t("Out for Delivery"),
  Delivered: t("Delivered"),
  Cancelled: t("Cancelled"),
};

/** `name` is there in answers to `?embed=names`: what the item was called when it was ordered. */
export interface Reference {
  readonly id: string;
  readonly name?: string;
}

export interface OrderContent {
  readonly id: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly status: Status;
}

export interface Order extends OrderContent {
  readonly placedAt: string;
  readonly updatedAt: string;
}

interface Line {
  readonly id: string;
  readonly name: string;
  readonly count: number;
  /** "2× Mozzarella". */
  readonly text: string;
}

/** Size, toppings and drinks, in the order in which they are always told. */
export function parts({ pizzaSize, toppings, beverages }: OrderContent): (readonly Reference[])[] {
  return [[pizzaSize], toppings, beverages];
}

/** Each reference once, with how often it stands there, in order of first mention. */
export function tally(references: readonly Reference[]): Line[] {
  const names = new Map(references.map(({ id, name }) => [id, name ?? id]));
  return [...names].map(([id, name]) => {
    const count = references.filter((one) => one.id === id).length;
    const text = count > 1 ? t("{number}× {name}", { number: count, name }) : name;
    return { id, name, count, text };
  });
}

/** Whether both hold the same, in the same order; the status is left aside. */
export function holdsTheSame(one: OrderContent, other: OrderContent): boolean {
  const ids = (order: OrderContent) => JSON.stringify(parts(order).flatMap((part) =>
    [part.length, ...part.map(({ id }) => id)]));
  return ids(one) === ids(other);
}

export function orderPath(id: string): string {
  return `api/orders/${encodeURIComponent(id)}`;
}
