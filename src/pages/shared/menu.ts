/** The menu and the shop as a page knows them, and how events change them. Pure values. */

import { isLike } from "./like.ts";
import type {
  Beverage, Change, MenuKind, PizzaSize, Reference, Shop, ShopPizza, Topping,
} from "./types.ts";
import { lengthText, t, unbrokenUnit } from "./words.ts";

export type MenuItem = PizzaSize | Topping | Beverage;

/** In the order of the menu. */
export interface Menu {
  readonly shop: Shop;
  readonly pizzasizes: readonly PizzaSize[];
  readonly toppings: readonly Topping[];
  readonly beverages: readonly Beverage[];
}

export const menuKinds = ["pizzasizes", "toppings", "beverages"] as const;

const noIds = { pizzasizes: [], toppings: [], beverages: [] };

/** Whether an answer can be the shop. */
export function isShop(data: unknown): boolean {
  const ids = { pizzasizes: [""], toppings: [""], beverages: [""] };
  return isLike({
    name: "", isOpen: true, notice: "", soldOut: ids, menuOrder: ids,
    pizzas: [{ name: "", toppings: [""] }],
  }, data);
}

export const emptyMenu: Menu = {
  shop: { name: "", isOpen: true, notice: "", soldOut: noIds, pizzas: [], menuOrder: noIds },
  pizzasizes: [],
  toppings: [],
  beverages: [],
};

/** The same menu where the change is about something else. */
export function changeMenu(menu: Menu, { event, data }: Change): Menu {
  const [plural, verb] = event.split(".");
  if (plural === "shop") return { ...menu, shop: data as Shop };
  const kind = menuKinds.find((menuKind) => menuKind === plural);
  if (kind === undefined) return menu;
  const item = data as MenuItem;
  const items: readonly MenuItem[] = menu[kind];
  const isThere = items.some(({ id }) => id === item.id);
  const changed = verb === "deleted" ? items.filter(({ id }) => id !== item.id)
    : isThere ? items.map((old) => (old.id === item.id ? item : old)) : [...items, item];
  return { ...menu, [kind]: changed };
}

/** The items of a kind: first those that the shop has put in an order, then the others. */
export function itemsInOrder<Kind extends MenuKind>(menu: Menu, kind: Kind): Menu[Kind] {
  const ids = menu.shop.menuOrder[kind];
  const items: readonly MenuItem[] = menu[kind];
  const placed = ids.flatMap((id) => itemOf(menu, kind, id) ?? []);
  const all: readonly MenuItem[] = [...placed, ...items.filter(({ id }) => !ids.includes(id))];
  // The items keep their kind.
  return all as Menu[Kind];
}

export function isSoldOut({ shop }: Menu, kind: MenuKind, id: string): boolean {
  return shop.soldOut[kind].includes(id);
}

export function itemOf(menu: Menu, kind: MenuKind, id: string): MenuItem | undefined {
  return menu[kind].find((item) => item.id === id);
}

/** The name of an item; the id of one that has left the menu. */
export function itemName(menu: Menu, kind: MenuKind, id: string): string {
  return itemOf(menu, kind, id)?.name ?? id;
}

export type Diet = "isVegetarian" | "isVegan";

/** A vegan topping is vegetarian, too. Diets are about toppings alone. */
export function suits(item: MenuItem, diet: Diet): boolean {
  return !("isVegan" in item) || item.isVegan || item[diet];
}

export function dietOf(...toppings: readonly MenuItem[]): "vegan" | "vegetarian" | undefined {
  if (!toppings.every((topping) => "isVegan" in topping)) return undefined;
  if (toppings.every((topping) => suits(topping, "isVegan"))) return "vegan";
  return toppings.every((topping) => suits(topping, "isVegetarian")) ? "vegetarian" : undefined;
}

/** Whether the menu has all toppings of a pizza of the shop, and it has any. */
export function isComplete(menu: Menu, { toppings }: ShopPizza): boolean {
  return toppings.length > 0
    && toppings.every((id) => itemOf(menu, "toppings", id) !== undefined);
}

/** The toppings of a pizza, as often as they are on it. */
export function toppingsOf(menu: Menu, { toppings }: Pick<ShopPizza, "toppings">): Topping[] {
  return toppings.flatMap((id) => menu.toppings.find((topping) => topping.id === id) ?? []);
}

/** The descriptions of the items, without those that another one holds word for word. */
export function descriptionsOf(items: readonly MenuItem[]): readonly string[] {
  const texts = [...new Set(items.flatMap(({ description }) => description ?? []))];
  const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/[\s,]+/);
  return texts.filter((text, index) => !texts.some((other, at) => at !== index
    && wordsOf(text).every((word) => wordsOf(other).includes(word))
    && (wordsOf(other).length > wordsOf(text).length || at < index)));
}

/** The second line of an item: "37 cm", or "sparkling, 0.33 l can". */
export function notesOn(item: MenuItem): string {
  if ("diameterInInches" in item) return lengthText(item.diameterInInches);
  if ("isCarbonated" in item) {
    const first = item.isCarbonated ? t("sparkling") : t("still");
    return [first, ...item.sizeOptions.map(unbrokenUnit)].join(", ");
  }
  const diet = dietOf(item);
  return diet === undefined ? "" : diet === "vegan" ? t("vegan") : t("vegetarian");
}

/** An item, and how often it is there. */
export interface CountedItem {
  readonly id: string;
  readonly name: string;
  readonly count: number;
  /** See `countedText`. */
  readonly text: string;
}

/** "2× Mozzarella". */
export function countedText(count: number, name: string): string {
  return count > 1 ? t("{number}× {name}", { number: count, name }) : name;
}

/** Each reference once, with how often it is there, in the order of first mention. */
export function tally(references: readonly Reference[]): readonly CountedItem[] {
  const names = new Map(references.map(({ id, name }) => [id, name]));
  return [...names].map(([id, name]) => {
    const count = references.filter((reference) => reference.id === id).length;
    return { id, name, count, text: countedText(count, name) };
  });
}

/** Each reference once, most first, and equally many by name. */
export function mostFirst(references: readonly Reference[]): readonly CountedItem[] {
  return tally(references).toSorted((first, second) =>
    second.count - first.count || first.name.localeCompare(second.name));
}
