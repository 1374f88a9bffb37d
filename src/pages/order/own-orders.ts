/**
 * The own orders of this device: those that were placed from here, what was seen of them last, and
 * what the kitchen has changed since. A guest finds them again for a day. Pure values.
 */

import { type WholeOrder, wholeOrders } from "../shared/orders.ts";
import { differences } from "../shared/pizza-text.ts";
import type { Order, Reference } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import type { OrderBody } from "./basket.ts";

export interface OwnOrder {
  readonly group: string;
  /** When it was placed, in milliseconds since 1970. */
  readonly placedAt: number;
  /** Who placed it: the `sub` of the token. "": nobody knows. */
  readonly by: string;
  /** Its pizzas as the guest knows them. */
  readonly seen: readonly SeenPizza[];
}

export interface SeenPizza {
  readonly id: string;
  readonly pizza: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly note: string;
  readonly isCancelled: boolean;
}

export const maxOwnOrders = 20;

export function seenOf(order: Order | OrderBody): SeenPizza {
  const { id, pizza = "", pizzaSize, toppings, note = "", status } = order;
  return { id, pizza, pizzaSize, toppings, note, isCancelled: status === "Cancelled" };
}

/** With this own order, the latest first. */
export function withOwnOrder(
  ownOrders: readonly OwnOrder[], ownOrder: OwnOrder,
): readonly OwnOrder[] {
  const others = ownOrders.filter(({ group }) => group !== ownOrder.group);
  return [ownOrder, ...others].slice(0, maxOwnOrders);
}

export function ownOrderOf(ownOrders: readonly OwnOrder[], number: string): OwnOrder | undefined {
  return ownOrders.find(({ group }) => group === number);
}

/** An own order is one whole order, unless the shop has moved a part to another table. */
export function ownWholeOrders(
  ownOrders: readonly OwnOrder[], orders: ReadonlyMap<string, Order>,
): readonly WholeOrder[] {
  return ownOrders.flatMap(({ group }) =>
    wholeOrders([...orders.values()].filter((order) => order.group === group)));
}

/** The kitchen's changes of pizzas, each a sentence, since the guest saw them last. */
export function kitchenChanges(
  ownOrder: OwnOrder | undefined, { pizzas }: WholeOrder,
): readonly string[] {
  return pizzas.flatMap((order) => {
    const before = ownOrder?.seen.find(({ id }) => id === order.id);
    if (before === undefined) return [];
    const pizza = before.pizza || before.pizzaSize.name;
    const now = seenOf(order);
    if (now.isCancelled !== before.isCancelled) {
      return [now.isCancelled ? t("{pizza} was cancelled. Ask the shop.", { pizza })
        : t("{pizza} is made after all.", { pizza })];
    }
    const changes = changesOf(before, order);
    return changes.length === 0 ? []
      : [t("The shop has changed {pizza}: {changes}.", { pizza, changes: listed(changes) })];
  });
}

function changesOf(before: SeenPizza, order: Order): readonly string[] {
  const recipe = { toppings: before.toppings.map(({ id }) => id) };
  const { without, added } = differences(order, recipe, before.toppings);
  const { note = "" } = order;
  return [
    order.pizzaSize.id !== before.pizzaSize.id && order.pizzaSize.name,
    ...without.map(({ name }) => t("without {name}", { name })),
    ...added.map(({ name }) => t("+ {name}", { name })),
    ...note === before.note ? [] : [
      before.note !== "" && t("without {name}", { name: `“${before.note}”` }),
      note !== "" && t("+ {name}", { name: `“${note}”` }),
    ],
  ].filter((text) => text !== false);
}
