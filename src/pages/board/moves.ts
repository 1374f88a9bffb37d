/**
 * Moves orders to another status. A move is bound to the state that its press was aimed at
 * (If-Match): of two tablets the slower changes nothing and sees the newer state. A notice tells of
 * the move, with a way to undo it for ten seconds.
 */

import { explain, isRefusal, orderPath, read, write } from "../shared/api.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { type Stage, stageOf, takeOrder } from "./orders.ts";
import { isGuarded, set, state, withNotice, withOrders } from "./state.ts";

/** How long an undo is there. */
const shownForMs = 10_000;

/** The number of the last notice, and the last move that is under way and no undo. */
const latest: { notice: number; move: Promise<unknown> | undefined } = {
  notice: 0, move: undefined,
};

/** Shown as long as it can be undone. */
export function notify(text: string, stage?: Stage, undo?: () => Promise<unknown>): void {
  const key = latest.notice += 1;
  set({ notices: withNotice(state(), { key, text, stage, undo }) });
  setTimeout(() => { dropNotice(key); }, shownForMs);
}

function dropNotice(key: number): void {
  set({ notices: state().notices.filter((one) => one.key !== key) });
}

export async function undoNotice(key: number): Promise<void> {
  const { undo } = state().notices.find((one) => one.key === key) ?? {};
  dropNotice(key);
  await undo?.();
}

/** The latest that can be undone; a move that is still under way, once it is done. */
export async function undoLatest(): Promise<void> {
  const known = state().notices;
  const isMoving = latest.move !== undefined;
  await latest.move;
  // If that move fails there is nothing to undo: the move before it stays as it is.
  const { key } = state().notices.findLast((one) =>
    one.undo !== undefined && !(isMoving && known.includes(one))) ?? {};
  if (key !== undefined) await undoNotice(key);
}

interface Move {
  /** `updatedAt` of the order that the press was aimed at. */
  readonly seen: string;
  /** The order as we left it. Undefined: nothing was written. */
  readonly done: Promise<Order | undefined>;
}

/** The last move of each order. */
const moves = new Map<string, Move>();

/** The order goes on, or back, unless it has just come to lie under the finger. */
export function moveTo(id: string, to: Status, event?: Event): void {
  const one = state().orders.get(id);
  if (one === undefined) return;
  const isPress = event instanceof MouseEvent && event.detail > 0;
  if (isPress && isGuarded(state(), one, Date.now())) return;
  void moveOrder(one.order, to);
}

export function reopen(id: string): void {
  const { orders = [], elsewhere = [] } = state().day ?? {};
  const order = [...orders, ...elsewhere].find((one) => one.id === id);
  if (order) void moveOrder(order, order.status === "Delivered" ? "Ready" : "Pending");
}

/**
 * A second press on the same state does nothing; one on what a move has made of the order waits
 * until that move is over.
 */
function moveOrder(seen: Order, to: Status, isUndo = false): Promise<unknown> {
  const { id, updatedAt } = seen;
  const before = moves.get(id);
  if (before?.seen === updatedAt) return before.done;
  const move = {
    seen: updatedAt,
    done: Promise.resolve(before?.done).then(() => carryOut(seen, to, isUndo)),
  };
  moves.set(id, move);
  const over = move.done.then((order) => {
    if (order === undefined && moves.get(id) === move) moves.delete(id);
    if (latest.move === over) latest.move = undefined;
  });
  if (!isUndo) latest.move = over;
  return over;
}

async function carryOut(seen: Order, to: Status, isUndo: boolean): Promise<Order | undefined> {
  const { id } = seen;
  const stage = stageOf(seen.status);
  try {
    const order = await advance(seen, to);
    if (order === undefined) {
      notify(t("{number} was changed on another screen.", { number: id }), stage);
      return undefined;
    }
    set(withOrders(state(), takeOrder(state().orders, order), Date.now()));
    // It may have been moved again since: an undo starts where we left it.
    const undo = async (): Promise<unknown> =>
      moveOrder(await moves.get(id)?.done ?? order, seen.status, true);
    notify(movedText(id, order.status), stage, isUndo ? undefined : undo);
    return order;
  } catch (fault) {
    notify(`${id}: ${explain(fault)}`, stage);
    return undefined;
  }
}

/** Undefined: it was changed elsewhere, and an event brings the newer state. */
async function advance(seen: Order, to: Status): Promise<Order | undefined> {
  const path = orderPath(seen.id);
  // Lists and events have no ETag: it is fetched, with the state that it belongs to.
  const { data, etag } = await read<Order>(path);
  if (data.updatedAt !== seen.updatedAt) return undefined;
  try {
    const { data: { status, updatedAt } } = await write<Order>("PATCH", path, { status: to }, etag);
    // Answers have no names.
    return { ...seen, status, updatedAt };
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return undefined;
  }
}

function movedText(number: string, status: Status): string {
  switch (status) {
    case "Pending": return t("{number} is pending again", { number });
    case "Preparing": return t("{number} started", { number });
    case "Ready": return t("{number} ready", { number });
    case "Out for Delivery": return t("{number} sent out", { number });
    case "Delivered": return t("{number} delivered", { number });
    default: return t("{number} cancelled", { number });
  }
}
