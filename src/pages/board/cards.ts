/**
 * The cards of the columns. Orders that belong together share one in each column; it sorts by its
 * oldest. Pure values.
 */

import {
  equalPizzas, numberOf, orderTitle, shortNumber, statusFacts, together,
} from "../shared/orders.ts";
import type { Order, Status } from "../shared/types.ts";
import { type Guard, nextGuards } from "./guards.ts";
import { hasChanged, type Mark, type Orders, type OrderText } from "./marks.ts";
import { type Move, openStatuses, statuses } from "./statuses.ts";

export interface Card {
  /** The status, and what its orders have in common. */
  readonly key: string;
  readonly status: Status;
  /** "Table 7", or the number. */
  readonly title: string;
  /** Empty where the title is the number. */
  readonly number: string;
  /** Who has ordered. Empty where nobody said it, or where several did. */
  readonly name: string;
  readonly rows: readonly Row[];
  /** Undefined: an order alone. */
  readonly group: Group | undefined;
  /** When its oldest came into the status, RFC 3339. */
  readonly since: string;
  readonly placedAt: string;
}

/** Equal pizzas, which are made together. One that was cancelled elsewhere has a row of its own. */
export type Row = readonly [CardOrder, ...CardOrder[]];

export interface CardOrder {
  /** As the card shows it: see Mark. */
  readonly order: Order;
  readonly mark: Mark | undefined;
}

/** Orders that belong together, in all columns, without the cancelled ones. */
export interface Group {
  readonly count: number;
  readonly ready: number;
}

export type Columns = ReadonlyMap<Status, readonly Card[]>;

/** Minutes from an order to its pizza, until the whole is late. */
const lateInTotalAfterMinutes = 30;

/** How long an order is called new. */
const newForMs = 2 * 60_000;

export function columnsOf({ orders, marks }: Orders): Columns {
  const cards: Card[] = [];
  for (const [key, whole] of together(orders.values())) {
    const shown = whole.map((order): CardOrder => {
      const mark = marks.get(order.id);
      return { order: mark !== undefined && "shown" in mark ? mark.shown : order, mark };
    });
    for (const status of openStatuses) {
      const inColumn = shown.filter(({ order }) => order.status === status);
      if (inColumn.length > 0) cards.push(cardOf(`${status} ${key}`, inColumn, whole));
    }
  }
  // The newest of the status is last, so nothing above it moves.
  cards.sort((one, other) => `${one.since} ${one.key}` < `${other.since} ${other.key}` ? -1 : 1);
  return new Map(openStatuses.map((status) =>
    [status, cards.filter((card) => card.status === status)]));
}

function cardOf(key: string, inColumn: readonly CardOrder[], whole: readonly Order[]): Card {
  const [{ order }] = inColumn as [CardOrder];
  const kept = inColumn.filter(isKept);
  const counted = kept.length > 0 ? kept : inColumn;
  const oldest = (field: "statusSince" | "placedAt"): string =>
    counted.map((cardOrder) => cardOrder.order[field]).sort()[0] ?? "";
  const names = new Set(counted.map((cardOrder) => cardOrder.order.name ?? ""));
  const notCancelled = whole.filter(({ status }) => status !== "Cancelled");
  return {
    key, status: order.status, rows: rowsOf(inColumn),
    title: orderTitle(order),
    number: order.table === undefined ? "" : shortNumber(numberOf(order)),
    name: names.size === 1 ? order.name ?? "" : "",
    group: whole.length > 1 ? {
      count: notCancelled.length,
      ready: notCancelled.filter(({ status }) => statusFacts[status].isReady).length,
    } : undefined,
    since: oldest("statusSince"), placedAt: oldest("placedAt"),
  };
}

function rowsOf(inColumn: readonly CardOrder[]): readonly Row[] {
  const listOf = (cardOrders: readonly CardOrder[]): readonly Row[] =>
    equalPizzas(cardOrders.map(({ order }) => order)).map((equal) =>
      cardOrders.filter(({ order }) => equal.includes(order)) as [CardOrder, ...CardOrder[]]);
  const gone = inColumn.filter((cardOrder) => !isKept(cardOrder));
  return [...listOf(inColumn.filter(isKept)), ...listOf(gone)];
}

/** A guard for each card: see guards.ts. */
export function cardGuards(
  cards: readonly Card[], before: readonly Guard[] | undefined,
): readonly Guard[] {
  // An order on its way to the shop moves nothing until the shop has answered.
  return nextGuards(before, cards.map((card) => [
    card.key, notReadyCount(card), ...ordersOn(card).map(({ order: { id, updatedAt }, mark }) =>
      `${id} ${updatedAt} ${mark === undefined || mark.type === "sending" ? "" : mark.type}`),
  ].join()));
}

export function ordersOn({ rows }: Card): readonly CardOrder[] {
  return rows.flat();
}

/** False for what was cancelled elsewhere and is still shown. */
export function isKept({ mark }: CardOrder): boolean {
  return mark?.type !== "cancelled";
}

export function isSending({ mark }: CardOrder): boolean {
  return mark?.type === "sending";
}

/** Orders that a press can move. */
export function movableOrders(orders: readonly CardOrder[]): readonly Order[] {
  return orders.filter((cardOrder) => isKept(cardOrder) && !isSending(cardOrder))
    .map(({ order }) => order);
}

/** How many of a group are not ready yet, while this card waits for them. */
export function notReadyCount({ status, group }: Card): number {
  return statuses[status].needsAll && group !== undefined ? group.count - group.ready : 0;
}

/** Everything but a cook's work is done with all of a group at once. */
export function hasOneButton({ group, status }: Card): boolean {
  return group !== undefined && !statuses[status].isOneByOne;
}

/** The moves that have a button on the card. */
export function movesOn(card: Card): readonly Move[] {
  const { onCard, atTable } = statuses[card.status];
  return ordersOn(card).some(({ order }) => order.table !== undefined) ? atTable : onCard;
}

export function labelFor({ label, labelForAll }: Move, count: number): string {
  return count < 2 ? label : labelForAll(count);
}

export function isChanged(orders: readonly CardOrder[], field: OrderText | "pizza"): boolean {
  return orders.some(({ order, mark }) => hasChanged(order, mark, field));
}

export function ageMs(since: string, now: number): number {
  return Math.max(0, now - Date.parse(since));
}

export function isLateInTotal({ placedAt }: Card, now: number): boolean {
  return ageMs(placedAt, now) >= lateInTotalAfterMinutes * 60_000;
}

/** 0: in time. 1: past the limit of its status. 2: past one and a half times the limit. */
export function latenessOf(card: Card, now: number): 0 | 1 | 2 {
  if (!ordersOn(card).some(isKept)) return 0;
  const share = ageMs(card.since, now) / (statuses[card.status].lateAfterMinutes * 60_000);
  return share >= 1.5 ? 2 : share >= 1 ? 1 : 0;
}

/** Just placed, and not yet accepted. An order that was taken back is not. */
export function isNew(card: Card, now: number): boolean {
  return statuses[card.status].isWaiting && ageMs(card.since, now) < newForMs
    && ordersOn(card).every((cardOrder) =>
      isKept(cardOrder) && cardOrder.order.statusSince === cardOrder.order.placedAt);
}
