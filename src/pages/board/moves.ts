/**
 * Moves orders to another status. A move is bound to the state that its press was aimed at
 * (If-Match): of two tablets the slower changes nothing and sees the newer state. Orders that one
 * press moves are one action, with one undo. Their cards show at once that the press was taken.
 */

import { explain, isRefusal, orderPath, read, Refusal, write } from "../shared/api.ts";
import { tableOf } from "../shared/table.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { movedText } from "./actions.ts";
import { notify } from "./notices.ts";
import { markAfter, seriesOf, stageOf, takeOrder, withMark } from "./orders.ts";
import { set, state } from "./state.ts";

export function moveOrders(ids: readonly string[], to: Status): void {
  const orders = ids.flatMap((id) => state().orders.get(id) ?? []);
  void move(orders, to, false);
}

export function reopen(id: string): void {
  const order = state().day?.orders.find((one) => one.id === id);
  if (order) void move([order], order.status === "Delivered" ? "Ready" : "Pending", false);
}

type Outcome = readonly [seen: Order, left: Order | undefined, fault: unknown];

async function move(all: readonly Order[], to: Status, isUndo: boolean): Promise<void> {
  const seen = all.filter(({ id }) => state().marks.get(id)?.type !== "sending");
  const [first] = seen;
  if (first === undefined) return;
  const name = moveName(seen);
  for (const shown of seen) mark(shown.id, { type: "sending", shown, to });
  const outcomes = await Promise.all(seen.map(async (order): Promise<Outcome> =>
    advanceSurely(order, to).then((left) => [order, left, undefined],
      (fault: unknown) => [order, undefined, fault])));
  for (const outcome of outcomes) settle(outcome);
  const moved = outcomes.flatMap(([, left]) => left ?? []);
  const fault = outcomes.find(([, left, thrown]) => left === undefined && thrown)?.[2];
  const stage = stageOf(first.status);
  if (moved.length > 0) {
    const undo = (): Promise<unknown> => takeBack(moved, to, first.status);
    return notify(movedText(name, to), stage, isUndo ? undefined : undo);
  }
  // A card says itself that it was not sent.
  if (fault === undefined) notify(t("{number} was changed on another screen.", { number: name }),
    stage);
  else if (stage === undefined) notify(`${name}: ${explain(fault)}`);
}

function settle([seen, left, fault]: Outcome): void {
  const { id } = seen;
  mark(id, undefined);
  if (left !== undefined) {
    const { orders } = takeOrder(state(), left);
    return set({ orders });
  }
  const current = state().orders.get(id);
  if (fault !== undefined && current !== undefined) mark(id, { type: "failed" });
  const news = current && markAfter(seen, current, undefined);
  if (news) mark(id, news);
}

function mark(id: string, value: Parameters<typeof withMark>[2]): void {
  set({ marks: withMark(state().marks, id, value) });
}

/** Takes the news of changes by others off the cards. */
export function markSeen(ids: readonly string[], type: "changed" | "cancelled"): void {
  for (const id of ids) if (state().marks.get(id)?.type === type) mark(id, undefined);
}

/** Undo: only orders that are still in the stage to which the press moved them. */
async function takeBack(moved: readonly Order[], from: Status, to: Status): Promise<unknown> {
  const now = moved.map((left) => state().orders.get(left.id) ?? left);
  const still = now.filter(({ status }) => status === from);
  if (still.length > 0) return move(still, to, true);
  return notify(t("{number} has been moved on since.", { number: moveName(now) }), stageOf(to));
}

/** "K7QX3M", "Table 7", or "Table 7 · Pizza 2" for one of several. */
function moveName(orders: readonly Order[]): string {
  const [{ id }] = orders as [Order];
  const { first, number } = seriesOf(id);
  const name = tableOf(id) || first;
  return orders.length > 1 || number === 0 ? name
    : `${name} · ${t("Pizza {number}", { number })}`;
}

/** Sends an unanswered move again as soon as the shop answers again. */
async function advanceSurely(seen: Order, to: Status): Promise<Order | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await advance(seen, to);
    } catch (fault) {
      if (fault instanceof Refusal || (tries > 1 && state().lost === undefined)) throw fault;
      do await new Promise((resolve) => { setTimeout(resolve, 1000); });
      while (state().lost !== undefined);
    }
  }
}

/** Undefined: it was changed elsewhere, and an event brings the newer state. */
async function advance(seen: Order, to: Status): Promise<Order | undefined> {
  const path = orderPath(seen.id);
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
