/**
 * Reads from the service: the menu and all open orders, and the orders of a day. Some of it as time
 * goes by.
 */

import { explain, read, readMenu, serverNow } from "../shared/api.ts";
import { isOpen } from "../shared/orders.ts";
import type { Change, Order } from "../shared/types.ts";
import { boundsOf, dateOf, type Day, isToday } from "./day.ts";
import { withoutOldMarks } from "./known-orders.ts";
import { isSignedIn } from "./state.ts";
import { openStatuses } from "./statuses.ts";
import { applyChanges, set, state } from "./store.ts";

export async function load(isMenuDue: boolean): Promise<void> {
  // Without a sign-in the menu is all that can be read.
  const [menu = state().menu, answer] = await Promise.all([
    isMenuDue || !isSignedIn(state()) ? readMenu() : undefined,
    isSignedIn(state()) ? readOpenOrders() : undefined,
  ]);
  set({ menu });
  // Nobody is signed in, or nothing has changed.
  if (answer === undefined || !isSignedIn(state()) || answer.etag === state().ordersEtag) return;
  const { data: open, etag } = answer;
  const ids = new Set(open.map(({ id }) => id));
  const closedIds = [...state().orders.values()]
    .filter((order) => isOpen(order) && !ids.has(order.id)).map(({ id }) => id);
  // An order that was open when the board last heard of it was closed elsewhere, or deleted.
  const [groups, closed] = await Promise.all([readGroups(open), readOrders("id", closedIds)]);
  const deleted = closedIds.filter((id) => !closed.some((order) => order.id === id));
  // All at once, so that an order is whole when it is first drawn.
  applyChanges([
    ...updates([...groups, ...open, ...closed]),
    ...deleted.map((id) => ({ event: "orders.deleted", data: { id } })),
  ]);
  set({ hasRead: true, ordersEtag: etag });
  if (state().tab === "done") void readDay();
}

/** Applies changes of the stream, and reads groups that are new to the board. */
export function applyStreamChanges(changes: readonly Change[]): void {
  const groups = new Set([...state().orders.values()].map(({ group }) => group));
  applyChanges(changes);
  // If that fails, the next load reads them.
  readGroups(state().arrived.filter(({ group }) => !groups.has(group)))
    .then((orders) => { if (orders.length > 0) applyChanges(updates(orders)); }, () => undefined);
}

/** Reads all orders of their groups: some may be closed. */
function readGroups(orders: readonly Order[]): Promise<readonly Order[]> {
  return readOrders("group", [...new Set(orders.flatMap(({ group }) => group ?? []))]);
}

function updates(orders: readonly Order[]): readonly Change[] {
  return orders.map((data) => ({ event: "orders.updated", data }));
}

function readOpenOrders(): ReturnType<typeof read<readonly Order[]>> {
  return read(`api/orders?${queryOf("status", openStatuses)}`);
}

/** An address with more values would be too long for the service. */
const valuesAtOnce = 40;

async function readOrders(
  filter: "id" | "group", values: readonly string[],
): Promise<readonly Order[]> {
  if (values.length === 0) return [];
  const batch = values.slice(0, valuesAtOnce);
  const { data } = await read<readonly Order[]>(`api/orders?${queryOf(filter, batch)}`);
  return [...data, ...await readOrders(filter, values.slice(valuesAtOnce))];
}

function queryOf(name: string, values: readonly string[]): string {
  return values.map((value) => `${name}=${encodeURIComponent(value)}`).join("&");
}

export function today(): string {
  return dateOf(serverNow());
}

/** Reads the day that is shown, at first today. `newSearch`: to be searched for there. */
export async function readDay(
  date = state().day?.date ?? today(), newSearch?: string,
): Promise<void> {
  const { day: before } = state();
  const search = newSearch ?? (before?.date === date ? before.search : "");
  const fresh = { orders: [], isRead: false, opened: "" };
  const { orders, isRead, opened } = before?.date === date ? before : fresh;
  set({ day: { date, orders, deleted: [], isRead, search, opened, failure: "" } });
  const { start, end } = boundsOf(date);
  const until = date === today() ? "" : `&until=${end.toISOString()}`;
  const answer = await read<readonly Order[]>(`api/orders?since=${start.toISOString()}${until}`)
    .then(({ data }) => data, explain);
  const { day } = state();
  // Another day is shown by now.
  if (day?.date !== date) return;
  if (typeof answer === "string") return set({ day: { ...day, failure: answer } });
  // Changes that came meanwhile are newer than the answer.
  const earlier = new Set(orders);
  const newer = day.orders.filter((order) => !earlier.has(order));
  const known = new Set([...newer.map(({ id }) => id), ...day.deleted]);
  const rest = answer.filter(({ id }) => !known.has(id));
  set({ day: { ...day, isRead: true, orders: [...rest, ...newer] } });
}

/** Changes the search, or the order that is open, in the day that is shown. */
export function changeShownDay(change: Partial<Pick<Day, "search" | "opened">>): void {
  const { day } = state();
  if (day !== undefined) set({ day: { ...day, ...change } });
}

/** Draws the ages. At five in the morning, whoever looks at today sees the new day. */
export function tick(): void {
  const { now: before, tab, day, marks, role } = state();
  const now = serverNow();
  const isReader = role === "reader" && isSignedIn(state());
  set({ now, marks: isReader ? withoutOldMarks(marks, now) : marks });
  const wasToday = day !== undefined && isToday(day, before);
  if (tab === "done" && wasToday && !isToday(day, now)) void readDay(today());
}
