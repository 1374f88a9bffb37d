/**
 * What the customer is putting together: pizzas, each an order of its own, and drinks, which go with
 * the first. Order ids are chosen here before anything is sent, and every retry sends the same ones,
 * so a double click, a lost answer or a reload in between makes each order once. Pure values.
 */

import { itemOf, type Menu } from "../shared/menu.ts";
import { isListOf, isNumber, isShapeOf, isText, kept } from "../shared/storage.ts";
import type { OrderContent, Reference } from "../shared/types.ts";

/** References of one kind that an order may hold (contract part 2). */
export const mostOfAKind = 50;
/** More than anybody carries. */
export const mostPizzas = 20;

export type ExtraKind = "toppings" | "beverages";

export interface Pizza {
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
}

export interface Basket {
  /** "K7QX3M": the id of one pizza alone; those of several begin with it. */
  readonly number: string;
  /** Ids under that number that are already placed. */
  readonly placed: readonly string[];
  /** Never empty. */
  readonly pizzas: readonly Pizza[];
  /** The pizza that the menu adds to. */
  readonly current: number;
  readonly beverages: readonly string[];
  /** Sent and not answered yet. Until it is empty, nothing else changes. */
  readonly sent: readonly OrderContent[];
  /** The last change, in milliseconds since 1970. */
  readonly at: number;
}

const dayMs = 18 * 3_600_000;
/** After this long, an unanswered order is sent only if somebody asks for it again. */
const patienceMs = 15 * 60_000;
const plainPizza: Pizza = { size: "", toppings: [] };

export function freshBasket(): Basket {
  return {
    number: sayableNumber(), placed: [], pizzas: [plainPizza], current: 0, beverages: [], sent: [],
    at: Date.now(),
  };
}

const isTexts = isListOf(isText);
const isReference = isShapeOf<Reference>({ id: isText });
const isPizza = isShapeOf<Pizza>({ size: isText, toppings: isTexts });
const isSent = isShapeOf<Omit<OrderContent, "status">>({
  id: isText,
  pizzaSize: isReference,
  toppings: isListOf(isReference),
  beverages: isListOf(isReference),
});
const isBasket = isShapeOf<Basket>({
  number: isText,
  placed: isTexts,
  pizzas: isListOf(isPizza),
  current: isNumber,
  beverages: isTexts,
  sent: isListOf(isSent) as (value: unknown) => value is readonly OrderContent[],
  at: isNumber,
});

/** The basket of this device, or a fresh one. */
export function keptBasket(): Basket {
  const basket = kept("basket", isBasket);
  const isGood = basket !== undefined && basket.pizzas[basket.current] !== undefined
    && Date.now() - basket.at < dayMs;
  return isGood ? basket : freshBasket();
}

/** Orders that were placed together from this device. */
export interface Visit {
  readonly ids: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

const isVisit = isShapeOf<Visit>({ ids: isTexts, at: isNumber });

/** The visits of the day, the latest first. */
export function keptVisits(): readonly Visit[] {
  const visits = kept("visits", isListOf(isVisit)) ?? [];
  return visits.filter(({ at }) => Date.now() - at < dayMs);
}

/** The visits once `ids` are placed: one visit that grows order by order. */
export function withVisit(visits: readonly Visit[], ids: readonly string[]): readonly Visit[] {
  return [{ ids, at: Date.now() }, ...visits.filter((visit) => visit.ids[0] !== ids[0])];
}

export function currentPizza({ pizzas, current }: Basket): Pizza {
  return pizzas[current] ?? plainPizza;
}

export function isSending({ sent }: Basket): boolean {
  return sent.length > 0;
}

/** Whether it was sent long ago. The ids stay: the orders may be there. */
export function isForgotten(basket: Basket): boolean {
  return isSending(basket) && Date.now() - basket.at > patienceMs;
}

export function isBegun({ size, toppings }: Pizza): boolean {
  return size !== "" || toppings.length > 0;
}

/** The ids of a kind: all drinks, or the toppings of the current pizza. */
export function chosenOf(basket: Basket, kind: ExtraKind): readonly string[] {
  return kind === "beverages" ? basket.beverages : currentPizza(basket).toppings;
}

/** One more of an item, or one less. */
export function withExtra(basket: Basket, kind: ExtraKind, id: string, by: 1 | -1): Basket {
  const ids = chosenOf(basket, kind);
  const last = ids.lastIndexOf(id);
  const next = by < 0 ? ids.filter((_, index) => index !== last)
    : ids.length < mostOfAKind ? [...ids, id] : ids;
  return kind === "beverages" ? changedBasket(basket, { beverages: next })
    : withCurrent(basket, { toppings: next });
}

export function withSize(basket: Basket, size: string): Basket {
  return withCurrent(basket, { size });
}

function withCurrent(basket: Basket, part: Partial<Pizza>): Basket {
  const { pizzas, current } = basket;
  const changed = pizzas.map((one, index) => (index === current ? { ...one, ...part } : one));
  return changedBasket(basket, { pizzas: changed });
}

export function withAnotherPizza(basket: Basket): Basket {
  const { pizzas } = basket;
  return changedBasket(basket, { pizzas: [...pizzas, plainPizza], current: pizzas.length });
}

export function withoutPizza(basket: Basket, at: number): Basket {
  const pizzas = basket.pizzas.filter((_, index) => index !== at);
  const current = basket.current - (at < basket.current ? 1 : 0);
  return changedBasket(basket, { pizzas, current: Math.min(current, pizzas.length - 1) });
}

/** Without the pizzas that were added and never begun, if there are others. */
export function withoutEmpty(basket: Basket): Basket {
  const pizzas = basket.pizzas.filter(isBegun);
  if (pizzas.length === 0 || pizzas.length === basket.pizzas.length) return basket;
  return changedBasket(basket, { pizzas, current: Math.min(basket.current, pizzas.length - 1) });
}

export function turnedTo(basket: Basket, current: number): Basket {
  return changedBasket(basket, { current });
}

/** Without what is no longer on the menu; the same basket if everything is. */
export function onMenu(basket: Basket, menu: Menu): Basket {
  const { pizzas, beverages } = basket;
  const left = {
    pizzas: pizzas.map(({ size, toppings }) => ({
      size: itemOf(menu, "pizzasizes", size) === undefined ? "" : size,
      toppings: toppings.filter((id) => itemOf(menu, "toppings", id) !== undefined),
    })),
    beverages: beverages.filter((id) => itemOf(menu, "beverages", id) !== undefined),
  };
  const isSame = JSON.stringify(left) === JSON.stringify({ pizzas, beverages });
  return isSame ? basket : changedBasket(basket, left);
}

/** Chooses what will be sent until it is answered. `prefix`: "tavolo-7-", or "". */
export function sealed(basket: Basket, prefix: string): Basket {
  const { number, placed, pizzas, beverages } = basket;
  const isAlone = placed.length + pizzas.length === 1;
  return changedBasket(basket, {
    sent: pizzas.map(({ size, toppings }, index) => ({
      id: prefix + number + (isAlone ? "" : `-${placed.length + index + 1}`),
      pizzaSize: { id: size },
      toppings: toppings.map((id) => ({ id })),
      beverages: index === 0 ? beverages.map((id) => ({ id })) : [],
      status: "Pending",
    })),
  });
}

/** Nothing more is sent; what is not placed can be changed again. */
export function unsealed(basket: Basket): Basket {
  return changedBasket(basket, { sent: [] });
}

/** Somebody else has the number: what is not placed yet takes another one. */
export function renumbered(basket: Basket, prefix: string): Basket {
  return sealed({ ...basket, number: sayableNumber() }, prefix);
}

/** The first of what was sent is placed; the same basket if another tab was quicker. */
export function withPlaced(basket: Basket, id: string): Basket {
  const [first, ...sent] = basket.sent;
  if (first?.id !== id) return basket;
  if (sent.length === 0) return freshBasket();
  const placed = [...basket.placed, id];
  return changedBasket(basket, {
    placed, sent, pizzas: basket.pizzas.slice(1), current: 0, beverages: [],
  });
}

function changedBasket(basket: Basket, part: Partial<Basket>): Basket {
  return { ...basket, ...part, at: Date.now() };
}

/** Crockford's base32, as in the server's own ids: nothing in it is mistaken for something else. */
function sayableNumber(): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => letters[byte % 32]).join("");
}
