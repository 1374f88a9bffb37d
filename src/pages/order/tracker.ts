/** The trackers of an address, and how they are told to guests. Pure values. */

import { itemOf, type Menu, namedPizzas, notesOn } from "../shared/menu.ts";
import {
  numberOf, pizzaName, statusFacts, together, togetherKey,
} from "../shared/orders.ts";
import { claims, isStaff, token } from "../shared/session.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { type State, table } from "./state.ts";
import type { Ordered } from "./visits.ts";

/** Orders that were placed together. */
export interface Tracker {
  readonly number: string;
  /** "": at no table. */
  readonly table: string;
  readonly orders: readonly Order[];
  /** Orders that the shop has deleted. */
  readonly removed: readonly Ordered[];
  /** All of them as they were ordered. */
  readonly ordered: readonly Ordered[];
}

/** The orders of the address that may be seen. */
export function trackersOf(state: State): readonly Tracker[] {
  const known = knownOf(state);
  const series = together(known.flatMap(({ id }) => state.orders.get(id) ?? []));
  const gone = known.filter(({ id }) => !state.orders.has(id) && !state.isRefused);
  const keys = new Set([...series.keys(), ...gone.map(togetherKey)]);
  return [...keys].map((key) => {
    const orders = series.get(key) ?? [];
    const removed = gone.filter((order) => togetherKey(order) === key);
    const [first = removed[0]] = orders;
    return {
      number: first === undefined ? "" : numberOf(first), table: first?.table ?? "", orders,
      removed, ordered: known,
    };
  });
}

/** The orders of the address as they were ordered, or else first seen. */
function knownOf({ address, visits, firstSeen }: State): readonly Ordered[] {
  const isAsked = ({ id, group }: Ordered): boolean =>
    group !== undefined && group === address.group || address.ids.includes(id);
  // Who placed them under another sign-in may not see them now: that removes nothing.
  const own = visits.filter(({ by }) => by === claims()?.sub);
  const known = [...own.flatMap(({ ordered }) => ordered), ...firstSeen.values()].filter(isAsked);
  return known.filter(({ id }, index) => known.findIndex((order) => order.id === id) === index);
}

/** The table in the header: that of the address, or of all that is shown. */
export function tableShown(state: State): string {
  const [first = "", ...others] = new Set(trackersOf(state).map((tracker) => tracker.table));
  return others.length === 0 && first !== "" ? first : table;
}

/** Nothing can be shown because another phone placed it. */
export function isForeign({ isRefused }: State): boolean {
  return isRefused || token() !== null && !isStaff();
}

/** "Margherita, Large, 14.5 in"; without the length if the menu calls that size otherwise. */
export function titleOf(order: Pick<Order, "pizzaSize" | "toppings">, menu: Menu): string {
  const { id, name } = order.pizzaSize;
  const item = itemOf(menu, "pizzasizes", id);
  const size = withNote(name, item?.name === name ? notesOn(item) : "");
  return withNote(pizzaName(order, namedPizzas(menu)) ?? "", size);
}

/** "Large, 14.5 in", or what there is of that. */
export function withNote(name: string, note: string): string {
  return name === "" || note === "" ? name + note : t("{name}, {note}", { name, note });
}

/** The words that guests see for a status. */
interface GuestView {
  /** A group is told the lowest of its orders. One that is made says more than one that waits. */
  readonly rank: number;
  readonly stage: string;
  readonly stageAtTable: string;
  readonly news: string;
  readonly newsAtTable: string;
}

function everywhere(stage: string, news: string) {
  return { stage, stageAtTable: stage, news, newsAtTable: news };
}

const guestViews: Readonly<Record<Status, GuestView>> = {
  Pending: {
    rank: 1, ...everywhere(t("Received"), t("The kitchen has your order and starts soon.")),
  },
  Preparing: { rank: 0, ...everywhere(t("Being made"), t("Your pizza is being made.")) },
  Ready: {
    rank: 2, ...everywhere(t("Ready"), t("Ready")), newsAtTable: t("Ready! We’re bringing it."),
  },
  "Out for Delivery": { rank: 3, ...everywhere(t("On its way"), t("On its way to you.")) },
  Delivered: {
    rank: 4, stage: t("Delivered"), stageAtTable: t("Served"),
    news: t("Delivered. Enjoy your meal!"), newsAtTable: t("Enjoy your meal!"),
  },
  Cancelled: { rank: 5, ...everywhere(t("Cancelled"), t("This order was cancelled.")) },
};

export function stageName(status: Status, isAtTable: boolean): string {
  const { stage, stageAtTable } = guestViews[status];
  return isAtTable ? stageAtTable : stage;
}

export interface ProgressStep {
  readonly name: Status;
  readonly look: "done" | "now" | "cancelled" | "ahead";
}

/** The way of an order with that status, from the first step to the last. */
export function stepsOf(status: Status): readonly ProgressStep[] {
  if (status === "Cancelled") {
    return [{ name: "Pending", look: "done" }, { name: status, look: "cancelled" }];
  }
  const made = status === "Out for Delivery" ? status : "Ready";
  const names = ["Pending", "Preparing", made, "Delivered"] as const;
  const now = names.indexOf(status);
  return names.map((name, index) => ({
    name, look: index < now || status === "Delivered" ? "done" : index === now ? "now" : "ahead",
  }));
}

export interface Progress {
  readonly count: number;
  readonly total: number;
  /** The stage that all have reached. */
  readonly least: Status;
}

/** How many are ready, of those that are not cancelled. */
export function progressOf(orders: readonly Order[]): Progress {
  const statuses = orders.map(({ status }) => status).filter((status) => status !== "Cancelled");
  const [least = "Cancelled"] = statuses.toSorted((one, other) =>
    guestViews[one].rank - guestViews[other].rank);
  const count = statuses.filter((status) => statusFacts[status].isReady).length;
  return { count, total: statuses.length, least };
}

export function newsOf(
  orders: readonly Order[], isAtTable: boolean, isJustPlaced: boolean,
): string {
  const { count, total, least } = progressOf(orders);
  const isPartReady = count > 0 && count < total;
  if (isPartReady) return t("{count} of {total} pizzas are ready.", { count, total });
  if (least === "Pending" && isJustPlaced) return t("Thank you! The kitchen has it.");
  return isAtTable ? guestViews[least].newsAtTable : guestViews[least].news;
}
