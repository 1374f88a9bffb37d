/** The state of the order page, how events change it, and what follows from it. Pure values. */

import { menuAtFirst } from "../shared/look.ts";
import { changeMenu, type Diet, itemOf, type Menu, nameOf } from "../shared/menu.ts";
import { claims, type Refused } from "../shared/session.ts";
import type { Change } from "../shared/stream.ts";
import type { MenuKind, Order } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import {
  type Basket, isEmpty, itemsIn, noteOf, savedBasket, withItems, withPlaced,
} from "./basket.ts";
import { type Ordered, orderedFrom, savedVisits, type Visit, withVisit } from "./visits.ts";

/** The view that the address asks for: the orders of a group, or some orders, else the menu. */
export interface Address {
  readonly group: string;
  readonly ids: readonly string[];
}

/** "in doubt": stopped, and the shop may have an order that it has not answered. */
export type Placing = "choosing" | "sending" | "in doubt";

export interface State {
  /** Whether the menu has been read; until then it is empty. */
  readonly isLoaded: boolean;
  readonly menu: Menu;
  /** Whether anybody may order without a link. */
  readonly guests: boolean;
  readonly address: Address;
  /** The orders that the page follows, by id. */
  readonly orders: ReadonlyMap<string, Order>;
  /** Orders as they were when this page, with this sign-in, saw them first, by id. */
  readonly firstSeen: ReadonlyMap<string, Ordered>;
  /** Whether the shop has told which orders of the address there are. */
  readonly isAnswered: boolean;
  /** The shop shows orders only to those who placed them, and has refused. */
  readonly isRefused: boolean;
  readonly basket: Basket;
  readonly visits: readonly Visit[];
  readonly areAllVisitsShown: boolean;
  readonly placing: Placing;
  /** While sending: why the order under way has no answer yet. "": it was just sent. */
  readonly holdUp: string;
  readonly search: string;
  readonly diet: Diet | "";
  /** Whether the order is unfolded above the bar, on a phone. */
  readonly isOrderOpen: boolean;
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
  /** What the shop says of a sign-in that it does not accept now. */
  readonly refused: Refused | undefined;
}

export function firstState(): State {
  const basket = savedBasket();
  return {
    isLoaded: false, menu: menuAtFirst(), guests: false, address: addressNow(), orders: new Map(),
    firstSeen: new Map(), isAnswered: false, isRefused: false, basket, visits: savedVisits(),
    areAllVisitsShown: false, placing: basket.unanswered.length > 0 ? "in doubt" : "choosing",
    holdUp: "", search: "", diet: "", isOrderOpen: isOrderOpenInHistory(), isNameAsked: false,
    isJustPlaced: false, message: "", announcement: "", isOffline: !navigator.onLine,
    lostAt: undefined, refused: undefined,
  };
}

/** The name in `?for=Table 7`, as it was written. "": at no table. */
export const table = visible(noteOf(new URLSearchParams(location.search).get("for") ?? ""));

/** "" for a text that nobody can see: the service refuses it (contract part 2). */
export function visible(text: string): string {
  return /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u.test(text) ? text : "";
}

export function addressNow(): Address {
  const query = new URLSearchParams(location.search);
  return { group: query.get("group") ?? "", ids: query.getAll("order").filter((id) => id !== "") };
}

export function isMenuShown({ address: { group, ids } }: Pick<State, "address">): boolean {
  return group === "" && ids.length === 0;
}

/** The address of a group's orders, or of the menu. */
export function addressOf(group = ""): string {
  const query = new URLSearchParams({
    ...group === "" ? {} : { group }, ...table === "" ? {} : { for: table },
  }).toString();
  return query === "" ? "./" : `./?${query}`;
}

/** The phone's Back closes the order: it has an entry of its own. */
export function isOrderOpenInHistory(): boolean {
  return (history.state as { readonly isOrderOpen?: boolean } | null)?.isOrderOpen === true;
}

export function isSending({ placing }: State): boolean {
  return placing === "sending";
}

/** The groups that the page follows. */
export function groupsFollowed({ address, basket, visits }: State): ReadonlySet<string> {
  const groups = [address, ...basket.unanswered, ...visits].map(({ group = "" }) => group);
  return new Set(groups.filter((group) => group !== ""));
}

function isFollowed(state: State, { id, group = "" }: Order): boolean {
  return groupsFollowed(state).has(group) || state.address.ids.includes(id);
}

/** The state after a change that the stream told. */
export function apply(state: State, change: Change): State {
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
  const firstSeen = new Map(state.firstSeen);
  for (const [id, order] of orders) if (!firstSeen.has(id)) firstSeen.set(id, orderedFrom(order));
  const { basket: { pizzas, unanswered } } = state;
  const ids = new Set([...unanswered, ...pizzas].map(({ id }) => id));
  return [...ids].flatMap((id) => orders.get(id) ?? [])
    .reduce(withArrived, { ...state, orders, firstSeen });
}

/** After the shop took an order of the basket, from here or from another tab. */
function withArrived(state: State, order: Order): State {
  const sent = state.basket.unanswered.find(({ id }) => id === order.id);
  // Nobody has touched it since: whatever was sent under its id, this is what arrived.
  const isAsSent = sent === undefined || order.updatedAt === order.placedAt;
  const ordered = isAsSent ? orderedFrom(order) : sent;
  const basket = withPlaced(state.basket, ordered);
  const placing = placingAfter(state, basket);
  const isNews = state.placing === "in doubt"
    || isSending(state) && placing === "choosing" && !isEmpty(basket);
  return {
    ...state, basket, placing, holdUp: "", visits: withVisit(state.visits, ordered, claims()?.sub),
    announcement: t("{number} of {total} placed", {
      number: pizzaNumber(state, 0), total: pizzaCount(state),
    }),
    message: isNews ? t("The order that you stopped had arrived already.") : state.message,
  };
}

function placingAfter(before: State, basket: Basket): Placing {
  if (isEmpty(basket)) return "choosing";
  if (!isSending(before)) return basket.unanswered.length === 0 ? "choosing" : before.placing;
  // A pizza that the guest has changed since it was sent is not sent again without a word.
  return basket.pizzas.length < before.basket.pizzas.length ? "sending" : "choosing";
}

/** The orders of the basket's number that the shop has already. */
export function placedOf({ basket, visits }: State): readonly Ordered[] {
  return visits.find(({ group }) => group === basket.group)?.ordered ?? [];
}

/** How guests count a pizza of the basket: the placed ones come before. */
export function pizzaNumber(state: State, index: number): number {
  return placedOf(state).length + index + 1;
}

/** How many pizzas there are under one number. */
export function pizzaCount(state: State): number {
  return placedOf(state).length + state.basket.pizzas.length;
}

/** Takes what left the menu out of the basket, and says so. */
export function withMenu(state: State, menu: Menu): State {
  const { basket } = state;
  const isThere = (kind: MenuKind, id: string): boolean => itemOf(menu, kind, id) !== undefined;
  const gone = isSending(state) ? [] : itemsIn(basket).filter((item) => !isThere(...item));
  if (gone.length === 0) return { ...state, menu };
  const names = listed(gone.map(([kind, id]) => nameOf(state.menu, kind, id)));
  const message = t("No longer on the menu and taken off your order: {names}", { names });
  return { ...state, menu, basket: withItems(basket, isThere), message };
}
