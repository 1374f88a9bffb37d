/**
 * A day of the shop, with the orders that were placed on it: from five in the morning to five, so
 * that no evening is cut at midnight. Pure values.
 */

import { type CountedItem, mostFirst } from "../shared/menu.ts";
import { type WholeOrder, wholeOrders } from "../shared/orders.ts";
import type { Change, Order } from "../shared/types.ts";
import { joined, t } from "../shared/words.ts";

const firstHour = 5;

export interface Day {
  /** The date on which it begins: "2026-11-20". */
  readonly date: string;
  /** Before the day is read, only the orders that have changed since it was asked for. */
  readonly orders: readonly Order[];
  /** Ids of the orders that were deleted since it was asked for. */
  readonly deleted: readonly string[];
  readonly isRead: boolean;
  readonly search: string;
  /** The id of the order whose steps are shown. "": none. */
  readonly opened: string;
  /** Why the day could not be read. */
  readonly failure: string;
}

/** The day is not over. `now`: as Date.now. */
export function isToday({ date }: Day, now: number): boolean {
  return dateOf(now) === date;
}

export function changeDay(day: Day, { event, data }: Change, now: number): Day {
  if (!event.startsWith("orders.")) return day;
  const order = data as Order;
  const others = day.orders.filter(({ id }) => id !== order.id);
  if (event === "orders.deleted") {
    return { ...day, orders: others, deleted: [...day.deleted, order.id] };
  }
  const before = day.orders.find(({ id }) => id === order.id);
  // A list that was read earlier may arrive after an event.
  if (before !== undefined && order.updatedAt < before.updatedAt) return day;
  const date = dateOf(order.placedAt);
  // Today has orders that were placed before the clock was set back, too.
  const isOfDay = date === day.date || isToday(day, now) && date > day.date;
  return { ...day, orders: isOfDay ? [...others, order] : others };
}

/** Orders of which nothing is open. The one that was closed last comes first. */
export function closedOrders({ orders }: Day): readonly WholeOrder[] {
  return wholeOrders(orders).filter(({ stage }) => stage === "closed")
    .sort((first, second) => lastChange(first) < lastChange(second) ? 1 : -1);
}

export function lastChange({ pizzas }: WholeOrder): string {
  return pizzas.map(({ updatedAt }) => updatedAt).sort().at(-1) ?? "";
}

/** Orders as guests count them. */
export function countsOf(
  { orders }: Day,
): Readonly<Record<"all" | "Delivered" | "Cancelled", number>> {
  const wholes = wholeOrders(orders);
  const closed = wholes.filter(({ stage }) => stage === "closed");
  return {
    all: wholes.length,
    Delivered: closed.filter(({ count }) => count > 0).length,
    Cancelled: closed.filter(({ count }) => count === 0).length,
  };
}

/** All but what was cancelled, also what is still to be made: pizzas by name and size. */
export function soldPizzas({ orders }: Day): readonly CountedItem[] {
  return mostFirst(orders.filter(({ status }) => status !== "Cancelled")
    .map(({ pizza = t("Own pizza"), pizzaSize }) => joined(pizza, pizzaSize.name))
    .map((name) => ({ id: name, name })));
}

export function soldDrinks({ orders }: Day): readonly CountedItem[] {
  return mostFirst(wholeOrders(orders).flatMap(({ drinks }) => drinks));
}

/** The date of the shop's day at a moment: at three in the night it is still yesterday's. */
export function dateOf(moment: string | number): string {
  const date = new Date(moment);
  if (date.getHours() < firstHour) date.setDate(date.getDate() - 1);
  return dateText(date);
}

/** By the clock of the place: 23 or 25 hours at times. */
export function boundsOf(date: string): { readonly start: Date; readonly end: Date } {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return {
    start: new Date(year, month - 1, day, firstHour),
    end: new Date(year, month - 1, day + 1, firstHour),
  };
}

export function addDays(date: string, days: number): string {
  const { start } = boundsOf(date);
  start.setDate(start.getDate() + days);
  return dateText(start);
}

/** "2026-11-20", by the clock of the place. */
export function dateText(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
