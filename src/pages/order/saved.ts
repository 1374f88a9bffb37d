/** The things that this device keeps. They are read as if anybody had written them. */

import { maxOrders } from "../../resources/limits.ts";
import { serverNow } from "../shared/api.ts";
import { isNumber, longestOrderMs } from "../shared/orders.ts";
import { save, saved } from "../shared/storage.ts";
import { addressTable } from "./address.ts";
import { type Basket, freshBasket, isEmpty, pizzaCount } from "./basket.ts";
import { maxOwnOrders, type OwnOrder } from "./own-orders.ts";
import { wholeOrEmpty } from "./typed-text.ts";

const reference = { id: "", name: "" };
const seenExample = {
  id: "", pizza: "", pizzaSize: reference, toppings: [reference], note: "", isCancelled: false,
};
const orderExample = {
  id: "", group: "", pizza: "", note: "", name: "", table: "", wantedAt: "",
  pizzaSize: reference, toppings: [reference], beverages: [reference], status: "Pending" as const,
};
const rowExample = {
  key: "", count: 1, pizza: "", size: "", toppings: [""], note: "", isApart: false,
};

/**
 * A reload or another tab forgets a basket that nobody has changed for long. What any tab has sent
 * stays with it: a tab that has not heard of it yet must not forget it.
 */
export function saveBasket(basket: Basket): void {
  const stored = savedBasket();
  const isUnheard = basket.sent.orders.length === 0 && stored.idPrefix === basket.idPrefix;
  const sent = isUnheard ? stored.sent : basket.sent;
  save("basket", { ...basket, sent, changedAt: Date.now() });
}

/** The basket of this device, or a fresh one. */
export function savedBasket(): Basket {
  const fresh = freshBasket(addressTable);
  const stored = saved("basket", {
    ...fresh, rows: [rowExample], beverages: [""], sent: { ...fresh.sent, orders: [orderExample] },
    changedAt: 0,
  });
  if (stored === undefined) return fresh;
  const { changedAt, ...basket } = stored;
  const isSound = isNumber(basket.group) && /^[A-Z0-9]{18}$/.test(basket.idPrefix)
    && pizzaCount(basket) <= maxOrders
    && basket.rows.every(({ key, count }) => key !== "" && Number.isInteger(count) && count > 0)
    && Math.abs(Date.now() - changedAt) < longestOrderMs;
  if (!isSound) return fresh;
  const isAddressed = addressTable !== "" && (basket.table === "" || isEmpty(basket));
  return {
    ...basket,
    rows: basket.rows.map((row) =>
      ({ ...row, pizza: wholeOrEmpty(row.pizza), note: wholeOrEmpty(row.note) })),
    name: wholeOrEmpty(basket.name),
    table: isAddressed ? addressTable : wholeOrEmpty(basket.table),
  };
}

/** Devices have stored their own orders under this name: another one would lose them. */
export const ownOrdersKey = "visits";

export function saveOwnOrders(ownOrders: readonly OwnOrder[]): void {
  save(ownOrdersKey, ownOrders);
}

export function savedOwnOrders(): readonly OwnOrder[] {
  const example = [{ group: "", placedAt: 0, by: "", seen: [seenExample] }];
  const ownOrders = saved(ownOrdersKey, example) ?? [];
  return ownOrders.slice(0, maxOwnOrders).filter(({ group, placedAt }) =>
    isNumber(group) && Math.abs(serverNow() - placedAt) < longestOrderMs);
}
