/**
 * A guest's choice that is not ordered yet: pizzas, drinks, and for whom they are. Each pizza
 * becomes an order, and has its order's id from the start; the drinks go with the first. The basket
 * is saved on the device before anything is sent, so every retry sends the same ids, and a double
 * click, a lost answer or a reload makes each order once. Pure values, but for the ids.
 */

import { menuKinds } from "../shared/menu.ts";
import type { MenuKind, Order, Reference, ShopPizza } from "../shared/types.ts";
import { newNumber } from "./numbers.ts";
import { visibleOrEmpty } from "./typed-text.ts";

/** Toppings, or drinks, of an order (contract part 2). */
export const maxOfAKind = 50;
export const maxPizzas = 12;

export type ExtraKind = "toppings" | "beverages";

export interface Pizza {
  /** The id of its order. */
  readonly id: string;
  /** The name of the shop's pizza that it began as. "": it began without toppings. */
  readonly name: string;
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
  readonly note: string;
}

export interface Basket {
  /** The number of its orders, which are placed together. */
  readonly group: string;
  /** Never empty. */
  readonly pizzas: readonly Pizza[];
  /** The index of the pizza that the menu adds to. */
  readonly current: number;
  readonly beverages: readonly string[];
  /** Who orders. */
  readonly name: string;
  /** The table in the field of staff. Guests sit where the address says. */
  readonly table: string;
  /** Orders that were sent and not answered: the shop may have them. */
  readonly unanswered: readonly Unanswered[];
}

interface Unanswered {
  readonly id: string;
  readonly group: string;
}

export function plainPizza(): Pizza {
  return { id: newNumber(), name: "", size: "", toppings: [], note: "" };
}

export function freshBasket(table: string): Basket {
  return {
    group: newNumber(), pizzas: [plainPizza()], current: 0, beverages: [], name: "", table,
    unanswered: [],
  };
}

export function currentPizza({ pizzas, current }: Basket): Pizza {
  return pizzas[current] ?? plainPizza();
}

export function isBegun({ size, toppings }: Pizza): boolean {
  return size !== "" || toppings.length > 0;
}

/** There is more than the size of one pizza. */
export function isStarted({ pizzas }: Basket): boolean {
  return pizzas.length > 1 || pizzas.some(({ toppings }) => toppings.length > 0);
}

export function isEmpty({ pizzas, beverages }: Basket): boolean {
  return !pizzas.some(isBegun) && beverages.length === 0;
}

/** The ids of a kind: all drinks, or the toppings of the current pizza. */
export function chosenOf(basket: Basket, kind: ExtraKind): readonly string[] {
  return kind === "beverages" ? basket.beverages : currentPizza(basket).toppings;
}

export function countOf(ids: readonly string[], id: string): number {
  return ids.filter((chosen) => chosen === id).length;
}

/** All that is chosen, each item once. */
export function itemsIn({ pizzas, beverages }: Basket): readonly (readonly [MenuKind, string])[] {
  const ids = {
    pizzasizes: pizzas.map(({ size }) => size).filter((id) => id !== ""),
    toppings: pizzas.flatMap(({ toppings }) => toppings),
    beverages,
  };
  return menuKinds.flatMap((kind) => [...new Set(ids[kind])].map((id) => [kind, id] as const));
}

export function withChosen(basket: Basket, kind: ExtraKind, ids: readonly string[]): Basket {
  if (kind === "beverages") return { ...basket, beverages: ids };
  // Without any topping it is nobody's recipe any more.
  return withCurrent(basket, { toppings: ids, ...ids.length === 0 ? { name: "" } : {} });
}

/** The size of the current pizza, and of all that have none yet. */
export function withSize(basket: Basket, size: string): Basket {
  return withPizzas(basket, (pizza, index) =>
    (pizza.size === "" || index === basket.current ? { ...pizza, size } : pizza));
}

export function withNote(basket: Basket, ids: readonly string[], note: string): Basket {
  return withPizzas(basket, (pizza) => (ids.includes(pizza.id) ? { ...pizza, note } : pizza));
}

function withCurrent(basket: Basket, change: Partial<Pizza>): Basket {
  return withPizzas(basket, (pizza, index) =>
    (index === basket.current ? { ...pizza, ...change } : pizza));
}

function withPizzas(basket: Basket, change: (pizza: Pizza, index: number) => Pizza): Basket {
  return { ...basket, pizzas: basket.pizzas.map(change) };
}

/** With another pizza, which is the current one then. `like`: what it begins as. */
export function withAnother(basket: Basket, like: Partial<Pizza> = {}): Basket {
  const { pizzas } = basket;
  const another = { ...plainPizza(), ...like, id: newNumber() };
  return { ...basket, pizzas: [...pizzas, another], current: pizzas.length };
}

/** A pizza of the shop fills the current one if that has no toppings, else it is another one. */
export function withShopPizza(basket: Basket, { name, toppings }: ShopPizza): Basket {
  const current = currentPizza(basket);
  return current.toppings.length === 0 ? withCurrent(basket, { name, toppings })
    : withAnother(basket, { name, toppings, size: current.size });
}

/** Without the last pizza of that name. The only pizza keeps its size. */
export function withoutShopPizza(basket: Basket, name: string): Basket {
  if (basket.pizzas.length === 1) return withCurrent(basket, { name: "", toppings: [], note: "" });
  const last = basket.pizzas.findLastIndex((pizza) => pizza.name === name);
  return keepPizzas(basket, (_, index) => index !== last);
}

/** Only the pizzas that are wanted; a plain one where none is. */
export function keepPizzas(
  basket: Basket, isWanted: (pizza: Pizza, index: number) => boolean,
): Basket {
  const wanted = basket.pizzas.filter(isWanted);
  const pizzas = wanted.length > 0 ? wanted : [plainPizza()];
  const index = pizzas.indexOf(currentPizza(basket));
  const current = index < 0 ? Math.min(basket.current, pizzas.length - 1) : index;
  return { ...basket, pizzas, current };
}

/** Only what is wanted of what was chosen. A pizza stays without a size. */
export function keepItems(
  basket: Basket, isWanted: (kind: MenuKind, id: string) => boolean,
): Basket {
  const kept = withPizzas(basket, (pizza) => ({
    ...pizza,
    size: isWanted("pizzasizes", pizza.size) ? pizza.size : "",
    toppings: pizza.toppings.filter((id) => isWanted("toppings", id)),
  }));
  return { ...kept, beverages: basket.beverages.filter((id) => isWanted("beverages", id)) };
}

/** With another id for a pizza, whose id somebody else has. */
export function withNewId(basket: Basket, id: string): Basket {
  return withPizzas(withoutUnanswered(basket, id), (pizza) =>
    (pizza.id === id ? { ...pizza, id: newNumber() } : pizza));
}

export function withUnanswered(basket: Basket, { id, group }: Unanswered): Basket {
  const unanswered = [...withoutUnanswered(basket, id).unanswered, { id, group }];
  return { ...basket, unanswered: unanswered.slice(-maxPizzas) };
}

export function withoutUnanswered(basket: Basket, id: string): Basket {
  return { ...basket, unanswered: basket.unanswered.filter((order) => order.id !== id) };
}

/**
 * The basket once the shop has an order of it. The order takes along only what it holds: a pizza
 * that the guest has changed since it was sent stays, as one that was not ordered. An order that
 * the shop has changed meanwhile tells nothing about that. `table`: of the basket that follows.
 */
export function withPlaced(basket: Basket, order: Order, table: string): Basket {
  const { id, beverages } = order;
  const isChanged = order.updatedAt !== order.placedAt;
  const haveDrinks = isSame(basket.beverages, beverages) || isChanged && beverages.length > 0;
  const left = keepPizzas({ ...basket, beverages: haveDrinks ? [] : basket.beverages }, (pizza) =>
    pizza.id !== id || !isChanged && !isHeldBy(pizza, order));
  const rest = withNewId(left, id);
  return isEmpty(rest) ? { ...freshBasket(table), unanswered: rest.unanswered } : rest;
}

function isHeldBy({ name, size, toppings, note }: Pizza, order: Order): boolean {
  return size === order.pizzaSize.id && isSame(toppings, order.toppings)
    && name === (order.pizza ?? "") && noteSent(note) === (order.note ?? "");
}

function isSame(ids: readonly string[], references: readonly Reference[]): boolean {
  return ids.join(" ") === references.map(({ id }) => id).join(" ");
}

/** A note as it is sent. */
export function noteSent(note: string): string {
  return visibleOrEmpty(note).trim();
}
