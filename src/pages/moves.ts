/**
 * Moves orders from status to status, each write bound to the very state its tap was aimed at
 * (If-Match): of two tablets on one order the slower one changes nothing and sees the newer state.
 */

import { explain, isRefusal, read, write } from "./api.ts";
import { notify } from "./notices.ts";
import { orderPath } from "./order.ts";
import type { Order, Status } from "./order.ts";

/** Orders that are being written: wet fingers tap twice. */
const busy = new Set<string>();
/** Each order as this board left it: what an undo starts from, be it the second one. */
const left = new Map<string, Order>();

/**
 * `seen` is the order as the tap found it, `take` shows what it became. Every outcome is told;
 * nothing is thrown.
 */
export async function move(
  seen: Order, to: Status, take: (order: Order) => Promise<void>, undoable = true,
): Promise<void> {
  if (busy.has(seen.id)) return;
  busy.add(seen.id);
  try {
    const { order, written } = await advance(seen, to);
    if (written) left.set(order.id, order);
    await take(order);
    const undo = () => { void move(left.get(order.id) ?? order, seen.status, take, false); };
    if (written) notify(`${seen.id}: ${to}`, undoable ? undo : undefined);
    else notify(`${seen.id} was changed on another screen: it is ${order.status} now.`);
  } catch (fault) {
    notify(`${seen.id} was not moved. ${explain(fault)}`);
  }
  busy.delete(seen.id);
}

/** The order as it is stored now, and whether that is our doing. */
async function advance(seen: Order, to: Status): Promise<{ order: Order; written: boolean }> {
  const path = orderPath(seen.id);
  // Lists and events carry no ETag, so it is fetched, with the state that it stands for.
  const { data, etag } = await read<Order>(path);
  if (data.updatedAt !== seen.updatedAt) return { order: data, written: false };
  try {
    const answer = await write<Order>("PATCH", path, { status: to }, etag);
    return { order: answer.data, written: true };
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return { order: (await read<Order>(path)).data, written: false };
  }
}
