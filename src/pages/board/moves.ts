/**
 * Moves orders to another status. A move is bound to the state that its press was aimed at
 * (If-Match): of two tablets the slower changes nothing and sees the newer state. Orders that one
 * press moves are one action, with one undo. Their cards show at once that the press was taken.
 */

import { explain, isRefusal, read, Refusal, serverNow, write } from "../shared/api.ts";
import { orderTitle, together, togetherKey } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { type Mark, markAfter, setMark } from "./marks.ts";
import { notify } from "./notices.ts";
import { isSignedIn } from "./state.ts";
import { isOpen, statuses } from "./statuses.ts";
import { set, state } from "./store.ts";

/** `moved`: undefined where the order was changed elsewhere, or `fault` says what went wrong. */
interface Outcome {
  readonly seen: Order;
  readonly moved?: Order | undefined;
  readonly fault?: unknown;
}

export async function moveOrders(
  all: readonly Order[], to: Status, isUndo = false,
): Promise<void> {
  const orders = all.filter(({ id }) => state().marks.get(id)?.type !== "sending");
  const [first] = orders;
  if (first === undefined) return;
  const name = ordersTitle(orders);
  for (const shown of orders) mark(shown.id, { type: "sending", shown, to });
  const outcomes = await Promise.all(orders.map(async (seen): Promise<Outcome> =>
    sendSurely(seen, to).then((moved) => ({ seen, moved }),
      (fault: unknown) => ({ seen, fault }))));
  for (const { seen, moved, fault } of outcomes) {
    settle(seen, moved);
    const { orders: latest, marks } = state();
    // The card says that it was not sent, unless there is news of the order.
    if (fault !== undefined && latest.has(seen.id) && !marks.has(seen.id)) {
      mark(seen.id, { type: "failed" });
    }
  }
  const moved = outcomes.flatMap((outcome) => outcome.moved ?? []);
  const fault = outcomes.find((outcome) => outcome.fault !== undefined)?.fault;
  const column = isOpen(first) ? first.status : undefined;
  if (moved.length > 0) {
    const undo = (): void => { void undoMove(moved, first.status); };
    return notify(statuses[to].movedText(name), column, isUndo ? undefined : undo);
  }
  // A card says itself that it was not sent.
  if (fault === undefined) {
    notify(t("{number} was changed on another screen.", { number: name }), column);
  } else if (column === undefined) notify(`${name}: ${explain(fault)}`);
}

/** While a form saves its texts, what is heard of the order is no news. */
export function markSaving(id: string): void {
  mark(id, { type: "saving" });
}

/** Takes over the answer to a write. Without one there may be news that the write has hidden. */
export function settle(seen: Order, written: Order | undefined): void {
  const { id } = seen;
  mark(id, undefined);
  const latest = state().orders.get(id);
  if (written === undefined) {
    return mark(id, latest && markAfter(seen, latest, undefined, serverNow()));
  }
  // An event may have been faster, and newer.
  const isNewer = latest === undefined || written.updatedAt >= latest.updatedAt;
  if (isNewer) set({ orders: new Map([...state().orders, [id, written]]) });
}

function mark(id: string, value: Mark | undefined): void {
  const marks = new Map(state().marks);
  setMark(marks, id, value);
  set({ marks });
}

/** Takes off the cards what others have done: somebody has seen it. */
export function markSeen(orders: readonly Order[], type: "changed" | "cancelled"): void {
  for (const { id } of orders) if (state().marks.get(id)?.type === type) mark(id, undefined);
}

/** Undo: only orders that are still where the press has moved them. */
async function undoMove(moved: readonly Order[], to: Status): Promise<void> {
  const now = moved.map((order) => state().orders.get(order.id) ?? order);
  const unmoved = now.filter(({ status }, index) => status === moved[index]?.status);
  if (unmoved.length > 0) return moveOrders(unmoved, to, true);
  return notify(t("{number} has been moved on since.", { number: ordersTitle(now) }),
    isOpen({ status: to }) ? to : undefined);
}

/** "K7QX3M", "Table 7", or "Table 7 · Diavola, Small" for equal pizzas of a group. */
function ordersTitle(orders: readonly Order[]): string {
  const [order] = orders as [Order];
  const whole = together(state().orders.values()).get(togetherKey(order)) ?? [];
  const titles = new Set(orders.map(pizzaTitle));
  const [title = ""] = titles;
  return whole.length === orders.length || titles.size > 1 ? orderTitle(order)
    : `${orderTitle(order)} · ${title}`;
}

/** Sends an unanswered move again once the shop answers again, while somebody is signed in. */
async function sendSurely(seen: Order, to: Status): Promise<Order | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(seen, to);
    } catch (fault) {
      if (fault instanceof Refusal || (tries > 1 && state().lostAt === undefined)) throw fault;
      do await new Promise((resolve) => { setTimeout(resolve, 1000); });
      while (state().lostAt !== undefined && isSignedIn(state()));
      if (!isSignedIn(state())) throw fault;
    }
  }
}

/** Resolves to undefined where it was changed elsewhere: an event brings the newer state. */
async function send(seen: Order, to: Status): Promise<Order | undefined> {
  const path = `api/orders/${encodeURIComponent(seen.id)}`;
  // Lists and events have no ETag: it is fetched, with the state that it belongs to.
  const { data, etag } = await read<Order>(path);
  // Where an earlier try got no answer, it may have been carried out.
  if (data.status === to) return data;
  if (data.updatedAt !== seen.updatedAt) return undefined;
  try {
    return (await write<Order>("PATCH", path, { status: to }, etag)).data;
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return undefined;
  }
}
