/**
 * Writes: an order to another status, an item, the shop. Each is bound to the state that its press
 * was aimed at (If-Match): of two tablets the slower changes nothing and sees the newer state. A
 * notice says what was done, with a way to undo it for ten seconds.
 */

import { explain, isRefusal, orderPath, read, write } from "../shared/api.ts";
import { isSoldOut } from "../shared/menu.ts";
import type { MenuItem } from "../shared/menu.ts";
import type { MenuKind, Order, Shop, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { stageOf, takeOrder } from "./orders.ts";
import type { Stage } from "./orders.ts";
import { withNotice, withOrders } from "./state.ts";
import { set, state } from "./store.ts";

type Undo = () => Promise<unknown>;

/** How long an undo is there. */
const shownForMs = 10_000;

const counter = { notices: 0 };

/** Shown for ten seconds. */
export function notify(text: string, stage?: Stage, undo?: Undo): void {
  const key = counter.notices += 1;
  set({ notices: withNotice(state(), { key, text, stage, undo }) });
  setTimeout(() => { dropNotice(key); }, shownForMs);
}

export function dropNotice(key: number): void {
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
  const hasMoved = await moving.latest;
  // Where that move failed there is nothing to undo, least of all the one before it.
  if (hasMoved === false) return;
  const added = state().notices.filter((one) => !known.includes(one));
  const { key } = (hasMoved ? added : state().notices).findLast(({ undo }) => undo) ?? {};
  if (key !== undefined) await undoNotice(key);
}

interface Move {
  /** `updatedAt` of the order that the press was aimed at. */
  readonly seen: string;
  /** Whether anything was written. */
  readonly done: Promise<boolean>;
}

/** By order, the latest move under way; `latest` of them all that is no undo. */
const moving: { readonly orders: Map<string, Move>; latest: Promise<boolean> | undefined } = {
  orders: new Map(), latest: undefined,
};
/** Orders as this board left them, while that can be undone: a second undo starts there. */
const leftByUs = new Map<string, Order>();

/**
 * A second press on the same state does nothing; one on what a move has made of the order waits
 * until that move is over.
 */
export function moveOrder(seen: Order, to: Status, isUndo = false): Promise<boolean> {
  const { id, updatedAt } = seen;
  const before = moving.orders.get(id);
  if (before?.seen === updatedAt) return before.done;
  const done = Promise.resolve(before?.done).then(() => carryOut(seen, to, isUndo))
    .finally(() => {
      if (moving.orders.get(id)?.done === done) moving.orders.delete(id);
      if (moving.latest === done) moving.latest = undefined;
    });
  moving.orders.set(id, { seen: updatedAt, done });
  if (!isUndo) moving.latest = done;
  return done;
}

async function carryOut(seen: Order, to: Status, isUndo: boolean): Promise<boolean> {
  const { id } = seen;
  const stage = stageOf(seen.status);
  try {
    const { order, isWritten } = await advance(seen, to);
    set(withOrders(state(), takeOrder(state().orders, order), Date.now()));
    if (!isWritten) {
      notify(t("{number} was changed on another screen.", { number: id }), stage);
      return false;
    }
    leftByUs.set(id, order);
    setTimeout(() => { if (leftByUs.get(id) === order) leftByUs.delete(id); }, shownForMs);
    const undo: Undo = async () => {
      while (moving.orders.has(id)) await moving.orders.get(id)?.done;
      await moveOrder(leftByUs.get(id) ?? order, seen.status, true);
    };
    notify(movedText(id, order.status), stage, isUndo ? undefined : undo);
    return true;
  } catch (fault) {
    notify(`${id}: ${explain(fault)}`, stage);
    return false;
  }
}

/** The order as it is stored now, and whether we made it so. */
async function advance(
  seen: Order, to: Status,
): Promise<{ readonly order: Order; readonly isWritten: boolean }> {
  const path = orderPath(seen.id);
  // Lists and events have no ETag: it is fetched, with the state that it belongs to.
  const { data, etag } = await read<Order>(path);
  if (data.updatedAt !== seen.updatedAt) return { order: data, isWritten: false };
  try {
    const answer = await write<Order>("PATCH", path, { status: to }, etag);
    return { order: answer.data, isWritten: true };
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return { order: (await read<Order>(path)).data, isWritten: false };
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

const shopWrites: { last: Promise<unknown> } = { last: Promise.resolve() };

/** What `change` makes of the shop as it is then; one change after the other. */
export function changeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const done = shopWrites.last.then(() => writeShop(change));
  shopWrites.last = done.catch(() => undefined);
  return done;
}

/** Again if another screen was faster, so both changes last. */
async function writeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const { data, etag } = await read<Shop>("api/shop");
  await write("PATCH", "api/shop", change(data), etag).catch((fault: unknown) => {
    if (!isRefusal(fault, 412)) throw fault;
    return writeShop(change);
  });
}

export function setSoldOut(kind: MenuKind, id: string, isOut: boolean): Promise<void> {
  return changeShop(({ soldOut: all }) => {
    const others = all[kind].filter((one) => one !== id);
    return { soldOut: { ...all, [kind]: isOut ? [...others, id] : others } };
  });
}

export function itemPath(kind: MenuKind, id: string): string {
  return `api/${kind}/${encodeURIComponent(id)}`;
}

/** Undone, an item comes back as it was, under the id by which orders know it. */
export async function removeItem(kind: MenuKind, id: string): Promise<void> {
  const { data, etag } = await read<MenuItem>(itemPath(kind, id));
  const wasSoldOut = isSoldOut(state().menu, kind, id);
  await write("DELETE", itemPath(kind, id), undefined, etag);
  const { name } = data;
  const bringBack = async (): Promise<void> => {
    await write("POST", `api/${kind}`, data);
    if (wasSoldOut) await setSoldOut(kind, id, true);
  };
  notify(t("{name} removed", { name }), undefined, () => tell(bringBack(), name));
}

/** The screen shows what was done once the service has it; this tells of a failure. */
export function tell(work: Promise<unknown>, about: string): Promise<unknown> {
  return work.catch((fault: unknown) => { notify(`${about}: ${explain(fault)}`); });
}
