/**
 * The pizzas and drinks that a customer chooses. Each pizza becomes an order of its own; the drinks
 * go with the first. The number of the orders is chosen before anything is sent, and every retry
 * sends the same ids. So a double click, a lost answer or a reload makes each order once. Pure
 * values.
 */

import { menuKinds } from "../shared/menu.ts";
import { saved } from "../shared/storage.ts";
import type { Item, MenuKind, Order, OrderContent } from "../shared/types.ts";

/** Toppings, or drinks, of an order (contract part 2). */
const maxOfAKind = 50;
export const maxPizzas = 12;

export type ExtraKind = "toppings" | "beverages";

export interface Pizza {
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
}

export interface PlacedPizza extends Pizza {
  /** The id of its order. */
  readonly id: string;
}

export interface Basket {
  /** "K7QX3M": the id of a single order; the ids of several are "K7QX3M-1" and so on. */
  readonly number: string;
  /** The pizzas under that number that are placed already. */
  readonly placed: readonly PlacedPizza[];
  /** Never empty: those to be placed. */
  readonly pizzas: readonly Pizza[];
  /** The pizza that the menu adds to. */
  readonly current: number;
  readonly beverages: readonly string[];
  /**
   * "tavolo-7-K7QX3M" while orders are sent; nothing else changes then. "" before, and again once
   * an order is refused: what is not placed can be changed.
   */
  readonly sentAs: string;
  /** The order that was under way when sending was stopped: the shop may have it. */
  readonly stopped: readonly OrderContent[];
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
    sentAs: "", stopped: [], at: Date.now(),
  };
}

/** The same pizzas and drinks as in these orders. */
export function basketLike(orders: readonly Order[]): Basket {
  return {
    ...freshBasket(),
    pizzas: orders.map(pizzaOf),
    beverages: orders.flatMap(({ beverages }) => idsOf(beverages)),
  };
}

function pizzaOf({ pizzaSize, toppings }: OrderContent): Pizza {
  return { size: pizzaSize.id, toppings: idsOf(toppings) };
}

function idsOf(references: readonly Item[]): readonly string[] {
  return references.map(({ id }) => id);
}

/** The basket of this device, or a fresh one. */
export function savedBasket(): Basket {
  const fresh = freshBasket();
  const [pizza, item] = [{ size: "", toppings: [""] }, { id: "" }];
  const order: OrderContent = {
    id: "", pizzaSize: item, toppings: [item], beverages: [item], status: "Pending",
  };
  const example = {
    ...fresh, placed: [{ id: "", ...pizza }], pizzas: [pizza], beverages: [""],
    stopped: [order],
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

/** How guests count it: those that are placed come before. */
export function pizzaNumber({ placed }: Basket, at: number): number {
  return placed.length + at + 1;
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
    : [...ids, id].slice(0, maxOfAKind);
  return kind === "beverages" ? { ...basket, beverages: next }
    : withCurrent(basket, { toppings: next });
}

export function withCurrent(basket: Basket, part: Partial<Pizza>): Basket {
  const changed = { ...currentPizza(basket), ...part };
  return { ...basket, pizzas: basket.pizzas.with(basket.current, changed) };
}

export function withAnother(basket: Basket, pizza: Pizza = plainPizza): Basket {
  const { placed, pizzas } = basket;
  if (placed.length + pizzas.length >= maxPizzas) return basket;
  return { ...basket, pizzas: [...pizzas, pizza], current: pizzas.length };
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

/** Only what is wanted of what was chosen. A pizza keeps its place without a size. */
export function withItems(
  basket: Basket, isWanted: (kind: MenuKind, id: string) => boolean,
): Basket {
  return {
    ...basket,
    pizzas: basket.pizzas.map(({ size, toppings }) => ({
      size: isWanted("pizzasizes", size) ? size : "",
      toppings: toppings.filter((id) => isWanted("toppings", id)),
    })),
    beverages: basket.beverages.filter((id) => isWanted("beverages", id)),
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

/** Whether exactly this is what is sent next. */
export function isNext(basket: Basket, order: OrderContent): boolean {
  return isSame(unanswered(basket)[0], order);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Sends no more: what is not placed can be changed again. */
export function withStop(basket: Basket): Basket {
  return { ...basket, sentAs: "", stopped: unanswered(basket).slice(0, 1) };
}

/**
 * The basket after the order was placed; the same basket if another tab was quicker. An order that
 * had been stopped takes along only what has not been changed since.
 */
export function withPlaced(basket: Basket, order: OrderContent): Basket {
  const wasNext = isNext(basket, order);
  if (!wasNext && !basket.stopped.some((one) => isSame(one, order))) return basket;
  const pizza = pizzaOf(order);
  const [first, ...others] = basket.pizzas;
  const pizzas = isSame(first, pizza) ? others : basket.pizzas;
  const beverages = isSame(basket.beverages, idsOf(order.beverages)) ? [] : basket.beverages;
  if (pizzas.length === 0 && beverages.length === 0) return freshBasket();
  return {
    ...basket, placed: [...basket.placed, { id: order.id, ...pizza }],
    pizzas: pizzas.length > 0 ? pizzas : [plainPizza], current: 0, beverages,
    sentAs: wasNext ? basket.sentAs : "", stopped: [],
  };
}

/** Crockford's base32, as in the server's own ids: no letter is mistaken for another. */
function sayableNumber(): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  const number = Array.from(bytes, (byte) => letters[byte % 32]).join("");
  // One of digits alone could be mistaken for a date.
  return /[A-Z]/.test(number) ? number : sayableNumber();
}
