/**
 * The name that people give an order, which orders belong together, which pizzas are equal, and
 * how one differs from the shop's. Fields decide: nothing is read from an id. Pure values.
 */

import type { Order, Reference, ShopPizza, Status } from "./types.ts";

interface StatusFacts {
  /** The kitchen, the pass or a driver still has something to do. */
  readonly isOpen: boolean;
  /** The pizza is made. */
  readonly isReady: boolean;
}

export const statusFacts: Readonly<Record<Status, StatusFacts>> = {
  Pending: { isOpen: true, isReady: false },
  Preparing: { isOpen: true, isReady: false },
  Ready: { isOpen: true, isReady: true },
  "Out for Delivery": { isOpen: true, isReady: true },
  Delivered: { isOpen: false, isReady: true },
  Cancelled: { isOpen: false, isReady: false },
};

type Titled = Pick<Order, "id" | "table" | "group">;

/** The whole number of an order: its group's, else its own id. */
export function numberOf({ id, group }: Titled): string {
  return group ?? id;
}

/** A number as people read it: of a long one its end, since long ones often begin alike. */
export function shortNumber(number: string): string {
  return number.length > 8 ? `…${number.slice(-6)}` : number;
}

/** "Table 7" as its sender wrote it, else the number. */
export function orderTitle(order: Titled): string {
  return order.table ?? shortNumber(numberOf(order));
}

/** The same for orders that belong together: those of one group and one table. */
export function togetherKey({ id, table = "", group }: Titled): string {
  return group === undefined ? `order ${id}` : `group ${group} ${table}`;
}

/** The orders by `togetherKey`, each list in the order in which they were placed. */
export function together(orders: Iterable<Order>): ReadonlyMap<string, readonly Order[]> {
  const groups = groupedBy(orders, togetherKey);
  for (const group of groups.values()) group.sort(byTime);
  return groups;
}

/** Map.groupBy, which the browser of an old tablet does not have. */
function groupedBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function byTime(one: Order, other: Order): number {
  const [first, second] = [one, other].map(({ placedAt, id }) => `${placedAt} ${id}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

/** All that the kitchen and the waiter have to know about a pizza. Drinks do not count. */
type Comparable = Pick<Order, "pizza" | "note" | "name" | "table"> & {
  readonly pizzaSize: Identified;
  readonly toppings: readonly Identified[];
  readonly status?: Status;
};

type Identified = Pick<Reference, "id">;

/** The same pizzas, equal ones in one list: they are made together. Each comes in its order. */
export function equalPizzas<T extends Comparable>(pizzas: readonly T[]): readonly (readonly T[])[] {
  const keyOf = ({ pizzaSize, toppings, pizza, note, name, table, status }: T): string =>
    JSON.stringify([
      pizzaSize.id, toppings.map(({ id }) => id).sort(), pizza ?? "", note ?? "", name ?? "",
      table ?? "", status ?? "",
    ]);
  return [...groupedBy(pizzas, keyOf).values()];
}

/** The pizza of the shop that has the name under which this one was ordered. */
export function shopPizzaOf(
  { pizza }: Pick<Order, "pizza">, pizzas: readonly ShopPizza[],
): ShopPizza | undefined {
  return pizzas.find(({ name }) => name === pizza);
}

/** Each topping as often as it is left out of a recipe, or added to it. */
interface Differences {
  readonly without: readonly Reference[];
  readonly added: readonly Reference[];
}

/** `menu`: the toppings of the shop. One that has left it has no name, so it is left out. */
export function differences(
  { toppings }: Pick<Order, "toppings">,
  recipe: Pick<ShopPizza, "toppings">,
  menu: readonly Reference[],
): Differences {
  const left = [...recipe.toppings];
  const added = toppings.filter(({ id }) => {
    const index = left.indexOf(id);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return { without: left.flatMap((id) => menu.find((topping) => topping.id === id) ?? []), added };
}
