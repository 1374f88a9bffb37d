/**
 * The cards of the columns. Orders that belong together share one in each column; it sorts by its
 * oldest. Pure values.
 */

import {
  called, commonNote, numberOf, partOf, shortNumber, statusFacts, together, togetherKey,
} from "../shared/orders.ts";
import type { Order, Status } from "../shared/types.ts";
import type { Known, Mark } from "./marks.ts";
import { isOpen, stages, ways } from "./ways.ts";

export interface Card {
  /** The status, and what its orders have in common. */
  readonly key: string;
  readonly stage: Status;
  /** "Table 7", or the number. */
  readonly name: string;
  /** Empty where the name is the number. */
  readonly number: string;
  /** The note that all orders of the group have. Empty for an order alone. */
  readonly note: string;
  readonly parts: readonly Part[];
  /** Undefined: an order alone. */
  readonly group: Group | undefined;
  /** When its oldest came into the stage, RFC 3339. */
  readonly since: string;
  readonly placedAt: string;
  /** The card's content and place: all that it and the cards above it say. See `h`. */
  readonly guard: string;
}

export interface Part {
  /** As the card shows it: see Mark. */
  readonly order: Order;
  /** Which of the group, from 1; 0 for an order alone. */
  readonly number: number;
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

export function columnsOf({ orders, marks }: Known): Columns {
  const allTogether = together(orders.values());
  const partsOf = new Map<string, Part[]>();
  for (const [id, order] of orders) {
    const mark = marks.get(id);
    const shown = mark !== undefined && "shown" in mark ? mark.shown : order;
    if (!isOpen(shown)) continue;
    const number = partOf(order, allTogether.get(togetherKey(order)) ?? []);
    const key = `${shown.status} ${togetherKey(order)}`;
    partsOf.set(key, [...(partsOf.get(key) ?? []), { order: shown, number, mark }]);
  }
  const cards = [...partsOf].map(([key, parts]) =>
    cardOf(key, parts, allTogether.get(togetherKey(parts[0]?.order as Order)) ?? []));
  // The newest of the stage is last, so nothing above it moves.
  cards.sort((one, other) => `${one.since} ${one.key}` < `${other.since} ${other.key}` ? -1 : 1);
  return new Map(stages.map((stage) =>
    [stage, withGuards(cards.filter((card) => card.stage === stage))]));
}

function cardOf(key: string, unsorted: readonly Part[], whole: readonly Order[]): Card {
  const parts = unsorted.toSorted((one, other) => one.number - other.number);
  const [{ order, number: first }] = parts as [Part];
  const isGroup = first > 0;
  const kept = parts.filter(isKept);
  const oldest = (field: "statusSince" | "placedAt"): string =>
    (kept.length > 0 ? kept : parts).map((part) => part.order[field]).sort()[0] ?? "";
  const notCancelled = whole.filter(({ status }) => status !== "Cancelled");
  return {
    key, stage: order.status, parts,
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
    const parts = card.parts.map(({ order: { id, updatedAt }, mark }) =>
      `${id} ${updatedAt} ${mark === undefined || mark.type === "sending" ? "" : mark.type}`);
    guard = `${guard}\n${[card.key, ...parts, stillMade(card)].join()}`;
    return { ...card, guard };
  });
}

/** False for what was cancelled elsewhere and is still shown. */
export function isKept({ mark }: Part): boolean {
  return mark?.type !== "cancelled";
}

export function isSending({ mark }: Part): boolean {
  return mark?.type === "sending";
}

/** Parts that a press can move. */
export function movable({ parts }: Card): readonly Part[] {
  return parts.filter((part) => isKept(part) && !isSending(part));
}

/** How many of a group are not ready yet, while this card waits for them. */
export function stillMade({ stage, group }: Card): number {
  return ways[stage].needsAll && group !== undefined ? group.count - group.ready : 0;
}

/** Everything but a cook's work is done with all of a group at once. */
export function hasOneButton({ group, stage }: Card): boolean {
  return group !== undefined && !ways[stage].isOneByOne;
}

export function ageMs(since: string, now: number): number {
  return Math.max(0, now - Date.parse(since));
}

export function isOverInAll({ placedAt }: Card, now: number): boolean {
  return ageMs(placedAt, now) >= limitInAll * 60_000;
}

/** 0: in time. 1: past the limit of its stage. 2: past one and a half times the limit. */
export function latenessOf({ since, stage, parts }: Card, now: number): 0 | 1 | 2 {
  if (!parts.some(isKept)) return 0;
  const share = ageMs(since, now) / (ways[stage].lateAfterMinutes * 60_000);
  return share >= 1.5 ? 2 : share >= 1 ? 1 : 0;
}

/** Just placed, and not yet accepted. An order that was taken back is not. */
export function isNew({ stage, parts, since }: Card, now: number): boolean {
  return ways[stage].isWaiting && ageMs(since, now) < newForMs
    && parts.every((part) => isKept(part) && part.order.statusSince === part.order.placedAt);
}
