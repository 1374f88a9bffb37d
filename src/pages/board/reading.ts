/** Reads from the service: the menu and all open orders, and the orders of a day. */

import { explain, isRefusal, read, serverNow } from "../shared/api.ts";
import { readMenu } from "../shared/menu.ts";
import type { Order } from "../shared/types.ts";
import { boundsOf, calendarDay, type Day } from "./day.ts";
import { stageOf, stages, unknownParts } from "./orders.ts";
import { applyChanges, set, state } from "./state.ts";

export async function load(): Promise<void> {
  const [menu, orders] = await Promise.all([readMenu(), readOpenOrders()]);
  set({ menu });
  // Nobody is signed in: the orders known so far stay.
  if (orders === undefined || !state().isSignedIn) return;
  const open = new Set(orders.map(({ id }) => id));
  const { orders: known, marks } = state();
  const changed = [...marks].filter(([, { type }]) => type === "changed").map(([id]) => id);
  const gone = [...new Set([...known.values()].filter(({ status }) => stageOf(status) !== undefined)
    .map(({ id }) => id).concat(changed))].filter((id) => !open.has(id));
  take(orders);
  set({ hasRead: true, signedOut: undefined, signInFault: "" });
  if (state().tab === "done") void readDay();
  // Orders that were open when the board last heard of them were closed elsewhere, or deleted. And
  // some that were placed together with open ones may be closed.
  const closed = await findById([...gone, ...unknownParts(state())]);
  take(closed);
  const deleted = gone.filter((id) => !closed.some((order) => order.id === id));
  set(applyChanges(state(), deleted.map((id) => ({ event: "orders.deleted", data: { id } }))));
}

function take(orders: readonly Order[]): void {
  set(applyChanges(state(), orders.map((data) => ({ event: "orders.updated", data }))));
}

async function readOpenOrders(): Promise<readonly Order[] | undefined> {
  if (!state().isSignedIn) return undefined;
  const statuses = stages.map((stage) => `status=${encodeURIComponent(stage)}`).join("&");
  try {
    return (await read<readonly Order[]>(`api/orders?${statuses}`)).data;
  } catch (fault) {
    if (!isRefusal(fault, 401)) throw fault;
    return undefined;
  }
}

/** An address of many ids would be too long for the service. */
const idsAtOnce = 40;

async function findById(ids: readonly string[]): Promise<readonly Order[]> {
  if (ids.length === 0) return [];
  const query = ids.slice(0, idsAtOnce).map((id) => `id=${encodeURIComponent(id)}`).join("&");
  const { data } = await read<readonly Order[]>(`api/orders?${query}`);
  return [...data, ...await findById(ids.slice(idsAtOnce))];
}

export function today(): string {
  return calendarDay(new Date(serverNow()));
}

/** Reads the day that is shown, at first today. */
export async function readDay(date = state().day?.date ?? today()): Promise<void> {
  const { day: before } = state();
  const search = before?.date === date ? before.search : "";
  set({ day: { date, orders: [], isRead: false, search, fault: "" } });
  const { start, end } = boundsOf(date);
  const times = `since=${start.toISOString()}&until=${end.toISOString()}`;
  try {
    const { data } = await read<readonly Order[]>(`api/orders?${times}`);
    updateDay(date, ({ orders: changed }) => {
      // Changes that came meanwhile are newer than the answer.
      const rest = data.filter(({ id }) => !changed.some((one) => one.id === id));
      return { isRead: true, orders: [...rest, ...changed] };
    });
  } catch (fault) {
    updateDay(date, () => ({ fault: explain(fault) }));
  }
}

export function searchDay(search: string): void {
  const { day } = state();
  if (day !== undefined) set({ day: { ...day, search } });
}

/** Unless another day is shown by now. */
function updateDay(date: string, change: (day: Day) => Partial<Day>): void {
  const { day } = state();
  if (day?.date === date) set({ day: { ...day, ...change(day) } });
}
