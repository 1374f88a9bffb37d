/** The state of the order page, how events change it, and what follows from it. Pure values. */

import { changeMenu, emptyMenu, isSoldOut, itemOf, type Menu, nameOf } from "../shared/menu.ts";
import { isStaff, token } from "../shared/session.ts";
import type { Change } from "../shared/stream.ts";
import type { MenuKind, Order, Status } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import {
  type Basket, isSending, itemsIn, savedBasket, savedVisits, onMenu, type Visit,
} from "./basket.ts";

/** An order of the address, or why it cannot be shown. */
export type Shown = Order | "missing" | "signed out";

/** When an order reached each status, as far as this page knows: RFC 3339. */
export type Times = Readonly<Partial<Record<Status, string>>>;

export type Diet = "isVegetarian" | "isVegan";

export interface State {
  /** Whether the menu has been read; until then it is empty. */
  readonly isLoaded: boolean;
  readonly menu: Menu;
  /** Whether anybody may order without a link. */
  readonly guests: boolean;
  /** The orders that the address names. Without any, the page shows the menu. */
  readonly ids: readonly string[];
  readonly orders: Readonly<Record<string, Shown>>;
  readonly times: Readonly<Record<string, Times>>;
  readonly basket: Basket;
  readonly visits: readonly Visit[];
  readonly search: string;
  readonly diet: Diet | "";
  /** Whether the order is unfolded above the bar, on a phone. */
  readonly isUnfolded: boolean;
  /** The text beside the order button: the last event, or what to do. */
  readonly note: string;
  /** The last change, for screen readers. */
  readonly announcement: string;
  /** The last sign of life of a lost stream, in milliseconds since 1970. */
  readonly lostAt: number | undefined;
  readonly isCopied: boolean;
}

const parameters = new URLSearchParams(location.search);

/** "tavolo-7" of `?for=tavolo-7`: cut to what an id may hold (contract part 2). */
export const forName = (parameters.get("for") ?? "").normalize("NFKD").replaceAll(/\p{M}/gu, "")
  .trim().replaceAll(/\s+/g, "-").replaceAll(/[^\w.~:@+,-]/g, "").slice(0, 60);

/** Before the numbers of orders. */
export const prefix = forName === "" ? "" : `${forName}-`;

/** The orders that the address names, without ids that a path would lose. */
export function idsInAddress(): readonly string[] {
  return new URLSearchParams(location.search).getAll("order").filter((id) => !/^\.{0,2}$/.test(id));
}

export function addressOf(ids: readonly string[]): string {
  const named = forName === "" ? [] : [["for", forName]];
  const query = new URLSearchParams([...ids.map((id) => ["order", id]), ...named]).toString();
  return query === "" ? "./" : `./?${query}`;
}

export function firstState(): State {
  return {
    isLoaded: false, menu: emptyMenu, guests: false, ids: idsInAddress(), orders: {}, times: {},
    basket: savedBasket(), visits: savedVisits(), search: "", diet: "", isUnfolded: false,
    note: "", announcement: "", lostAt: undefined, isCopied: false,
  };
}

/** The state after a change that the stream told. */
export function apply(state: State, change: Change): State {
  const [kind, verb] = change.event.split(".");
  if (kind !== "orders") return withMenu(state, changeMenu(state.menu, change));
  const order = change.data as Order;
  if (!state.ids.includes(order.id)) return state;
  return withOrder(state, [order.id, verb === "deleted" ? "missing" : order]);
}

/** Takes what left the menu out of the basket, and says so. */
export function withMenu(state: State, menu: Menu): State {
  const { basket } = state;
  const gone = isSending(basket) ? []
    : itemsIn(basket).filter(([kind, id]) => itemOf(menu, kind, id) === undefined);
  if (gone.length === 0) return { ...state, menu };
  const names = listed(gone.map(([kind, id]) => nameOf(state.menu, kind, id)));
  const note = t("No longer on the menu and taken off your order: {names}", { names });
  return { ...state, menu, basket: onMenu(basket, menu), note };
}

export function withOrder(state: State, [id, order]: readonly [string, Shown]): State {
  const orders = { ...state.orders, [id]: order };
  if (typeof order === "string") return { ...state, orders };
  const { status, placedAt, updatedAt } = order;
  const before = state.orders[id];
  const isSame = typeof before === "object" && before.status === status;
  // A change of what it holds is no new stage.
  const reached = isSame ? {} : { [status]: updatedAt };
  const times = { ...state.times[id], ...reached, Pending: placedAt };
  return { ...state, orders, times: { ...state.times, [id]: times } };
}

/** Staff know better than the list of what is sold out. */
export function canOrder(menu: Menu, kind: MenuKind, id: string): boolean {
  return isStaff() || !isSoldOut(menu, kind, id);
}

export function needsLink({ isLoaded, guests }: State): boolean {
  return isLoaded && !guests && token() === null;
}

/** Why this person cannot order right now; "": they can. Staff take orders while it is closed. */
export function whyClosed(state: State): string {
  if (needsLink(state)) return t("A link is needed to order");
  return state.menu.shop.isOpen || isStaff() ? ""
    : t("The shop is closed and takes no orders right now.");
}

/** Says which items of the basket are sold out; "": none. */
export function whatIsOut({ basket, menu }: State): string {
  const out = itemsIn(basket).filter(([kind, id]) => !canOrder(menu, kind, id));
  const sizes = out.filter(([kind]) => kind === "pizzasizes");
  const isSize = sizes.length > 0;
  const names = listed((isSize ? sizes : out).map(([kind, id]) => nameOf(menu, kind, id)));
  return isSize ? t("Sold out: {names}. Choose another size.", { names })
    : out.length > 0 ? t("Sold out: {names}. Take it off and order again.", { names }) : "";
}
