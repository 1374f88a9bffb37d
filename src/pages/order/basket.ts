/**
 * The pizzas and drinks that a customer chooses. Each pizza becomes an order of its own; the drinks
 * go with the first. The number of the orders is chosen before anything is sent, and every retry
 * sends the same ids. So a double click, a lost answer or a reload makes each order once. Pure
 * values.
 */

import { itemOf, type Menu, menuKinds } from "../shared/menu.ts";
import { saved } from "../shared/storage.ts";
import type { MenuKind, Order, OrderContent, Reference } from "../shared/types.ts";

/** The longest list of toppings or drinks that an order may have (contract part 2). */
const mostOfAKind = 50;
/** More than anybody carries. */
export const mostPizzas = 20;

export type ExtraKind = "toppings" | "beverages";

export interface Pizza {
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
}

export interface Basket {
  /** "K7QX3M": the id of a single order; the ids of several are "K7QX3M-1" and so on. */
  readonly number: string;
  /** Ids under that number that are already placed. */
  readonly placed: readonly string[];
  /** Never empty. */
  readonly pizzas: readonly Pizza[];
  /** The pizza that the menu adds to. */
  readonly current: number;
  readonly beverages: readonly string[];
  /**
   * "tavolo-7-K7QX3M" while orders are sent; nothing else changes then. "" before, and again once
   * an order is refused: what is not placed can be changed.
   */
  readonly sentAs: string;
  /** The last change, in milliseconds since 1970. */
  readonly at: number;
}

const dayMs = 18 * 3_600_000;
/** After this long, an unanswered order is sent only if somebody asks for it again. */
const patienceMs = 15 * 60_000;
const plainPizza: Pizza = { size: "", toppings: [] };

export function freshBasket(): Basket {
  return {
    number: sayableNumber(), placed: [], pizzas: [plainPizza], current: 0, beverages: [],
    sentAs: "", at: Date.now(),
  };
}

/** The same pizzas and drinks as in these orders. */
export function basketLike(orders: readonly Order[]): Basket {
  const idsOf = (references: readonly Reference[]): string[] => references.map(({ id }) => id);
  return {
    ...freshBasket(),
    pizzas: orders.map(({ pizzaSize, toppings }) =>
      ({ size: pizzaSize.id, toppings: idsOf(toppings) })),
    beverages: orders.flatMap(({ beverages }) => idsOf(beverages)),
  };
}

/** The basket of this device, or a fresh one. */
export function savedBasket(): Basket {
  const fresh = freshBasket();
  const example = {
    ...fresh, placed: [""], pizzas: [{ size: "", toppings: [""] }], beverages: [""],
  };
  const basket: Basket = saved("basket", example) ?? fresh;
  const isGood = basket.pizzas[basket.current] !== undefined && Date.now() - basket.at < dayMs;
  return isGood ? basket : fresh;
}

/** Orders that were placed together from this device. */
export interface Visit {
  readonly ids: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The visits of the day, the latest first. */
export function savedVisits(): readonly Visit[] {
  const visits: readonly Visit[] = saved("visits", [{ ids: [""], at: 0 }]) ?? [];
  return visits.filter(({ at }) => Date.now() - at < dayMs);
}

/** The visits once `ids` are placed: one visit that grows order by order. */
export function withVisit(visits: readonly Visit[], ids: readonly string[]): readonly Visit[] {
  return [{ ids, at: Date.now() }, ...visits.filter((visit) => visit.ids[0] !== ids[0])];
}

export function currentPizza({ pizzas, current }: Basket): Pizza {
  return pizzas[current] ?? plainPizza;
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

/** All that is chosen, each item once. */
export function itemsIn({ pizzas, beverages }: Basket): readonly (readonly [MenuKind, string])[] {
  const ids = {
    pizzasizes: pizzas.map(({ size }) => size).filter((id) => id !== ""),
    toppings: pizzas.flatMap(({ toppings }) => toppings),
    beverages,
  };
  return menuKinds.flatMap((kind) => [...new Set(ids[kind])].map((id) => [kind, id] as const));
}

/** One more of an item, or one less. */
export function withExtra(basket: Basket, kind: ExtraKind, id: string, by: 1 | -1): Basket {
  const ids = chosenOf(basket, kind);
  const last = ids.lastIndexOf(id);
  const next = by < 0 ? ids.filter((_, index) => index !== last)
    : [...ids, id].slice(0, mostOfAKind);
  return kind === "beverages" ? { ...basket, beverages: next }
    : withCurrent(basket, { toppings: next });
}

export function withCurrent(basket: Basket, part: Partial<Pizza>): Basket {
  const changed = { ...currentPizza(basket), ...part };
  return { ...basket, pizzas: basket.pizzas.with(basket.current, changed) };
}

export function withAnotherPizza(basket: Basket): Basket {
  const { pizzas } = basket;
  return { ...basket, pizzas: [...pizzas, plainPizza], current: pizzas.length };
}

/** Without the other pizzas, unless none would be left. */
export function withOnly(
  basket: Basket, isWanted: (pizza: Pizza, index: number) => boolean,
): Basket {
  const pizzas = basket.pizzas.filter(isWanted);
  if (pizzas.length === 0) return basket;
  const now = pizzas.indexOf(currentPizza(basket));
  const current = now < 0 ? Math.min(basket.current, pizzas.length - 1) : now;
  return { ...basket, pizzas, current };
}

/** Without what is no longer on the menu. */
export function onMenu(basket: Basket, menu: Menu): Basket {
  const isIn = (kind: MenuKind) => (id: string): boolean => itemOf(menu, kind, id) !== undefined;
  return {
    ...basket,
    pizzas: basket.pizzas.map(({ size, toppings }) => ({
      size: isIn("pizzasizes")(size) ? size : "", toppings: toppings.filter(isIn("toppings")),
    })),
    beverages: basket.beverages.filter(isIn("beverages")),
  };
}

export function isSending({ sentAs }: Basket): boolean {
  return sentAs !== "";
}

/** Whether it was sent long ago. The ids stay: the orders may be there. */
export function isForgotten(basket: Basket): boolean {
  return isSending(basket) && Date.now() - basket.at > patienceMs;
}

/** Chooses the ids under which all of it is sent until it is answered. */
export function sealed(basket: Basket, prefix: string): Basket {
  return { ...basket, sentAs: prefix + basket.number };
}

/** Somebody else has the number: what is not placed yet takes another one. */
export function renumbered(basket: Basket, prefix: string): Basket {
  return sealed({ ...basket, number: sayableNumber() }, prefix);
}

/** The orders that are sent and not answered yet. */
export function unanswered(basket: Basket): readonly OrderContent[] {
  const { sentAs, placed, pizzas, beverages } = basket;
  if (!isSending(basket)) return [];
  const isAlone = placed.length + pizzas.length === 1;
  return pizzas.map(({ size, toppings }, index) => ({
    id: isAlone ? sentAs : `${sentAs}-${placed.length + index + 1}`,
    pizzaSize: { id: size },
    toppings: toppings.map((id) => ({ id })),
    beverages: index === 0 ? beverages.map((id) => ({ id })) : [],
    status: "Pending",
  }));
}

/** The first unanswered order is placed; the same basket if another tab was quicker. */
export function withPlaced(basket: Basket, id: string): Basket {
  const [first, ...others] = unanswered(basket);
  if (first?.id !== id) return basket;
  if (others.length === 0) return freshBasket();
  const placed = [...basket.placed, id];
  const pizzas = basket.pizzas.slice(1);
  return { ...basket, placed, pizzas, current: 0, beverages: [] };
}

/** Crockford's base32, as in the server's own ids: no letter is mistaken for another. */
function sayableNumber(): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => letters[byte % 32]).join("");
}
