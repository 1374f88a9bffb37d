/**
 * A day of the shop, with the orders that were placed on it: from five in the morning to five, so
 * that no evening is cut at midnight. Pure values.
 */

import { together } from "../shared/orders.ts";
import type { Change } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { isOpen } from "./statuses.ts";

const firstHour = 5;

export interface Day {
  /** The date on which it begins: "2026-11-20". */
  readonly date: string;
  /** Before the day is read, only those that have changed since it was asked for. */
  readonly orders: readonly Order[];
  readonly isRead: boolean;
  readonly search: string;
  /** Why it could not be read. */
  readonly failure: string;
}

export function changeDay(day: Day, { event, data }: Change): Day {
  if (!event.startsWith("orders.")) return day;
  const order = data as Order;
  const before = day.orders.find(({ id }) => id === order.id);
  // A list that was read earlier may arrive after an event.
  if (before !== undefined && order.updatedAt < before.updatedAt) return day;
  const isOfDay = event !== "orders.deleted" && dateOf(order.placedAt) === day.date;
  const others = day.orders.filter(({ id }) => id !== order.id);
  return { ...day, orders: isOfDay ? [...others, order] : others };
}

/** Closed orders: those that belong together and were closed alike are one. Newest first. */
export function closedOf({ orders }: Day): readonly (readonly Order[])[] {
  const closed = orders.filter((order) => !isOpen(order));
  const statuses = [...new Set(closed.map(({ status }) => status))];
  const groups = statuses.flatMap((status) =>
    [...together(closed.filter((order) => order.status === status)).values()]);
  return groups.sort((one, other) => lastChange(one) < lastChange(other) ? 1 : -1);
}

export function lastChange(orders: readonly Order[]): string {
  return orders.map(({ updatedAt }) => updatedAt).sort().at(-1) ?? "";
}

/** Orders as guests count them: those that were placed together are one. */
export function countsOf(
  { orders }: Day,
): Readonly<Record<"all" | "Delivered" | "Cancelled", number>> {
  const groups = [...together(orders).values()];
  return {
    all: groups.length,
    Delivered: groups.filter((group) =>
      group.some(({ status }) => status === "Delivered") && !group.some(isOpen)).length,
    Cancelled: groups.filter((group) =>
      group.every(({ status }) => status === "Cancelled")).length,
  };
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
