/** The trackers of an address, and their words for guests. Pure values. */

import { numberOf, statusFacts, together } from "../shared/orders.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { spellingsOf } from "./numbers.ts";
import { isMenuShown, isStaff, type State } from "./state.ts";

/** Orders that were placed together, as a guest follows them. */
export interface Tracker {
  readonly number: string;
  /** "": at no table. */
  readonly table: string;
  readonly orders: readonly Order[];
}

export function trackersOf(state: State): readonly Tracker[] {
  return [...together(ordersAsked(state)).values()].map((orders) => {
    const [first] = orders;
    return {
      number: first === undefined ? "" : numberOf(first), table: first?.table ?? "", orders,
    };
  });
}

/** The orders of the number in the address: those of a group, else the one with that id. */
function ordersAsked(state: State): readonly Order[] {
  if (isMenuShown(state)) return [];
  const orders = [...state.orders.values()];
  const lists = spellingsOf(state.addressNumber).flatMap((number) => [
    orders.filter(({ group }) => group === number), orders.filter(({ id }) => id === number),
  ]);
  return lists.find((found) => found.length > 0) ?? [];
}

/** The table in the header: that of all orders that are shown, else that of the address. */
export function tableShown(state: State): string {
  const [first = "", ...others] = new Set(trackersOf(state).map(({ table }) => table));
  return others.length === 0 && first !== "" ? first : state.addressTable;
}

/** Nothing can be shown because another phone placed it. */
export function isForeign(state: State): boolean {
  return state.isDenied || state.claims !== undefined && !isStaff(state);
}

/** The words that guests see for a status. At a table some are others. */
interface GuestView {
  /** A group shows the lowest of its orders. One that is made says more than one that waits. */
  readonly rank: number;
  readonly name: string;
  readonly nameAtTable?: string;
  readonly news: string;
  readonly newsAtTable?: string;
}

const guestViews: Readonly<Record<Status, GuestView>> = {
  Pending: {
    rank: 1, name: t("Received"), news: t("The kitchen has your order and starts soon."),
  },
  Preparing: { rank: 0, name: t("Being made"), news: t("Your pizza is being made.") },
  Ready: {
    rank: 2, name: t("Ready"), news: t("Ready"), newsAtTable: t("Ready! We’re bringing it."),
  },
  "Out for Delivery": { rank: 3, name: t("On its way"), news: t("On its way") },
  Delivered: {
    rank: 4, name: t("Delivered"), nameAtTable: t("Served"), news: t("Enjoy your meal!"),
  },
  Cancelled: { rank: 5, name: t("Cancelled"), news: t("This order was cancelled.") },
};

export function statusName(status: Status, isAtTable: boolean): string {
  const { name, nameAtTable = name } = guestViews[status];
  return isAtTable ? nameAtTable : name;
}

interface ProgressStep {
  readonly name: Status;
  readonly progress: "done" | "now" | "cancelled" | "ahead";
}

/** The way of an order with that status, from the first step to the last. */
export function stepsOf(status: Status): readonly ProgressStep[] {
  if (status === "Cancelled") {
    return [{ name: "Pending", progress: "done" }, { name: status, progress: "cancelled" }];
  }
  const made = status === "Out for Delivery" ? status : "Ready";
  const names = ["Pending", "Preparing", made, "Delivered"] as const;
  const now = names.indexOf(status);
  return names.map((name, index) => ({
    name,
    progress: index < now || status === "Delivered" ? "done" : index === now ? "now" : "ahead",
  }));
}

export interface Progress {
  readonly count: number;
  readonly total: number;
  /** The status that all have reached. */
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
  if (count > 0 && count < total) {
    return t("{count} of {total} pizzas are ready.", { count, total });
  }
  if (least === "Pending" && isJustPlaced) return t("Thank you! The kitchen has it.");
  if (least === "Preparing" && total > 1) {
    const begun = orders.filter(({ status }) => status === "Preparing").length;
    return t("{count} of {total} pizzas are being made.", { count: begun, total });
  }
  const { news, newsAtTable = news } = guestViews[least];
  return isAtTable ? newsAtTable : news;
}

/** While the shop can still change or cancel it. */
export function isAnyOpen(orders: readonly Order[]): boolean {
  return orders.some(({ status }) => statusFacts[status].isOpen);
}
