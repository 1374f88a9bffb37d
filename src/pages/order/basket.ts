/**
 * A guest's choice: pizzas, drinks, and for whom they are. All of it is one order, sent in one
 * request. The ids of its pizzas are there from the start, so whatever is sent again is the same,
 * and once the shop has one of them it has the order. Pure values, but for the ids.
 */

import { randomId } from "../../resources/id.ts";
import { menuKinds } from "../shared/menu.ts";
import { sameRecipeText } from "../shared/orders.ts";
import type { MenuKind, Order, ShopPizza } from "../shared/types.ts";
import { textSent } from "./typed-text.ts";

export type ExtraKind = "toppings" | "beverages";

/** Equal pizzas: a change holds for all of them. */
export interface BasketRow {
  readonly key: string;
  readonly count: number;
  /** The name of the shop's pizza that it began as. "": it began without toppings. */
  readonly pizza: string;
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
  readonly note: string;
  /** Split from equal ones: it stays a row of its own. */
  readonly isApart: boolean;
}

export interface Basket {
  /** The beginning of the ids of its pizzas: see `pizzaId`. Nobody else can have guessed it. */
  readonly idPrefix: string;
  /** The number that people read, of all its pizzas. */
  readonly group: string;
  readonly rows: readonly BasketRow[];
  /** The key of the row that the menu changes. "": the next pizza. */
  readonly current: string;
  /** The size of the next pizza. "": it will be asked. */
  readonly nextSize: string;
  readonly beverages: readonly string[];
  /** Who orders. */
  readonly name: string;
  /** The table in the field of staff. Guests sit where the address says. */
  readonly table: string;
  /** The time in the field of staff, by the clock of the device: "2026-11-29T19:30". */
  readonly wantedAt: string;
  readonly sent: Sent;
}

/** The last order that was sent under the ids of the basket. */
export interface Sent {
  /** Empty: nothing was. */
  readonly orders: readonly OrderBody[];
  /** The `sub` of the token of the request. "": of several people. */
  readonly by: string;
  /**
   * Whether the shop can have it. "not yet": Place order was pressed, but no request can have
   * arrived. "maybe": one can have. "no": nothing was sent, or the shop has said that it has none
   * of it. A late request may still arrive then.
   */
  readonly arrival: "no" | "not yet" | "maybe";
}

const nothingSent: Sent = { orders: [], by: "", arrival: "no" };

/** An order of the API as it is sent. An empty text is none. */
export type OrderBody = Pick<Order, "id" | "pizzaSize" | "toppings" | "beverages" | "status">
  & Readonly<Record<"group" | "pizza" | "note" | "name" | "table" | "wantedAt", string>>;

export function freshBasket(table: string): Basket {
  return {
    ...freshIds(), rows: [], current: "", nextSize: "", beverages: [], name: "", table,
    wantedAt: "",
  };
}

/** More than 80 random bits for the ids. The number has to be short only. */
export function freshIds(): Pick<Basket, "idPrefix" | "group" | "sent"> {
  return { idPrefix: randomId(18), group: randomId(6), sent: nothingSent };
}

/** `place`: from 1 on. */
export function pizzaId({ idPrefix }: Basket, place: number): string {
  return `${idPrefix}-${place}`;
}

/** Whether the order is one of this basket's. */
export function isOwnId({ idPrefix }: Basket, id: string): boolean {
  return id.startsWith(`${idPrefix}-`);
}

/** True from the first try on, until the shop has said whether it has the order. */
export function isFrozen({ sent }: Basket): boolean {
  return sent.arrival !== "no";
}

export function currentRow({ rows, current }: Basket): BasketRow | undefined {
  return rows.find(({ key }) => key === current);
}

/** The row that is drawn large: the one that the menu changes, else the last one. */
export function drawnRow(basket: Basket): BasketRow | undefined {
  return currentRow(basket) ?? basket.rows.at(-1);
}

export function pizzaCount({ rows }: Basket): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Pizzas of the shop with that name. */
export function countOfPizza({ rows }: Basket, name: string): number {
  return rows.reduce((sum, { pizza, count }) => sum + (pizza === name ? count : 0), 0);
}

export function isEmpty({ rows, beverages }: Basket): boolean {
  return rows.length === 0 && beverages.length === 0;
}

export function countOf(ids: readonly string[], id: string): number {
  return ids.filter((chosen) => chosen === id).length;
}

/** All that is chosen, each item once. */
export function itemsIn({ rows, beverages }: Basket): readonly (readonly [MenuKind, string])[] {
  const ids = {
    pizzasizes: rows.map(({ size }) => size).filter((id) => id !== ""),
    toppings: rows.flatMap(({ toppings }) => toppings),
    beverages,
  };
  return menuKinds.flatMap((kind) => [...new Set(ids[kind])].map((id) => [kind, id] as const));
}

export function withRow(basket: Basket, key: string, change: Partial<BasketRow>): Basket {
  return {
    ...basket, rows: basket.rows.map((row) => (row.key === key ? { ...row, ...change } : row)),
  };
}

export function newRow(row: Pick<BasketRow, "pizza" | "size" | "toppings" | "note">): BasketRow {
  return { ...row, key: randomId(6), count: 1, isApart: false };
}

/** With one pizza more, which the menu changes then. It takes the size that was chosen for it. */
export function withPizza(basket: Basket, { name, toppings }: ShopPizza): Basket {
  const row = newRow({ pizza: name, size: basket.nextSize, toppings, note: "" });
  return merged({ ...basket, rows: [...basket.rows, row], current: row.key, nextSize: "" });
}

/** The size of the row that the menu changes, and of all that have none; else of the next one. */
export function withSize(basket: Basket, size: string): Basket {
  if (currentRow(basket) === undefined) return { ...basket, nextSize: size };
  return merged({
    ...basket,
    rows: basket.rows.map((row) =>
      (row.size === "" || row.key === basket.current ? { ...row, size } : row)),
  });
}

/** With other toppings. A pizza that began with one ends with the last one. */
export function withToppings(basket: Basket, key: string, toppings: readonly string[]): Basket {
  const row = basket.rows.find((other) => other.key === key);
  if (row === undefined) return withPizza(basket, { name: "", toppings });
  if (toppings.length > 0 || row.pizza !== "" || row.note !== "") {
    return withRow(basket, key, { toppings });
  }
  return { ...withCount(basket, key, 0), nextSize: row.size };
}

export function withCount(basket: Basket, key: string, count: number): Basket {
  if (count > 0) return withRow(basket, key, { count });
  const rows = basket.rows.filter((row) => row.key !== key);
  return { ...basket, rows, current: basket.current === key ? "" : basket.current };
}

/** One of equal pizzas becomes a row of its own, below the others. */
export function withSplit(basket: Basket, key: string): Basket {
  const rows = basket.rows.flatMap((row) => (row.key !== key || row.count < 2 ? [row]
    : [{ ...row, count: row.count - 1 }, { ...newRow(row), isApart: true }]));
  return { ...basket, rows };
}

/** Equal rows become one, but for those that were split. */
export function merged(basket: Basket): Basket {
  const rows: BasketRow[] = [];
  let { current } = basket;
  for (const row of basket.rows) {
    const index = row.isApart ? -1
      : rows.findIndex((other) => !other.isApart && recipeOf(other) === recipeOf(row));
    const equal = rows[index];
    if (equal === undefined) rows.push(row);
    else {
      rows[index] = { ...equal, count: equal.count + row.count };
      if (current === row.key) current = equal.key;
    }
  }
  return { ...basket, rows, current };
}

/** Only what is wanted of what was chosen. A pizza stays, without a size or a topping. */
export function keepItems(
  basket: Basket, isWanted: (kind: MenuKind, id: string) => boolean,
): Basket {
  return {
    ...basket,
    rows: basket.rows.map((row) => ({
      ...row,
      size: isWanted("pizzasizes", row.size) ? row.size : "",
      toppings: row.toppings.filter((id) => isWanted("toppings", id)),
    })),
    nextSize: isWanted("pizzasizes", basket.nextSize) ? basket.nextSize : "",
    beverages: basket.beverages.filter((id) => isWanted("beverages", id)),
  };
}

/** The rest that these orders do not hold, with ids of its own. A fresh one is at that table. */
export function withoutOrders(
  basket: Basket, orders: readonly OrderedPizza[], table: string,
): Basket {
  const rows = orders.reduce<readonly BasketRow[]>(withoutPizza, basket.rows)
    .filter(({ count }) => count > 0);
  const beverages = [...basket.beverages];
  for (const { id } of orders.flatMap((order) => order.beverages)) {
    if (beverages.includes(id)) beverages.splice(beverages.indexOf(id), 1);
  }
  const rest = { ...basket, ...freshIds(), rows, beverages, current: "", nextSize: "" };
  return isEmpty(rest) ? freshBasket(table) : rest;
}

type OrderedPizza =
  Pick<Order | OrderBody, "pizza" | "note" | "pizzaSize" | "toppings" | "beverages">;

function withoutPizza(rows: readonly BasketRow[], order: OrderedPizza): readonly BasketRow[] {
  const { pizza, note, pizzaSize: { id: size } } = order;
  const toppings = order.toppings.map(({ id }) => id);
  const recipe = sameRecipeText({ pizza, note, size, toppings });
  const index = rows.findIndex((row) => row.count > 0 && recipeOf(row) === recipe);
  return rows.map((row, at) => (at === index ? { ...row, count: row.count - 1 } : row));
}

/** The same text for rows that become equal pizzas. */
function recipeOf(row: BasketRow): string {
  return sameRecipeText({ ...row, note: textSent(row.note) });
}
