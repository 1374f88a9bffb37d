/** The state of the order page, how events change it, and what follows from it. Pure values. */

import { isStaff as isStaffRole } from "../../resources/role.ts";
import { changeMenu, type Diet, itemOf, type Menu, nameOf } from "../shared/menu.ts";
import type { Claims, RefusedSignIn } from "../shared/session.ts";
import type { Change } from "../shared/stream.ts";
import type { MenuKind, Order } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import {
  asOrdered, type Basket, isEmpty, isOwnId, isFrozen, itemsIn, keepItems, type BasketRow,
  withPlaced,
} from "./basket.ts";
import { spellingsOf } from "./numbers.ts";
import { seenOf, type Visit, withVisit } from "./visits.ts";

export interface State {
  /** Whether the menu has been read; until then it is empty. */
  readonly isLoaded: boolean;
  readonly menu: Menu;
  /** Whether anybody may order without a link. */
  readonly guestOrders: boolean;
  /** Who is signed in. Undefined: nobody. */
  readonly claims: Claims | undefined;
  /** A sign-in that the shop does not accept now, and why. */
  readonly refused: RefusedSignIn | undefined;
  /** The number that the address asks for, as it was typed. "": it shows the menu. */
  readonly addressNumber: string;
  /** The table that the address names. "": none. */
  readonly addressTable: string;
  /** The orders that the page follows, by id. */
  readonly orders: ReadonlyMap<string, Order>;
  /** Whether the shop has said which orders of the address there are. */
  readonly isAddressKnown: boolean;
  /** The shop shows orders only to those who placed them: it has denied these. */
  readonly isDenied: boolean;
  readonly basket: Basket;
  readonly visits: readonly Visit[];
  /** This window sends the order, until the shop has answered or a person stops it. */
  readonly isSending: boolean;
  /** While sending: why there is no answer yet. "": it was just sent. */
  readonly holdUp: string;
  /** A person stopped the sending, in this window. */
  readonly isStopped: boolean;
  /** Another window has sent the order, and may be sending it still. */
  readonly isSentElsewhere: boolean;
  readonly search: string;
  readonly diet: Diet | "";
  /** Whether the order is unfolded above the bar, on a phone. */
  readonly isOrderOpen: boolean;
  /** The key of the row whose size and toppings are being changed in the order. "": none. */
  readonly openRow: string;
  /** The key of the row whose note is being written. "": none. */
  readonly noteRow: string;
  /** The row that was just taken off, with its place: it can be brought back. */
  readonly removed: { readonly row: BasketRow; readonly index: number } | undefined;
  /** Staff were asked for whom this order is. */
  readonly isNameAsked: boolean;
  /** The orders of the address were placed here just now, and nobody has looked away since. */
  readonly isJustPlaced: boolean;
  /** The text above the order button: the last event. */
  readonly message: string;
  /** The names of items that have left the menu since the last press. */
  readonly gone: readonly string[];
  /** The last change, for screen readers. */
  readonly announcement: string;
  /** The device has no network, and no request has succeeded since it said so. */
  readonly isOffline: boolean;
  /** The last sign of life of a shop that is silent, in milliseconds since 1970. */
  readonly lostAt: number | undefined;
}

export function isMenuShown({ addressNumber }: Pick<State, "addressNumber">): boolean {
  return addressNumber === "";
}

/** An owner may do all that staff may. */
export function isStaff({ claims }: Pick<State, "claims">): boolean {
  return isStaffRole(claims?.role);
}

/** The table that is ordered for. "": none. */
export function tableOf(state: State): string {
  return isStaff(state) ? state.basket.table : state.addressTable;
}

/** The order was stopped or the page was loaded anew: the shop may have it, and may not. */
export function isInDoubt({ basket, isSending }: State): boolean {
  return isFrozen(basket) && !isSending;
}

/** The numbers whose orders the page follows, those of groups and those of orders alone. */
export function numbersFollowed(state: State): Readonly<Record<"group" | "id", Set<string>>> {
  const { addressNumber, basket, visits } = state;
  const asked = isMenuShown(state) ? [] : spellingsOf(addressNumber);
  const groups = visits.map(({ group }) => group);
  const own = basket.sent.orders.map(({ group }) => group);
  return { group: new Set([...asked, ...own, ...groups]), id: new Set(asked) };
}

function isFollowed(state: State, { id, group = "" }: Order): boolean {
  const numbers = numbersFollowed(state);
  return numbers.group.has(group) || numbers.id.has(id) || isOwnId(state.basket, id);
}

/** The state after a change of the stream. */
export function changeState(state: State, change: Change): State {
  const [kind, verb] = change.event.split(".");
  if (kind !== "orders") return withMenu(state, changeMenu(state.menu, change));
  const order = change.data as Order;
  const orders = new Map(state.orders);
  if (verb === "deleted") orders.delete(order.id);
  else if (isFollowed(state, order)) orders.set(order.id, order);
  return { ...state, orders };
}

/**
 * With what the orders tell of the basket: once the shop has it, it is placed. All of it or nothing
 * is stored, but its events may come one by one. `isWhole`: the shop was asked for all of it.
 */
export function withArrivals(state: State, isWhole: boolean): State {
  const { basket, orders } = state;
  const arrived = [...orders.values()].filter(({ id }) => isOwnId(basket, id));
  const isAllThere = basket.sent.orders.every(({ id }) => orders.has(id));
  if (arrived.length > 0 && (isWhole || isAllThere)) return withPlacedBasket(state, arrived, 0);
  if (!isWhole || arrived.length > 0 || !isInDoubt(state) || state.isSentElsewhere) return state;
  // Another sign-in than the sender's may not be shown the order.
  const isSure = basket.sent.arrival === "not yet"
    || !state.isDenied && basket.sent.by === (state.claims?.sub ?? "");
  return isSure ? choosingAgain(state, t("Your order was not sent.")) : state;
}

/** The shop does not have the order, which can be changed again. */
export function choosingAgain(state: State, message: string): State {
  const { basket } = state;
  const sent = { ...basket.sent, arrival: "no" } as const;
  return { ...state, basket: { ...basket, sent }, isSending: false, holdUp: "", message };
}

/**
 * After the shop took the order. `orders`: all of it, as the shop has it. Empty: the shop does not
 * show it to this sign-in, and it counts as placed now.
 */
export function withPlacedBasket(before: State, orders: readonly Order[], now: number): State {
  const { claims, addressTable } = before;
  const [first] = orders;
  const visit = first === undefined ? { ...visitOfSent(before.basket, now), by: "" } : {
    group: first.group ?? first.id, placedAt: Date.parse(first.placedAt), by: claims?.sub ?? "",
    seen: orders.map((order) => seenOf(asOrdered(before.basket, order))),
  };
  const basket = withPlaced(before.basket, orders, addressTable);
  const number = visit.group;
  const message = !isEmpty(basket)
    ? t("Your order {number} has arrived. What you chose since then is still here.", { number })
    : before.isStopped ? t("The order that you stopped had arrived already.") : "";
  return {
    ...before, basket, visits: withVisit(before.visits, visit), isSending: false, holdUp: "",
    isStopped: false, openRow: "", noteRow: "", removed: undefined, message,
  };
}

/** As if the shop had it. */
export function visitOfSent({ sent, group }: Basket, now: number): Visit {
  return { group, placedAt: now, by: sent.by, seen: sent.orders.map(seenOf) };
}

/** Takes what left the menu out of the basket, and says so until the next press. */
export function withMenu(state: State, menu: Menu): State {
  const { basket } = state;
  const isThere = (kind: MenuKind, id: string): boolean => itemOf(menu, kind, id) !== undefined;
  const isFixed = state.isSending || isFrozen(basket);
  const left = isFixed ? [] : itemsIn(basket).filter((item) => !isThere(...item));
  if (left.length === 0) return { ...state, menu };
  const gone = [...state.gone, ...left.map(([kind, id]) => nameOf(state.menu, kind, id))];
  const message =
    t("No longer on the menu and taken off your order: {names}", { names: listed(gone) });
  return { ...state, menu, basket: keepItems(basket, isThere), gone, message };
}
