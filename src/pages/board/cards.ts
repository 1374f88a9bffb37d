/**
 * The cards of the columns. Orders that belong together share one in each column; it sorts by its
 * oldest. Pure values.
 */

import {
  called, commonNote, numberOf, partOf, shortNumber, statusFacts, together, togetherKey,
} from "../shared/orders.ts";
import type { Order, Status } from "../shared/types.ts";
import type { Orders, Mark } from "./marks.ts";
import { isOpen, openStatuses, statuses } from "./statuses.ts";

export interface Card {
  /** The status, and what its orders have in common. */
  readonly key: string;
  readonly status: Status;
  /** "Table 7", or the number. */
  readonly name: string;
  /** Empty where the name is the number. */
  readonly number: string;
  /** The note that all orders of the group have. Empty for an order alone. */
  readonly note: string;
  readonly cardOrders: readonly CardOrder[];
  /** Undefined: an order alone. */
  readonly group: Group | undefined;
  /** When its oldest came into the status, RFC 3339. */
  readonly since: string;
  readonly placedAt: string;
  /** The card's content and place: all that it and the cards above it say. See `h`. */
  readonly guard: string;
}

export interface CardOrder {
  /** As the card shows it: see Mark. */
  readonly order: Order;
  /** Which of the group, from 1; 0 for an order alone. */
  readonly index: number;
  readonly mark: Mark | undefined;
}

/** Orders that belong together, in all columns, without the cancelled ones. */
export interface Group {
  readonly count: number;
  readonly ready: number;
}

export type Columns = ReadonlyMap<Status, readonly Card[]>;

/** Minutes from an order to its pizza, until the whole is late. */
const limitInAll = 30;

/** How long an order is called new. */
const newForMs = 2 * 60_000;

export function columnsOf({ orders, marks }: Orders): Columns {
  const allTogether = together(orders.values());
  const ordersByKey = new Map<string, CardOrder[]>();
  for (const [id, order] of orders) {
    const mark = marks.get(id);
    const shown = mark !== undefined && "shown" in mark ? mark.shown : order;
    if (!isOpen(shown)) continue;
    const index = partOf(order, allTogether.get(togetherKey(order)) ?? []);
    const key = `${shown.status} ${togetherKey(order)}`;
    ordersByKey.set(key, [...(ordersByKey.get(key) ?? []), { order: shown, index, mark }]);
  }
  const cards = [...ordersByKey].map(([key, cardOrders]) =>
    cardOf(key, cardOrders, allTogether.get(togetherKey(cardOrders[0]?.order as Order)) ?? []));
  // The newest of the status is last, so nothing above it moves.
  cards.sort((one, other) => `${one.since} ${one.key}` < `${other.since} ${other.key}` ? -1 : 1);
  return new Map(openStatuses.map((status) =>
    [status, withGuards(cards.filter((card) => card.status === status))]));
}

function cardOf(key: string, unsorted: readonly CardOrder[], whole: readonly Order[]): Card {
  const cardOrders = unsorted.toSorted((one, other) => one.index - other.index);
  const [{ order, index: first }] = cardOrders as [CardOrder];
  const isGroup = first > 0;
  const kept = cardOrders.filter(isKept);
  const oldest = (field: "statusSince" | "placedAt"): string =>
    (kept.length > 0 ? kept : cardOrders).map(({ order: shown }) => shown[field]).sort()[0] ?? "";
  const notCancelled = whole.filter(({ status }) => status !== "Cancelled");
  return {
    key, status: order.status, cardOrders,
    name: called(order),
    number: order.table === undefined ? "" : shortNumber(numberOf(order)),
    note: isGroup ? commonNote(notCancelled) : "",
    group: isGroup ? {
      count: notCancelled.length,
      ready: notCancelled.filter(({ status }) => statusFacts[status].isReady).length,
    } : undefined,
    since: oldest("statusSince"), placedAt: oldest("placedAt"), guard: "",
  };
}

/** An order on its way to the shop moves nothing until the shop has answered. */
function withGuards(cards: readonly Card[]): readonly Card[] {
  let guard = "";
  return cards.map((card) => {
    const cardOrders = card.cardOrders.map(({ order: { id, updatedAt }, mark }) =>
      `${id} ${updatedAt} ${mark === undefined || mark.type === "sending" ? "" : mark.type}`);
    guard = `${guard}\n${[card.key, ...cardOrders, stillMade(card)].join()}`;
    return { ...card, guard };
  });
}

/** False for what was cancelled elsewhere and is still shown. */
export function isKept({ mark }: CardOrder): boolean {
  return mark?.type !== "cancelled";
}

export function isSending({ mark }: CardOrder): boolean {
  return mark?.type === "sending";
}

/** Parts that a press can move. */
export function movable({ cardOrders }: Card): readonly CardOrder[] {
  return cardOrders.filter((cardOrder) => isKept(cardOrder) && !isSending(cardOrder));
}

/** How many of a group are not ready yet, while this card waits for them. */
export function stillMade({ status, group }: Card): number {
  return statuses[status].needsAll && group !== undefined ? group.count - group.ready : 0;
}

/** Everything but a cook's work is done with all of a group at once. */
export function hasOneButton({ group, status }: Card): boolean {
  return group !== undefined && !statuses[status].isOneByOne;
}

export function ageMs(since: string, now: number): number {
  return Math.max(0, now - Date.parse(since));
}

export function isOverInAll({ placedAt }: Card, now: number): boolean {
  return ageMs(placedAt, now) >= limitInAll * 60_000;
}

/** 0: in time. 1: past the limit of its status. 2: past one and a half times the limit. */
export function latenessOf({ since, status, cardOrders }: Card, now: number): 0 | 1 | 2 {
  if (!cardOrders.some(isKept)) return 0;
  const share = ageMs(since, now) / (statuses[status].lateAfterMinutes * 60_000);
  return share >= 1.5 ? 2 : share >= 1 ? 1 : 0;
}

/** Just placed, and not yet accepted. An order that was taken back is not. */
export function isNew({ status, cardOrders, since }: Card, now: number): boolean {
  return statuses[status].isWaiting && ageMs(since, now) < newForMs
    && cardOrders.every((one) =>
      isKept(one) && one.order.statusSince === one.order.placedAt);
}
