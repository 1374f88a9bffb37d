/** The state of the order page, how events change it, and what follows from it. Pure values. */

import { changeMenu, type Diet, itemOf, type Menu, nameOf } from "../shared/menu.ts";
import type { Claims, RefusedSignIn } from "../shared/session.ts";
import type { Change } from "../shared/stream.ts";
import type { MenuKind, Order } from "../shared/types.ts";
import { comma, listed, t } from "../shared/words.ts";
import { type Basket, isBegun, isEmpty, itemsIn, keepItems, withPlaced } from "./basket.ts";
import { spellingsOf } from "./numbers.ts";
import { type Visit, withVisit } from "./visits.ts";

/** "in doubt": stopped, and the shop may have an order that it has not answered. */
type Placing = "choosing" | "sending" | "in doubt";

export interface State {
  /** Whether the menu has been read; until then it is empty. */
  readonly isLoaded: boolean;
  readonly menu: Menu;
  /** Whether anybody may order without a link. */
  readonly guestOrders: boolean;
  /** Who is signed in. Undefined: nobody. */
  readonly claims: Claims | undefined;
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
  readonly placing: Placing;
  /** A person stopped the sending, in this window. */
  readonly isStopped: boolean;
  /** While sending: why the order under way has no answer yet. "": it was just sent. */
  readonly holdUp: string;
  readonly search: string;
  readonly diet: Diet | "";
  /** Whether the order is unfolded above the bar, on a phone. */
  readonly isOrderOpen: boolean;
  /** The ids of the equal pizzas whose note is being written. */
  readonly noteOpenFor: readonly string[];
  /** Staff were asked for whom this order is. */
  readonly isNameAsked: boolean;
  /** The orders of the address were placed here just now, and nobody has looked away since. */
  readonly isJustPlaced: boolean;
  /** The text above the order button: the last event. */
  readonly message: string;
  /** The last change, for screen readers. */
  readonly announcement: string;
  /** The device has no network. */
  readonly isOffline: boolean;
  /** The last sign of life of a shop that is silent, in milliseconds since 1970. */
  readonly lostAt: number | undefined;
  /** A sign-in that the shop does not accept now, and why. */
  readonly refused: RefusedSignIn | undefined;
}

export function isMenuShown({ addressNumber }: Pick<State, "addressNumber">): boolean {
  return addressNumber === "";
}

export function isSending({ placing }: State): boolean {
  return placing === "sending";
}

/** An owner may do all that staff may. */
export function isStaff({ claims }: Pick<State, "claims">): boolean {
  return claims?.role === "staff" || claims?.role === "owner";
}

/** The table that is ordered for. "": none. */
export function tableOf(state: State): string {
  return isStaff(state) ? state.basket.table : state.addressTable;
}

/** The numbers whose orders the page follows, those of groups and those of orders alone. */
export function numbersFollowed(state: State): Readonly<Record<"group" | "id", Set<string>>> {
  const { addressNumber, basket, visits } = state;
  const asked = isMenuShown(state) ? [] : spellingsOf(addressNumber);
  const groups = [...basket.unanswered, ...visits].map(({ group }) => group);
  return { group: new Set([...asked, ...groups]), id: new Set(asked) };
}

function isFollowed(state: State, { id, group = "" }: Order): boolean {
  const numbers = numbersFollowed(state);
  return numbers.group.has(group) || numbers.id.has(id);
}

/** The state after a change of the stream. */
export function changeState(state: State, change: Change): State {
  const [kind, verb] = change.event.split(".");
  if (kind !== "orders") return withMenu(state, changeMenu(state.menu, change));
  const order = change.data as Order;
  const orders = new Map(state.orders);
  if (verb === "deleted") orders.delete(order.id);
  else if (isFollowed(state, order)) orders.set(order.id, order);
  return withOrders(state, orders);
}

/** With the orders that the shop has now: those of the basket among them are placed. */
export function withOrders(state: State, orders: State["orders"]): State {
  const { basket: { pizzas, unanswered } } = state;
  const ids = new Set([...unanswered, ...pizzas].map(({ id }) => id));
  return [...ids].flatMap((id) => orders.get(id) ?? []).reduce(withArrived, { ...state, orders });
}

/** After the shop took an order of the basket, from here or from another tab. */
function withArrived(before: State, order: Order): State {
  const basket = withPlaced(before.basket, order, before.addressTable);
  const placing = placingAfter(before, basket);
  const after = { ...before, basket, placing, visits: withVisit(before.visits, order) };
  return {
    ...after, holdUp: "", message: messageAfter(before, after),
    announcement: t("{number} of {total} placed", {
      number: placedOf(before).length + 1, total: pizzaCount(before),
    }),
  };
}

function messageAfter(before: State, after: State): string {
  const hasChanged = isSending(before) && after.placing === "choosing" && !isEmpty(after.basket);
  if (hasChanged || before.placing === "in doubt" && before.isStopped) {
    return t("The order that you stopped had arrived already.");
  }
  return before.placing === "in doubt" ? messageAtStart(after) : before.message;
}

function placingAfter(before: State, basket: Basket): Placing {
  if (isEmpty(basket)) return "choosing";
  if (!isSending(before)) return basket.unanswered.length === 0 ? "choosing" : before.placing;
  // A pizza that the guest has changed since it was sent is not sent again without a word.
  return basket.pizzas.length < before.basket.pizzas.length ? "sending" : "choosing";
}

/** The orders of the basket's number that the shop has already. */
export function placedOf({ basket, orders }: State): readonly Order[] {
  const isKept = new Set(basket.pizzas.map(({ id }) => id));
  return [...orders.values()].filter(({ id, group }) => group === basket.group && !isKept.has(id));
}

/** How many pizzas there are under the basket's number. */
export function pizzaCount(state: State): number {
  return placedOf(state).length + state.basket.pizzas.length;
}

/** The message of a page whose predecessor was closed while it was sending. */
export function messageAtStart(state: State): string {
  const [placed, left] = [placedOf(state).length, state.basket.pizzas.filter(isBegun).length];
  if (placed > 0 && left > 0) {
    return t("{count} are placed", { count: placed }) + comma
      + t("{count} are not sent yet.", { count: left });
  }
  return state.placing === "in doubt" ? t("Your order is not sent yet.") : "";
}

/** Takes what left the menu out of the basket, and says so. */
export function withMenu(state: State, menu: Menu): State {
  const { basket } = state;
  const isThere = (kind: MenuKind, id: string): boolean => itemOf(menu, kind, id) !== undefined;
  const gone = isSending(state) ? [] : itemsIn(basket).filter((item) => !isThere(...item));
  if (gone.length === 0) return { ...state, menu };
  const names = listed(gone.map(([kind, id]) => nameOf(state.menu, kind, id)));
  const message = t("No longer on the menu and taken off your order: {names}", { names });
  return { ...state, menu, basket: keepItems(basket, isThere), message };
}
