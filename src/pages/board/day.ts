/**
 * A day's orders in figures and as a table. A day is one of this device's calendar; its orders are
 * those placed on it. Pure values.
 */

import { tally } from "../shared/menu.ts";
import type { Change } from "../shared/stream.ts";
import { shownNumber } from "../shared/table.ts";
import type { Order, Reference, Status } from "../shared/types.ts";

export interface Day {
  /** "2026-11-20". */
  readonly date: string;
  /** Before the day is read, only those that have changed since it was asked for. */
  readonly orders: readonly Order[];
  readonly isRead: boolean;
  readonly search: string;
  /** Orders of other days that were found by their number. */
  readonly elsewhere: readonly Order[];
  /** Why something could not be read. */
  readonly note: string;
}

export function emptyDay(date: string, search: string): Day {
  return { date, orders: [], isRead: false, search, elsewhere: [], note: "" };
}

export function changeDay(day: Day, { event, data }: Change): Day {
  if (!event.startsWith("orders.")) return day;
  const order = data as Order;
  const isGone = event === "orders.deleted";
  const isOfDay = !isGone && calendarDay(new Date(order.placedAt)) === day.date;
  const others = day.orders.filter(({ id }) => id !== order.id);
  return {
    ...day,
    orders: isOfDay ? [...others, order] : others,
    elsewhere: day.elsewhere.flatMap((one) => one.id !== order.id ? one : isGone ? [] : order),
  };
}

export function isClosed(status: Status): boolean {
  return status === "Delivered" || status === "Cancelled";
}

/** Closed orders, newest first; with a search, open ones too. */
export function foundIn({ orders, elsewhere, search }: Day): readonly Order[] {
  const wanted = search.trim().toLowerCase();
  const all = new Map([...orders, ...elsewhere].map((order) => [order.id, order]));
  const isWanted = (id: string): boolean =>
    [id, shownNumber(id)].some((name) => name.toLowerCase().includes(wanted));
  return [...all.values()]
    .filter(({ id, status }) => isWanted(id) && (isClosed(status) || wanted !== ""))
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

/** Something counted, and how often. */
export type Counted = readonly [label: string, count: number];

const madeStatuses: readonly Status[] = ["Ready", "Out for Delivery", "Delivered"];

export function isMade({ status }: Order): boolean {
  return madeStatuses.includes(status);
}

export interface ReadyTime {
  /** The day of the order. */
  readonly date: string;
  /** From the order to Ready. */
  readonly minutes: number;
}

/** By the order's id. */
export type ReadyTimes = Readonly<Record<string, ReadyTime>>;

/**
 * The service tells when an order came into its last status, not when it became Ready: this device
 * notes that when it hears of it.
 */
export function withReady(times: ReadyTimes, before: Order | undefined, order: Order): ReadyTimes {
  const { [order.id]: known, ...others } = times;
  if (!isMade(order)) return known === undefined ? times : others;
  const isSeen = order.status === "Ready" || (before !== undefined && !isMade(before));
  if (known !== undefined || !isSeen) return times;
  const minutes = (Date.parse(order.statusSince) - Date.parse(order.placedAt)) / 60_000;
  return { ...times, [order.id]: { date: calendarDay(new Date(order.placedAt)), minutes } };
}

export interface Speed {
  /** Undefined: no order of that day is known to have become Ready. */
  readonly median: number | undefined;
  readonly longest: number | undefined;
  /** Of 1: longer than the minutes that the shop promises. */
  readonly late: number | undefined;
}

export function speedOf(
  orders: readonly Order[], times: ReadyTimes, promisedMinutes: number,
): Speed {
  const all = orders.flatMap(({ id }) => times[id]?.minutes ?? []).sort((a, b) => a - b);
  const isLate = all.filter((minutes) => minutes > promisedMinutes);
  const middle = (all.length - 1) / 2;
  const [low, high] = [all[Math.floor(middle)], all[Math.ceil(middle)]];
  return {
    median: low !== undefined && high !== undefined ? (low + high) / 2 : undefined,
    longest: all.at(-1),
    late: all.length > 0 ? isLate.length / all.length : undefined,
  };
}

export function mostFirst(references: readonly Reference[]): readonly Counted[] {
  return tally(references).map(({ name, count }) => [name, count] as const)
    .sort(([one, a], [other, b]) => b - a || one.localeCompare(other));
}

/** From the first hour with an order to the last. */
export function byHour(orders: readonly Order[]): readonly Counted[] {
  const hours = orders.map(({ placedAt }) => new Date(placedAt).getHours());
  const first = Math.min(...hours);
  const span = hours.length === 0 ? 0 : Math.max(...hours) - first + 1;
  return Array.from({ length: span }, (_, index) => {
    const hour = first + index;
    return [String(hour), hours.filter((one) => one === hour).length];
  });
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

/** RFC 4180, with the mark by which spreadsheets recognize UTF-8. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("")}`;
}

/** A spreadsheet computes what begins like a formula, and anybody may name an item: quoted. */
function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** "2026-11-20 19:42", which spreadsheets take for a time. */
export function csvTime(moment: string): string {
  const date = new Date(moment);
  return `${calendarDay(date)} ${date.toTimeString().slice(0, 5)}`;
}
