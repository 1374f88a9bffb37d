/**
 * The pizzas and drinks that a customer chooses, and one note for all. Each pizza becomes an order
 * of its own; the drinks go with the first. The number of the orders is chosen before anything is
 * sent, and every retry sends the same ids. So a double click, a lost answer or a reload makes each
 * order once. Pure values.
 */

import { menuKinds } from "../shared/menu.ts";
import { saved } from "../shared/storage.ts";
import type { Item, MenuKind, OrderContent } from "../shared/types.ts";

/** Toppings, or drinks, of an order (contract part 2). */
const maxOfAKind = 50;
export const maxPizzas = 12;
export const maxNote = 200;

export type ExtraKind = "toppings" | "beverages";

export interface Pizza {
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
}

export interface Basket {
  /** "K7QX3M": the id of a single order; the ids of several are "K7QX3M-1" and so on. */
  readonly number: string;
  /** The pizzas under that number that are placed already, with the ids of their orders. */
  readonly placed: readonly (Pizza & Item)[];
  /** Never empty: those to be placed. */
  readonly pizzas: readonly Pizza[];
  /** The pizza that the menu adds to. */
  readonly current: number;
  readonly beverages: readonly string[];
  /** The guest's name, or a remark. */
  readonly note: string;
  /** The id of an order that was sent and not answered: the shop may have it. Else "". */
  readonly unanswered: string;
  /** The last change, in milliseconds since 1970. */
  readonly at: number;
}

const dayMs = 18 * 3_600_000;
const plainPizza: Pizza = { size: "", toppings: [] };

function freshBasket(): Basket {
  return {
    number: sayableNumber(), placed: [], pizzas: [plainPizza], current: 0, beverages: [], note: "",
    unanswered: "", at: Date.now(),
  };
}

function idsOf(references: readonly Item[]): readonly string[] {
  return references.map(({ id }) => id);
}

/** The basket of this device, or a fresh one. */
export function savedBasket(): Basket {
  const fresh = freshBasket();
  const pizza: Pizza = { size: "", toppings: [""] };
  const example = {
    ...fresh, placed: [{ id: "", ...pizza }], pizzas: [pizza], beverages: [""],
  };
  const basket: Basket = saved("basket", example) ?? fresh;
  const { number, placed, pizzas, current, note, at } = basket;
  const isSound = sayable.test(number) && pizzas[current] !== undefined
    && placed.length + pizzas.length <= maxPizzas && isRecent(at);
  return isSound ? { ...basket, note: noteOf(note) } : fresh;
}

/** Not later than now by much either: anybody may have written it. */
function isRecent(at: number): boolean {
  return Math.abs(Date.now() - at) < dayMs;
}

/** As it is sent: a tab, a line break or half a character becomes a blank. */
export function noteOf(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, " ").slice(0, maxNote);
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
  return visits.filter(({ ids, at }) => ids.length > 0 && isRecent(at));
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

/** The next order to send: the first pizza, and all drinks. */
export function nextOrder(basket: Basket, prefix: string): OrderContent {
  const { number, placed, pizzas: [pizza = plainPizza], beverages, note, unanswered } = basket;
  const isAlone = placed.length + basket.pizzas.length === 1;
  const id = `${prefix}${number}${isAlone ? "" : `-${placed.length + 1}`}`;
  return {
    // The shop may have it already: under another id it would be made twice.
    id: unanswered || id,
    pizzaSize: { id: pizza.size },
    toppings: pizza.toppings.map((topping) => ({ id: topping })),
    beverages: beverages.map((beverage) => ({ id: beverage })),
    status: "Pending",
    note: note.trim(),
  };
}

/** Somebody else has the number: what is not placed yet takes another one. */
export function renumbered(basket: Basket): Basket {
  return { ...basket, number: sayableNumber(), unanswered: "" };
}

/**
 * The basket after an unanswered order was placed; the same basket if another tab was quicker. The
 * order takes along only what has not been changed since it was sent.
 */
export function withPlaced(basket: Basket, order: OrderContent): Basket {
  if (basket.unanswered !== order.id) return basket;
  const pizza: Pizza = { size: order.pizzaSize.id, toppings: idsOf(order.toppings) };
  const [first, ...others] = basket.pizzas;
  const pizzas = isSame(first, pizza) ? others : basket.pizzas;
  const beverages = isSame(basket.beverages, idsOf(order.beverages)) ? [] : basket.beverages;
  if (pizzas.length === 0 && beverages.length === 0) return freshBasket();
  return {
    ...basket, placed: [...basket.placed, { id: order.id, ...pizza }],
    pizzas: pizzas.length > 0 ? pizzas : [plainPizza], current: 0, beverages, unanswered: "",
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const sayable = /^[0-9A-HJKMNP-TV-Z]{6}$/;

/** Crockford's base32, as in the server's own ids: no letter is mistaken for another. */
function sayableNumber(): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  const number = Array.from(bytes, (byte) => letters[byte % 32]).join("");
  // One of digits alone could be mistaken for a date.
  return /[A-Z]/.test(number) ? number : sayableNumber();
}
