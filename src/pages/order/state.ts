/** The state of the order page, and what follows from it. `events.ts` changes it. Pure values. */

import { isStaff as isStaffRole } from "../../resources/role.ts";
import type { Diet, Menu } from "../shared/menu.ts";
import { possibleNumbers } from "../shared/orders.ts";
import type { Claims, RefusedSignIn } from "../shared/session.ts";
import type { Order } from "../shared/types.ts";
import { type Basket, type BasketRow, isFrozen, isOwnId } from "./basket.ts";
import type { OwnOrder } from "./own-orders.ts";

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
  /** The orders that this device has placed, the latest first. */
  readonly ownOrders: readonly OwnOrder[];
  /**
   * Who sends the order of the basket. "here": this window, until the shop has answered, or a
   * person has "stopped" it. "elsewhere": another window has sent it, and may be sending it still.
   */
  readonly sending: "no" | "here" | "stopped" | "elsewhere";
  /** While it is sent here: why there is no answer yet. "": it was just sent. */
  readonly delay: string;
  readonly search: string;
  readonly diet: Diet | "";
  /** Whether the order is unfolded above the bar, on a phone. */
  readonly isBasketOpen: boolean;
  /** The key of the row whose size and toppings are being changed in the order. "": none. */
  readonly openRow: string;
  /** The key of the row whose note is being written. "": none. */
  readonly noteRow: string;
  /** The pizza that was just taken off, with its place: Undo brings it back. */
  readonly takenOff: { readonly row: BasketRow; readonly index: number } | undefined;
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

/** This window sends the order, until the shop has answered, or a person stops it. */
export function isSending({ sending }: State): boolean {
  return sending === "here";
}

/** The order was sent, and this window does not send it now: the shop may have it or not. */
export function isInDoubt(state: State): boolean {
  return isFrozen(state.basket) && !isSending(state);
}

/** The numbers whose orders the page follows, those of groups and those of orders alone. */
export function numbersFollowed(state: State): Readonly<Record<"group" | "id", Set<string>>> {
  const { addressNumber, basket, ownOrders } = state;
  const asked = isMenuShown(state) ? [] : possibleNumbers(addressNumber);
  const groups = ownOrders.map(({ group }) => group);
  const own = basket.sent.orders.map(({ group }) => group);
  return { group: new Set([...asked, ...own, ...groups]), id: new Set(asked) };
}

export function isFollowed(state: State, { id, group = "" }: Order): boolean {
  const numbers = numbersFollowed(state);
  return numbers.group.has(group) || numbers.id.has(id) || isOwnId(state.basket, id);
}
