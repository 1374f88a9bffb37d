/** A day of this device's calendar, with the orders that were placed on it. Pure values. */

import { isFoundBy } from "../shared/parts.ts";
import type { Change } from "../shared/stream.ts";
import { numberOf, tableOf } from "../shared/table.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";

export interface Day {
  /** "2026-11-20". */
  readonly date: string;
  /** Before the day is read, only those that have changed since it was asked for. */
  readonly orders: readonly Order[];
  readonly isRead: boolean;
  readonly search: string;
  /** Why it could not be read. */
  readonly fault: string;
}

export function changeDay(day: Day, { event, data }: Change): Day {
  if (!event.startsWith("orders.")) return day;
  const order = data as Order;
  const isOfDay = event !== "orders.deleted"
    && calendarDay(new Date(order.placedAt)) === day.date;
  const others = day.orders.filter(({ id }) => id !== order.id);
  return { ...day, orders: isOfDay ? [...others, order] : others };
}

/** An order as people call it: "Table 7" and "CN3G3Q, pizza 2", or its number alone. */
export function namesOf(id: string): { readonly name: string; readonly below: string } {
  const [number, part] = numberOf(id);
  const whole = part === 0 ? number : t("{number}, pizza {part}", { number, part });
  const table = tableOf(id);
  return table === "" ? { name: whole, below: "" } : { name: table, below: whole };
}

/** Newest first. */
export function closedOf({ orders }: Day): readonly Order[] {
  return orders.filter(({ status }) => status === "Delivered" || status === "Cancelled")
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

/** Whether its number, its table or its note holds the words that are looked for. */
export function isFound({ id, note = "" }: Order, search: string): boolean {
  return isFoundBy(search, [...Object.values(namesOf(id)), note].join(" "));
}

export function calendarDay(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Midnight to midnight, by the clock of the place: 23 or 25 hours at times. */
export function boundsOf(date: string): { readonly start: Date; readonly end: Date } {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return { start: new Date(year, month - 1, day), end: new Date(year, month - 1, day + 1) };
}

export function dayBeside(date: string, by: number): string {
  const { start } = boundsOf(date);
  start.setDate(start.getDate() + by);
  return calendarDay(start);
}
