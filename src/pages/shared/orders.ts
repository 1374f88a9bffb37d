/**
 * Whole orders, as people mean them, made from orders of the API: their numbers, names, pizzas and
 * stages. Which pizzas are equal. Fields decide: nothing is read from an id. Pure values.
 */

import type { Order, Reference, Status } from "./types.ts";

/** How far the least advanced open pizza of an order is. */
export type Stage = "new" | "making" | "ready" | "on the way" | "closed";

const stageOrder: readonly Stage[] = ["new", "making", "ready", "on the way", "closed"];

interface StatusFacts {
  readonly stage: Stage;
  /** The pizza is made. */
  readonly isReady: boolean;
}

export const statusFacts: Readonly<Record<Status, StatusFacts>> = {
  Pending: { stage: "new", isReady: false },
  Preparing: { stage: "making", isReady: false },
  Ready: { stage: "ready", isReady: true },
  "Out for Delivery": { stage: "on the way", isReady: true },
  Delivered: { stage: "closed", isReady: true },
  Cancelled: { stage: "closed", isReady: false },
};

/** The kitchen, the pass or a driver still has something to do. */
export function isOpen({ status }: Pick<Order, "status">): boolean {
  return statusFacts[status].stage !== "closed";
}

type Titled = Pick<Order, "id" | "table" | "group">;

/** The whole number of an order: its group's, else its own id. */
export function numberOf({ id, group }: Titled): string {
  return group ?? id;
}

/** A number as people read it: of a long one its end, since long ones often begin alike. */
export function shortNumber(number: string): string {
  return number.length > 8 ? `…${number.slice(-6)}` : number;
}

/** The table of an order, else its name, else its short number. */
export function orderTitle(
  { table, name, number }: Pick<WholeOrder, "table" | "name" | "number">,
): string {
  return table || name || shortNumber(number);
}

/** A number that can be read out, as the server and the order page make them: "K7QX3M". */
export function isNumber(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{6}$/.test(text);
}

/** A number as it was typed, then as it was probably meant: "k7qxom" is "K7QX0M". */
export function possibleNumbers(typed: string): readonly string[] {
  const meant = typed.toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return isNumber(meant) && meant !== typed ? [typed, meant] : [typed];
}

/** The same text for orders that belong together: those of one group and one table. */
export function sameOrderText({ id, table = "", group }: Titled): string {
  return group === undefined ? `order ${id}` : `group ${group} ${table}`;
}

/** The items with the same text together. An old tablet does not have Map.groupBy. */
function groupsBy<T>(
  items: Iterable<T>, textOf: (item: T) => string,
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const text = textOf(item);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/**
 * An order as people mean it: the orders of the API with the same group and table, or one without a
 * group. Each of its pizzas is an order of the API. Drinks are the whole order's, whichever pizza
 * carries them.
 */
export interface WholeOrder<Pizza extends Order = Order> {
  /** The id of its first pizza, which is the same at another table. */
  readonly id: string;
  /** The whole number: see `numberOf`. */
  readonly number: string;
  /** "": at no table. */
  readonly table: string;
  /** Who has ordered: the name of the oldest open pizza that has one. "": nobody said it. */
  readonly name: string;
  /** See `orderTitle`. */
  readonly title: string;
  /** In the order placed, cancelled ones, too. */
  readonly pizzas: readonly [Pizza, ...Pizza[]];
  /** Equal pizzas of one status together. Equal ones of several statuses are neighbors. */
  readonly rows: readonly PizzaRow<Pizza>[];
  /** Empty once all pizzas are cancelled. */
  readonly drinks: readonly Reference[];
  readonly stage: Stage;
  /** When its first open pizza was placed, RFC 3339. */
  readonly placedAt: string;
  /** The earliest time for which an open pizza is wanted, RFC 3339. Undefined: at once. */
  readonly wantedAt: string | undefined;
  /** The time that its one clock counts from: wanted, else placed. */
  readonly dueAt: string;
  /** Pizzas that are not cancelled. */
  readonly count: number;
  /** The made ones among these. */
  readonly readyCount: number;
}

/** Equal pizzas of an order, which are made together. */
export type PizzaRow<Pizza = Order> = readonly [Pizza, ...Pizza[]];

/** A number that was used longer ago was another order's: pages forget what they know of it. */
export const longestOrderMs = 18 * 60 * 60_000;

/** `orders`: as the server lists them, so that ties keep its order. */
export function wholeOrders<Pizza extends Order>(
  orders: Iterable<Pizza>,
): readonly WholeOrder<Pizza>[] {
  return groupsBy(orders, sameOrderText).flatMap((group) => {
    const [first, ...others] = pizzasTogether(group);
    return first === undefined ? [] : [wholeOrder([first, ...others])];
  });
}

/** In the order placed. Beside open ones a closed one counts only if it was placed with them. */
function pizzasTogether<Pizza extends Order>(group: readonly Pizza[]): readonly Pizza[] {
  const open = group.filter(isOpen);
  const isWithOpen = ({ placedAt }: Pizza): boolean => open.some((other) =>
    Math.abs(Date.parse(other.placedAt) - Date.parse(placedAt)) <= longestOrderMs);
  return group.filter((pizza) => open.length === 0 || isWithOpen(pizza))
    .sort((first, second) => Date.parse(first.placedAt) - Date.parse(second.placedAt));
}

function wholeOrder<Pizza extends Order>(
  pizzas: WholeOrder<Pizza>["pizzas"],
): WholeOrder<Pizza> {
  const [first] = pizzas;
  const open = pizzas.filter(isOpen);
  const current = open.length > 0 ? open : pizzas;
  const left = pizzas.filter(({ status }) => status !== "Cancelled");
  const { table = "" } = first;
  const number = numberOf(first);
  const name = current.find((pizza) => pizza.name !== undefined)?.name ?? "";
  const placedAt = current[0]?.placedAt ?? "";
  const wantedAt = current.flatMap((pizza) => pizza.wantedAt ?? []).sort()[0];
  return {
    id: first.id, number, table, name, pizzas, placedAt, wantedAt,
    title: orderTitle({ table, name, number }),
    rows: equalPizzas(pizzas),
    drinks: left.length === 0 ? [] : pizzas.flatMap(({ beverages }) => beverages),
    stage: stageOrder.find((stage) =>
      current.some(({ status }) => statusFacts[status].stage === stage)) ?? "closed",
    dueAt: wantedAt ?? placedAt,
    count: left.length,
    readyCount: left.filter(({ status }) => statusFacts[status].isReady).length,
  };
}

/** All that the kitchen and the waiter have to know about a pizza. Drinks do not count. */
type Comparable = Pick<Order, "pizza" | "note" | "name" | "table"> & {
  readonly pizzaSize: Identified;
  readonly toppings: readonly Identified[];
  readonly status?: Status;
};

type Identified = Pick<Reference, "id">;

interface Recipe {
  readonly pizza: string | undefined;
  /** The id of its size. */
  readonly size: string;
  /** Ids. */
  readonly toppings: readonly string[];
  readonly note: string | undefined;
}

/** The same text for pizzas that are made in the same way. */
export function sameRecipeText({ pizza = "", size, toppings, note = "" }: Recipe): string {
  return JSON.stringify([pizza, size, toppings.toSorted(), note]);
}

/**
 * The same pizzas, equal ones in one row: they are made together. A row has the place of its first
 * pizza. One that changes its status stays beside those that it was equal to.
 */
export function equalPizzas<T extends Comparable>(pizzas: readonly T[]): readonly PizzaRow<T>[] {
  const samePizzaText = ({ pizzaSize, toppings, pizza, note, name, table }: T): string =>
    JSON.stringify([
      sameRecipeText({ pizza, size: pizzaSize.id, toppings: toppings.map(({ id }) => id), note }),
      name ?? "", table ?? "",
    ]);
  return groupsBy(pizzas, samePizzaText).flatMap((equal) =>
    groupsBy(equal, ({ status = "" }) => status));
}
