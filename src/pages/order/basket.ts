/**
 * A guest's choice that is not ordered yet: pizzas, drinks, and one note for all. Each pizza
 * becomes an order, and has its order's id from the start; the drinks go with the first. The basket
 * is saved on the device before anything is sent, so every retry sends the same ids, and a double
 * click, a lost answer or a reload makes each order once. Pure values.
 */

import { menuKinds } from "../shared/menu.ts";
import { save, saved } from "../shared/storage.ts";
import type { MenuKind, NamedPizza } from "../shared/types.ts";
import { isNumber, newNumber } from "./numbers.ts";
import { type Ordered, orderedExample } from "./visits.ts";

/** Toppings, or drinks, of an order (contract part 2). */
export const maxOfAKind = 50;
export const maxPizzas = 12;
/** As a field counts them. The service allows as many code points, which are fewer. */
export const maxNote = 200;

export type ExtraKind = "toppings" | "beverages";

export interface Pizza {
  /** The id of its order. */
  readonly id: string;
  /** The name of the shop's pizza that it began as. "": it began without toppings. */
  readonly name: string;
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
}

export interface Basket {
  /** The number of its orders, which are placed together. */
  readonly group: string;
  /** Never empty. */
  readonly pizzas: readonly Pizza[];
  /** The pizza that the menu adds to. */
  readonly current: number;
  readonly beverages: readonly string[];
  /** The guest's name, or a remark. */
  readonly note: string;
  /** Orders that were sent and not answered: the shop may have them. */
  readonly unanswered: readonly Ordered[];
}

const longestUnchangedMs = 18 * 3_600_000;

function plainPizza(): Pizza {
  return { id: newNumber(), name: "", size: "", toppings: [] };
}

function freshBasket(): Basket {
  return {
    group: newNumber(), pizzas: [plainPizza()], current: 0, beverages: [], note: "",
    unanswered: [],
  };
}

/** `changedAt`: in milliseconds since 1970. A reload or another tab forgets a basket of old. */
export function saveBasket(basket: Basket): void {
  save("basket", { ...basket, changedAt: Date.now() });
}

/** The basket of this device, or a fresh one. */
export function savedBasket(): Basket {
  const fresh = freshBasket();
  const example = {
    ...fresh, pizzas: [{ ...plainPizza(), toppings: [""] }], beverages: [""],
    unanswered: [orderedExample], changedAt: 0,
  };
  const stored = saved("basket", example);
  if (stored === undefined) return fresh;
  const { changedAt, ...basket } = stored;
  const { group, pizzas, current } = basket;
  // Anybody may have written it.
  const isSound = isNumber(group) && pizzas.every(({ id }) => isNumber(id))
    && pizzas[current] !== undefined && pizzas.length <= maxPizzas
    && Math.abs(Date.now() - changedAt) < longestUnchangedMs;
  return isSound ? { ...basket, note: noteOf(basket.note) } : fresh;
}

/** The text as it can be sent: one line, of whole characters. */
export function noteOf(text: string): string {
  return text.slice(0, maxNote).replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, " ");
}

export function currentPizza({ pizzas, current }: Basket): Pizza {
  return pizzas[current] ?? plainPizza();
}

export function isBegun({ size, toppings }: Pizza): boolean {
  return size !== "" || toppings.length > 0;
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

export function withCurrent(basket: Basket, part: Partial<Pizza>): Basket {
  const changed = { ...currentPizza(basket), ...part };
  return { ...basket, pizzas: basket.pizzas.with(basket.current, changed) };
}

/** With another pizza, which is the current one then. `like`: what it begins as. */
export function withAnother(basket: Basket, like: Partial<Pizza> = {}): Basket {
  const { pizzas } = basket;
  const another = { ...plainPizza(), ...like, id: newNumber() };
  return { ...basket, pizzas: [...pizzas, another], current: pizzas.length };
}

/** A pizza of the shop fills the current one if that has no toppings, else it is another one. */
export function withNamed(basket: Basket, { name, toppings }: NamedPizza): Basket {
  const current = currentPizza(basket);
  return current.toppings.length === 0 ? withCurrent(basket, { name, toppings })
    : withAnother(basket, { name, toppings, size: current.size });
}

/** Without the last pizza of that name. The only pizza stays, without toppings. */
export function withoutNamed(basket: Basket, name: string): Basket {
  if (basket.pizzas.length === 1) return withCurrent(basket, { name: "", toppings: [] });
  const last = basket.pizzas.findLastIndex((pizza) => pizza.name === name);
  return withOnly(basket, (_, index) => index !== last);
}

/** Only the pizzas that are wanted; a plain one where none is. */
export function withOnly(
  basket: Basket, isWanted: (pizza: Pizza, index: number) => boolean,
): Basket {
  const wanted = basket.pizzas.filter(isWanted);
  const pizzas = wanted.length > 0 ? wanted : [plainPizza()];
  const index = pizzas.indexOf(currentPizza(basket));
  const current = index < 0 ? Math.min(basket.current, pizzas.length - 1) : index;
  return { ...basket, pizzas, current };
}

/** Only what is wanted of what was chosen. A pizza keeps its place without a size. */
export function withItems(
  basket: Basket, isWanted: (kind: MenuKind, id: string) => boolean,
): Basket {
  return {
    ...basket,
    pizzas: basket.pizzas.map((pizza) => ({
      ...pizza,
      size: isWanted("pizzasizes", pizza.size) ? pizza.size : "",
      toppings: pizza.toppings.filter((id) => isWanted("toppings", id)),
    })),
    beverages: basket.beverages.filter((id) => isWanted("beverages", id)),
  };
}

/** With another id for a pizza, whose id somebody else has. */
export function withNewId(basket: Basket, id: string): Basket {
  const pizzas = basket.pizzas.map((pizza) =>
    (pizza.id === id ? { ...pizza, id: newNumber() } : pizza));
  return { ...withoutUnanswered(basket, id), pizzas };
}

export function withUnanswered(basket: Basket, order: Ordered): Basket {
  const unanswered = [...withoutUnanswered(basket, order.id).unanswered, order];
  return { ...basket, unanswered: unanswered.slice(-maxPizzas) };
}

export function withoutUnanswered(basket: Basket, id: string): Basket {
  return { ...basket, unanswered: basket.unanswered.filter((order) => order.id !== id) };
}

/**
 * The basket once the shop has an order of it. The order takes along only what the guest has not
 * changed since it was sent: a changed pizza stays, as one that was not ordered.
 */
export function withPlaced(basket: Basket, order: Ordered): Basket {
  const { id, pizzaSize, toppings, beverages } = order;
  const isOrdered = (pizza: Pizza): boolean => pizza.id === id && pizza.size === pizzaSize.id
    && isSame(pizza.toppings, toppings);
  const drinks = isSame(basket.beverages, beverages) ? [] : basket.beverages;
  const left = withOnly({ ...basket, beverages: drinks }, (pizza) => !isOrdered(pizza));
  const rest = withNewId(left, id);
  return isEmpty(rest) ? { ...freshBasket(), unanswered: rest.unanswered } : rest;
}

function isSame(ids: readonly string[], references: readonly { readonly id: string }[]): boolean {
  return ids.join(" ") === references.map(({ id }) => id).join(" ");
}
