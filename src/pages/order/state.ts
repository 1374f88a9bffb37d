/** The state of the order page, how events change it, and what follows from it. Pure values. */

import { changeMenu, isSoldOut, itemOf, type Menu } from "../shared/menu.ts";
import { isStaff, token } from "../shared/session.ts";
import type { Change } from "../shared/stream.ts";
import type { MenuKind, Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { type Basket, isSending, keptBasket, keptVisits, onMenu, type Visit } from "./basket.ts";

/** An order of the address, or why it cannot be shown. */
export type Shown = Order | "missing" | "signed out";

/** When an order reached each status, as far as this page knows: RFC 3339. */
export type Times = Readonly<Partial<Record<Status, string>>>;

export interface State {
  /** Undefined until it is read. */
  readonly menu: Menu | undefined;
  /** Whether anybody may order without a link; undefined until it is known. */
  readonly guests: boolean | undefined;
  /** The orders that the address names; none: the menu is shown. */
  readonly ids: readonly string[];
  readonly orders: Readonly<Record<string, Shown>>;
  readonly times: Readonly<Record<string, Times>>;
  readonly basket: Basket;
  readonly visits: readonly Visit[];
  readonly search: string;
  readonly diets: readonly ("isVegetarian" | "isVegan")[];
  /** Whether the order is unfolded above the bar, on a phone. */
  readonly isUnfolded: boolean;
  /** What happened last, beside the button that orders. */
  readonly note: string;
  /** Said to screen readers. */
  readonly said: string;
  /** When the stream was last alive, while it is lost: milliseconds since 1970. */
  readonly lostSince: number | undefined;
  /** Whether this browser can still be asked to notify. */
  readonly canNotify: boolean;
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
    menu: undefined, guests: undefined, ids: idsInAddress(), orders: {}, times: {},
    basket: keptBasket(), visits: keptVisits(), search: "", diets: [], isUnfolded: false,
    note: "", said: "", lostSince: undefined, canNotify: false, isCopied: false,
  };
}

/** The state after a change that the stream told. */
export function apply(state: State, change: Change): State {
  const { ids, menu } = state;
  if (menu === undefined) return state;
  const [kind, verb] = change.event.split(".");
  if (kind !== "orders") return withMenu(state, changeMenu(menu, change));
  const order = change.data as Order;
  if (!ids.includes(order.id)) return state;
  return withOrder(state, order.id, verb === "deleted" ? "missing" : order);
}

/** Takes what left the menu out of the basket, and says so. */
export function withMenu(state: State, menu: Menu): State {
  const { basket } = state;
  const next = isSending(basket) ? basket : onMenu(basket, menu);
  if (next === basket) return { ...state, menu };
  const gone = namesIn(basket, state.menu ?? menu).filter((name) =>
    !namesIn(next, menu).includes(name));
  const note = t("No longer on the menu and taken off your order: {names}", {
    names: listed(gone),
  });
  return { ...state, menu, basket: next, note };
}

function namesIn({ pizzas, beverages }: Basket, menu: Menu): readonly string[] {
  const name = (kind: MenuKind) => (id: string): string => itemOf(menu, kind, id)?.name ?? id;
  return [...new Set([
    ...pizzas.flatMap(({ size, toppings }) => [
      ...[size].filter((id) => id !== "").map(name("pizzasizes")),
      ...toppings.map(name("toppings")),
    ]), ...beverages.map(name("beverages")),
  ])];
}

function withOrder(state: State, id: string, order: Shown): State {
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

export function withOrders(
  state: State, orders: readonly (readonly [id: string, order: Shown])[],
): State {
  return orders.reduce((before, [id, order]) => withOrder(before, id, order), state);
}

/** Staff know better than the list of what is sold out. */
export function canOrder(menu: Menu, kind: MenuKind, id: string): boolean {
  return isStaff() || !isSoldOut(menu, kind, id);
}

export function needsLink({ guests }: State): boolean {
  return token() === null && guests === false;
}

/** Why this person cannot order right now; "": they can. Staff take orders while it is closed. */
export function whyClosed(state: State): string {
  if (needsLink(state)) return t("A link is needed to order");
  return state.menu?.shop.isOpen === false && !isStaff()
    ? t("The shop is closed and takes no orders right now.") : "";
}

/** "Basil, Rocket and Ham". */
export function listed(texts: readonly string[]): string {
  return new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(texts);
}
