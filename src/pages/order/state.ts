/** The state of the order page, how events change it, and what follows from it. Pure values. */

import { changeMenu, emptyMenu, isSoldOut, itemOf, type Menu, nameOf } from "../shared/menu.ts";
import { isStaff, token } from "../shared/session.ts";
import type { Change } from "../shared/stream.ts";
import { tableId, tableOf } from "../shared/table.ts";
import type { MenuKind, Order } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import {
  type Basket, isBegun, itemsIn, type Pizza, pizzaNumber, savedBasket, savedVisits,
  type Visit, withItems,
} from "./basket.ts";

/** An order of the address, or why it cannot be shown. */
export type Shown = Order | "missing" | "signed out";

export type Diet = "isVegetarian" | "isVegan";

export interface State {
  /** Whether the menu has been read; until then it is empty. */
  readonly isLoaded: boolean;
  readonly menu: Menu;
  /** Whether anybody may order without a link. */
  readonly guests: boolean;
  /** The orders that the address names. Without any, the page shows the menu. */
  readonly ids: readonly string[];
  /** The orders of the address and of the visits. */
  readonly orders: Readonly<Record<string, Shown>>;
  readonly basket: Basket;
  readonly visits: readonly Visit[];
  readonly areAllVisitsShown: boolean;
  readonly search: string;
  readonly diet: Diet | "";
  /** Whether the order is unfolded above the bar, on a phone. */
  readonly isUnfolded: boolean;
  /** Orders are being sent: nothing else changes then. */
  readonly isSending: boolean;
  /** Why the order under way has no answer yet. "" while all goes well. */
  readonly holdUp: string;
  /** The orders of the address were placed here just now, and nobody has looked away since. */
  readonly isJustPlaced: boolean;
  /** The text above the order button: the last event. */
  readonly message: string;
  /** The last change, for screen readers. */
  readonly announcement: string;
  /** The device has no network. */
  readonly isOffline: boolean;
  /** The last sign of life of a lost stream, in milliseconds since 1970. */
  readonly lostAt: number | undefined;
}

/** The table's name in `?for=Table 7`, as people wrote it. */
const tableName = (new URLSearchParams(location.search).get("for") ?? "").trim().slice(0, 60);

/** Before the numbers of orders: "table-7-". */
export const prefix = tableId(tableName) === "" ? "" : `${tableId(tableName)}-`;

/** "": at no table. */
export function tableShown({ ids: [id = ""] }: State): string {
  return prefix === "" ? tableOf(id) : tableName;
}

/** The orders that the address names. */
export function idsInAddress(): readonly string[] {
  return new URLSearchParams(location.search).getAll("order").filter((id) => id !== "");
}

export function addressOf(ids: readonly string[]): string {
  const table = prefix === "" ? [] : [["for", tableName]];
  const query = new URLSearchParams([...ids.map((id) => ["order", id]), ...table]).toString();
  return query === "" ? "./" : `./?${query}`;
}

export function firstState(): State {
  return {
    isLoaded: false, menu: emptyMenu, guests: false, ids: idsInAddress(), orders: {},
    basket: savedBasket(), visits: savedVisits(), areAllVisitsShown: false, search: "", diet: "",
    isUnfolded: false, isSending: false, holdUp: "", isJustPlaced: false, message: "",
    announcement: "", isOffline: !navigator.onLine, lostAt: undefined,
  };
}

/** The orders that the page follows: as many as an address can ask for. */
export function idsFollowed({ ids, visits }: State): readonly string[] {
  return [...new Set([...ids, ...visits.flatMap((visit) => visit.ids)])].slice(0, 100);
}

/** The state after a change that the stream told. */
export function apply(state: State, change: Change): State {
  const [kind, verb] = change.event.split(".");
  if (kind !== "orders") return withMenu(state, changeMenu(state.menu, change));
  const order = change.data as Order;
  if (!idsFollowed(state).includes(order.id)) return state;
  const shown = verb === "deleted" ? "missing" : order;
  return { ...state, orders: { ...state.orders, [order.id]: shown } };
}

/** Takes what left the menu out of the basket, and says so. */
export function withMenu(state: State, menu: Menu): State {
  const { basket, isSending } = state;
  const isThere = (kind: MenuKind, id: string): boolean => itemOf(menu, kind, id) !== undefined;
  const gone = isSending ? [] : itemsIn(basket).filter((item) => !isThere(...item));
  if (gone.length === 0) return { ...state, menu };
  const names = listed(gone.map(([kind, id]) => nameOf(state.menu, kind, id)));
  const message = t("No longer on the menu and taken off your order: {names}", { names });
  return { ...state, menu, basket: withItems(basket, isThere), message };
}

/** Staff know better than the list of what is sold out. */
export function canOrder(menu: Menu, kind: MenuKind, id: string): boolean {
  return isStaff() || !isSoldOut(menu, kind, id);
}

export function needsLink({ isLoaded, guests }: State): boolean {
  return isLoaded && !guests && token() === null;
}

/** The chosen items that cannot be ordered. */
export function soldOutIn({ basket, menu }: State): readonly (readonly [MenuKind, string])[] {
  return itemsIn(basket).filter((item) => !canOrder(menu, ...item));
}

/** The sold-out items, a line each: "Mozzarella, on pizzas 1 and 2". */
export function soldOutLines(state: State): readonly string[] {
  const { basket, menu } = state;
  const { pizzas, placed } = basket;
  return soldOutIn(state).flatMap(([kind, id]) => {
    const name = nameOf(menu, kind, id);
    const on = pizzas.flatMap(({ size, toppings }, at) =>
      size === id && kind === "pizzasizes" || toppings.includes(id) && kind === "toppings"
        ? [pizzaNumber(basket, at)] : []);
    if (kind === "pizzasizes") {
      return on.map((number) => t("Pizza {number} needs another size", { number }));
    }
    if (kind === "beverages" || placed.length + pizzas.length === 1) return [name];
    const [number = 0, ...others] = on;
    return [others.length === 0 ? t("{name}, on pizza {number}", { name, number })
      : t("{name}, on pizzas {numbers}", { name, numbers: listed(on.map(String)) })];
  });
}

export function isSizeMissing(menu: Menu, { size }: Pizza): boolean {
  return size === "" || !canOrder(menu, "pizzasizes", size);
}

/** The order's button, and above it the reason why it does not order yet. */
export interface Step {
  /** "" does nothing. */
  readonly action: "place" | "sizes" | "show-out" | "check" | "link" | "";
  readonly text: string;
  readonly why: string;
}

export function nextStep(state: State): Step {
  const { basket: { pizzas }, menu, isOffline } = state;
  const begun = pizzas.filter(isBegun);
  if (needsLink(state)) {
    return { action: "link", text: t("Show me"), why: t("A link is needed to order") };
  }
  // Staff take orders while it is closed.
  if (!menu.shop.isOpen && !isStaff()) {
    const why = t("The shop is closed and takes no orders right now.");
    return { action: "", text: t("Place order"), why };
  }
  if (isOffline) {
    const why = t("You can place the order once you’re online.");
    return { action: "check", text: t("Check again"), why };
  }
  if (soldOutIn(state).some(([kind]) => kind !== "pizzasizes")) {
    return { action: "show-out", text: t("Show me"), why: "" };
  }
  if (begun.length === 0 || begun.some((pizza) => isSizeMissing(menu, pizza))) {
    return { action: "sizes", text: t("Pick a size"), why: "" };
  }
  return { action: "place", text: t("Place order"), why: "" };
}
