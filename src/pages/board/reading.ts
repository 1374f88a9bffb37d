/** Reads from the service: the menu and all open orders, and the orders of a day. */

import { explain, isRefusal, read, serverNow } from "../shared/api.ts";
import { readMenu } from "../shared/menu.ts";
import type { Change } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { boundsOf, dayOf } from "./day.ts";
import { withoutOldMarks } from "./marks.ts";
import { applyChanges, isSignedIn, set, state } from "./state.ts";
import { isOpen, openStatuses } from "./statuses.ts";

export async function load(): Promise<void> {
  const [menu, open] = await Promise.all([readMenu(), readOpenOrders()]);
  set({ menu });
  // Nobody is signed in: the orders known so far stay.
  if (open === undefined || !isSignedIn(state())) return;
  const ids = new Set(open.map(({ id }) => id));
  const gone = [...state().orders.values()]
    .filter((order) => isOpen(order) && !ids.has(order.id)).map(({ id }) => id);
  hear(open);
  set({ hasRead: true, ended: undefined, signInFault: "" });
  if (state().tab === "done") void readDay();
  await readParts(open);
  // An order that was open when the board last heard of it was closed elsewhere, or deleted.
  const closed = await readOrders("id", gone);
  hear(closed);
  const deleted = gone.filter((id) => !closed.some((order) => order.id === id));
  applyChanges(deleted.map((id) => ({ event: "orders.deleted", data: { id } })));
}

/** Applies changes of the stream. */
export function hearChanges(changes: readonly Change[]): void {
  const groups = new Set([...state().orders.values()].map(({ group }) => group));
  applyChanges(changes);
  // Without them the next load reads them.
  readParts(state().arrived.filter(({ group }) => !groups.has(group))).catch(() => undefined);
}

/** Reads the other parts of the groups of these orders, which may be closed. */
async function readParts(orders: readonly Order[]): Promise<void> {
  hear(await readOrders("group", [...new Set(orders.flatMap(({ group }) => group ?? []))]));
}

function hear(orders: readonly Order[]): void {
  applyChanges(orders.map((data) => ({ event: "orders.updated", data })));
}

async function readOpenOrders(): Promise<readonly Order[] | undefined> {
  if (!isSignedIn(state())) return undefined;
  try {
    return await readOrders("status", openStatuses);
  } catch (fault) {
    if (!isRefusal(fault, 401)) throw fault;
    return undefined;
  }
}

/** An address with more values would be too long for the service. */
const valuesAtOnce = 40;

async function readOrders(
  filter: "id" | "group" | "status", values: readonly string[],
): Promise<readonly Order[]> {
  if (values.length === 0) return [];
  const batch = values.slice(0, valuesAtOnce);
  const query = batch.map((value) => `${filter}=${encodeURIComponent(value)}`).join("&");
  const { data } = await read<readonly Order[]>(`api/orders?${query}`);
  return [...data, ...await readOrders(filter, values.slice(valuesAtOnce))];
}

export function today(): string {
  return dayOf(serverNow());
}

/** Reads the day that is shown, at first today. */
export async function readDay(date = state().day?.date ?? today()): Promise<void> {
  const { day: before } = state();
  const search = before?.date === date ? before.search : "";
  set({ day: { date, orders: [], isRead: false, search, fault: "" } });
  const { start, end } = boundsOf(date);
  const times = `since=${start.toISOString()}&until=${end.toISOString()}`;
  const answer = await read<readonly Order[]>(`api/orders?${times}`)
    .then(({ data }) => data, explain);
  const { day } = state();
  // Another day is shown by now.
  if (day?.date !== date) return;
  if (typeof answer === "string") return set({ day: { ...day, fault: answer } });
  // Changes that came meanwhile are newer than the answer.
  const rest = answer.filter(({ id }) => !day.orders.some((order) => order.id === id));
  set({ day: { ...day, isRead: true, orders: [...rest, ...day.orders] } });
}

/** Draws the ages. At five in the morning, whoever looks at today sees the new day. */
export function tick(): void {
  const { now: before, tab, day, marks, signIn } = state();
  const now = serverNow();
  set({ now, marks: signIn === "reader" ? withoutOldMarks(marks, now) : marks });
  const isToday = day?.date === dayOf(before);
  if (tab === "done" && isToday && today() !== day.date) void readDay(today());
}
