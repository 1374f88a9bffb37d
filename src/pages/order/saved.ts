/** The things that this device keeps. They are read as if anybody had written them. */

import { serverNow } from "../shared/api.ts";
import { save, saved } from "../shared/storage.ts";
import { addressTable } from "./address.ts";
import { type Basket, freshBasket, isEmpty, maxPizzas, plainPizza } from "./basket.ts";
import { isNumber } from "./numbers.ts";
import { oneLine } from "./typed-text.ts";
import { longestVisitMs, maxVisits, type Visit } from "./visits.ts";

const longestUnchangedMs = 18 * 3_600_000;

/** A reload or another tab forgets a basket that nobody has changed for long. */
export function saveBasket(basket: Basket): void {
  save("basket", { ...basket, changedAt: Date.now() });
}

/** The basket of this device, or a fresh one. */
export function savedBasket(): Basket {
  const fresh = freshBasket(addressTable);
  const example = {
    ...fresh, pizzas: [{ ...plainPizza(), toppings: [""] }], beverages: [""],
    unanswered: [{ id: "", group: "" }], changedAt: 0,
  };
  const stored = saved("basket", example);
  if (stored === undefined) return fresh;
  const { changedAt, ...basket } = stored;
  const { group, pizzas, current, name, table } = basket;
  const isAddressed = addressTable !== "" && (table === "" || isEmpty(basket));
  const isSound = isNumber(group) && pizzas.every(({ id }) => isNumber(id))
    && pizzas[current] !== undefined && pizzas.length <= maxPizzas
    && Math.abs(Date.now() - changedAt) < longestUnchangedMs;
  if (!isSound) return fresh;
  return {
    ...basket,
    pizzas: pizzas.map((pizza) =>
      ({ ...pizza, name: oneLine(pizza.name), note: oneLine(pizza.note) })),
    name: oneLine(name),
    table: isAddressed ? addressTable : oneLine(table),
  };
}

export function saveVisits(visits: readonly Visit[]): void {
  save("visits", visits);
}

export function savedVisits(): readonly Visit[] {
  const visits = saved("visits", [{ group: "", placedAt: 0 }]) ?? [];
  return visits.slice(0, maxVisits).filter(({ group, placedAt }) =>
    isNumber(group) && Math.abs(serverNow() - placedAt) < longestVisitMs);
}
