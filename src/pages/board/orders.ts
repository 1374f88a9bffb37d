/**
 * The open orders as the board keeps them: in which stage each is and since when, how late it is,
 * and which were placed together. Pure values: an older state never replaces a newer one.
 */

import type { Change } from "../shared/stream.ts";
import type { Order, Status } from "../shared/types.ts";

export const stages = ["Pending", "Preparing", "Ready", "Out for Delivery"] as const;

export type Stage = (typeof stages)[number];

export interface OpenOrder {
  readonly order: Order;
  readonly stage: Stage;
  /** When it came into its stage, RFC 3339. The API tells the last change, mostly that one. */
  readonly since: string;
  /** Its stage before, for an undo. */
  readonly before: { readonly status: Status; readonly since: string } | undefined;
}

export type OpenOrders = ReadonlyMap<string, OpenOrder>;

/** Minutes in a stage until an order is late. */
export type Limits = Readonly<Record<Stage, number>>;

/** 0: in time. 1, 2, 3: past the limit, 1.5 times the limit, twice the limit. */
export type Lateness = 0 | 1 | 2 | 3;

/** An order that is back within an undo's ten seconds and its write keeps its age. */
const undoneWithinMs = 15_000;

/** How long an order is called new. */
const newForMs = 2 * 60_000;

export function stageOf(status: Status): Stage | undefined {
  return stages.find((stage) => stage === status);
}

/** All orders as the service lists them; what is known about the same stage of one stays. */
export function openOrdersOf(list: readonly Order[], known: OpenOrders): OpenOrders {
  return new Map(list.flatMap((order) => {
    const one = openOrderOf(order, known.get(order.id));
    return one === undefined ? [] : [[order.id, one] as const];
  }));
}

export function changeOrders(orders: OpenOrders, { event, data }: Change): OpenOrders {
  if (!event.startsWith("orders.")) return orders;
  const order = data as Order;
  return event === "orders.deleted" ? without(orders, order.id) : takeOrder(orders, order);
}

/** An order as an event tells it, or as a write has left it. */
export function takeOrder(orders: OpenOrders, order: Order): OpenOrders {
  const known = orders.get(order.id);
  if (known !== undefined && order.updatedAt < known.order.updatedAt) return orders;
  const one = openOrderOf(order, known);
  return one === undefined ? without(orders, order.id) : new Map([...orders, [order.id, one]]);
}

function without(orders: OpenOrders, id: string): OpenOrders {
  if (!orders.has(id)) return orders;
  const rest = new Map(orders);
  rest.delete(id);
  return rest;
}

function openOrderOf(order: Order, known: OpenOrder | undefined): OpenOrder | undefined {
  const stage = stageOf(order.status);
  if (stage === undefined) return undefined;
  if (known === undefined) return { order, stage, since: order.updatedAt, before: undefined };
  if (known.stage === stage) return { ...known, order };
  const isUndone = known.before?.status === stage
    && Date.parse(order.updatedAt) - Date.parse(known.since) < undoneWithinMs;
  const since = isUndone ? known.before.since : order.updatedAt;
  return { order, stage, since, before: { status: known.stage, since: known.since } };
}

/** A column's orders: what came into the stage last is last, so nothing above it moves. */
export function inStage(orders: OpenOrders, stage: Stage): readonly OpenOrder[] {
  return [...orders.values()].filter((one) => one.stage === stage)
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

export function placeOf({ since, order }: OpenOrder): string {
  return `${since} ${order.id}`;
}

export function ageMs({ since }: OpenOrder, now: number): number {
  return Math.max(0, now - Date.parse(since));
}

export function latenessOf(one: OpenOrder, limits: Limits, now: number): Lateness {
  const share = ageMs(one, now) / (limits[one.stage] * 60_000);
  return share >= 2 ? 3 : share >= 1.5 ? 2 : share >= 1 ? 1 : 0;
}

/** Just placed, and not yet accepted. One that was taken back to Pending is not. */
export function isNew(one: OpenOrder, now: number): boolean {
  const { stage, since, order } = one;
  return stage === "Pending" && since === order.placedAt && ageMs(one, now) < newForMs;
}

/** "K7QX3M-2" is the second of those placed together: ids as the order page makes them. */
const ofSeveral = /^(.*[0-9A-HJKMNP-TV-Z]{6})-([1-9]\d?)$/;

export interface Part {
  /** The part that their ids have in common. */
  readonly first: string;
  readonly number: number;
}

export function partOf(id: string): Part | undefined {
  const [, first, number] = ofSeveral.exec(id) ?? [];
  return first === undefined ? undefined : { first, number: Number(number) };
}

/** How many were placed together, by the part that their ids have in common. */
export type Groups = ReadonlyMap<string, number>;

/** The groups after these orders were seen: closed ones count too. */
export function groupsWith(groups: Groups, orders: readonly { readonly id: string }[]): Groups {
  const all = new Map(groups);
  for (const { id } of orders) {
    const part = partOf(id);
    if (part) all.set(part.first, Math.max(part.number, all.get(part.first) ?? 0));
  }
  return all;
}

/** The base of nearly every pizza, told in one line: a cook looks for the rest. */
const baseNames = new RegExp("^(tomato sauce|(salsa (di|de) |passata di )?(pomodoro|tomate)"
  + "|tomatens(auce|oße)|sauce tomate|صلصة (ال)?طماطم|mozzarella|موزاريلا|موتزاريلا)$", "i");

export function isBase(name: string): boolean {
  return baseNames.test(name.trim());
}
