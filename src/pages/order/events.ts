/**
 * The state that each event leads to. Those of a basket's life come in its order: src/README.md
 * draws it. Pure values, but for the ids of a fresh basket.
 */

import { changeMenu, itemName, itemOf, type Menu } from "../shared/menu.ts";
import { numberOf } from "../shared/orders.ts";
import type { Change, MenuKind, Order } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import {
  type Basket, freshIds, isEmpty, isFrozen, isOwnId, itemsIn, keepItems, type OrderBody,
  withoutOrders,
} from "./basket.ts";
import { ordersOf } from "./basket-orders.ts";
import { type OwnOrder, seenOf, withOwnOrder } from "./own-orders.ts";
import { isFollowed, isInDoubt, type State } from "./state.ts";

/** A change of the stream. `heard` says what it tells of the basket. */
export function changed(state: State, change: Change): State {
  const [kind, verb] = change.event.split(".");
  if (kind !== "orders") return withMenu(state, changeMenu(state.menu, change));
  const order = change.data as Order;
  const orders = new Map(state.orders);
  if (verb === "deleted") orders.delete(order.id);
  else if (isFollowed(state, order)) orders.set(order.id, order);
  return { ...state, orders };
}

/** Takes what left the menu out of the basket, and says so until the next press. */
export function withMenu(state: State, menu: Menu): State {
  const { basket } = state;
  const isThere = (kind: MenuKind, id: string): boolean => itemOf(menu, kind, id) !== undefined;
  const left = isFrozen(basket) ? [] : itemsIn(basket).filter((item) => !isThere(...item));
  if (left.length === 0) return { ...state, menu };
  const gone = [...state.gone, ...left.map(([kind, id]) => itemName(state.menu, kind, id))];
  const message =
    t("No longer on the menu and taken off your order: {names}", { names: listed(gone) });
  return { ...state, menu, basket: keepItems(basket, isThere), gone, message };
}

/** Place order, or Send again: what was sent and is not answered is sent as it was. */
export function pressed(state: State): State {
  const sent = isFrozen(state.basket) ? state.basket.sent
    : { orders: ordersOf(state), by: "", arrival: "not yet" } as const;
  return {
    ...state, basket: { ...state.basket, sent }, sending: "here", delay: "", message: "", gone: [],
    openRow: "", noteRow: "", takenOff: undefined, isNameAsked: false,
  };
}

/** A request goes out. `sub`: who is signed in. */
export function requested(state: State, sub: string): State {
  const { sent } = state.basket;
  const by = sent.arrival === "not yet" || sent.by === sub ? sub : "";
  return { ...state, basket: { ...state.basket, sent: { ...sent, by, arrival: "maybe" } } };
}

/** The shop has refused the first request. */
export function firstRefused(state: State): State {
  const { basket } = state;
  return { ...state, basket: { ...basket, sent: { ...basket.sent, arrival: "not yet" } } };
}

/** Nothing more is sent from here. In doubt, if a request may have arrived; else choosing. */
export function ended(state: State, why: "stopped" | "no", message: string): State {
  return state.basket.sent.arrival === "maybe" ? { ...state, sending: why, delay: "" }
    : choosingAgain({ ...state, sending: why }, message);
}

/** The shop does not have the order. A request that is late may still arrive. */
function choosingAgain(state: State, message: string): State {
  const { basket } = state;
  return {
    ...state, basket: { ...basket, sent: { ...basket.sent, arrival: "no" } }, delay: "", message,
  };
}

/**
 * With what the known orders tell of the basket. All of it or nothing is stored, but its events may
 * come one by one. `isWhole`: the shop was asked for all of it.
 */
export function heard(state: State, isWhole: boolean): State {
  const { basket, orders } = state;
  const [first, ...others] = [...orders.values()].filter(({ id }) => isOwnId(basket, id));
  const { sent } = basket;
  // A window that has not heard yet what another one has sent cannot tell.
  const isAllThere = isWhole
    || sent.orders.length > 0 && sent.orders.every(({ id }) => orders.has(id));
  if (first !== undefined) return isAllThere ? placed(state, [first, ...others]) : state;
  return isWhole && isInDoubt(state) && isAbsenceSure(state)
    ? choosingAgain(state, t("Your order was not sent.")) : state;
}

/** Another window may send it still, and the shop may hide it from another sign-in. */
function isAbsenceSure({ sending, basket: { sent }, isDenied, claims }: State): boolean {
  const isSender = !isDenied && sent.by === (claims?.sub ?? "");
  return sending !== "elsewhere" && (sent.arrival === "not yet" || isSender);
}

/** The shop has the order. `orders`: all of it. */
export function placed(before: State, orders: readonly [Order, ...Order[]]): State {
  const [first] = orders;
  const asOrdered = orders.map((order) => withoutChanges(before.basket, order));
  return emptied(before, asOrdered, {
    group: numberOf(first), placedAt: Date.parse(first.placedAt), by: before.claims?.sub ?? "",
    seen: asOrdered.map(seenOf),
  });
}

/** The kitchen may have changed the order before the page heard of it. */
function withoutChanges({ sent }: Basket, order: Order): Order | OrderBody {
  const isChanged = order.updatedAt !== order.placedAt;
  return isChanged && sent.orders.find(({ id }) => id === order.id) || order;
}

/** The shop has the order, and does not show it to this sign-in. */
export function placedUnseen(before: State, now: number): State {
  const { basket } = before;
  return emptied(before, basket.sent.orders, { ...ownOrderOfSent(basket, now), by: "" });
}

function ownOrderOfSent({ sent, group }: Basket, now: number): OwnOrder {
  return { group, placedAt: now, by: sent.by, seen: sent.orders.map(seenOf) };
}

/** Pizzas that were chosen since the order was sent stay in the basket. */
function emptied(
  before: State, orders: readonly (Order | OrderBody)[], ownOrder: OwnOrder,
): State {
  const basket = withoutOrders(before.basket, orders, before.addressTable);
  const message = !isEmpty(basket)
    ? t("Your order {number} has arrived. What you chose since then is still here.", {
      number: ownOrder.group,
    })
    : before.sending === "stopped" ? t("The order that you stopped had arrived already.") : "";
  return {
    ...before, basket, ownOrders: withOwnOrder(before.ownOrders, ownOrder),
    sending: "no", delay: "", openRow: "", noteRow: "", takenOff: undefined, message,
    // An answer counts more than what the device says of its network.
    isOffline: false,
  };
}

/** Leaves the order in doubt to itself: what was chosen is another order from now on. */
export function startedOver(state: State, now: number): State {
  const { basket, ownOrders } = state;
  return {
    ...state, basket: { ...basket, ...freshIds() }, sending: "no", message: "",
    ownOrders: withOwnOrder(ownOrders, ownOrderOfSent(basket, now)),
  };
}
