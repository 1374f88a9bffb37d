/**
 * The cards of the columns. Orders that were placed together share one in each column; it sorts by
 * its oldest. Pure values.
 */

import { tableOf } from "../shared/table.ts";
import type { Order, Status } from "../shared/types.ts";
import { actions } from "./actions.ts";
import {
  groupsOf, type Known, type Mark, seriesOf, type Stage, stageOf, stages,
} from "./orders.ts";

export interface Card {
  /** "Ready/K7QX3M". */
  readonly key: string;
  readonly stage: Stage;
  /** "Table 7", or the number. */
  readonly name: string;
  /** Empty where the name is the number. */
  readonly number: string;
  /** The note of orders placed together; what differs stands at the part. Empty for one alone. */
  readonly note: string;
  readonly parts: readonly Part[];
  /** Undefined: an order alone. */
  readonly group: Group | undefined;
  /** When its oldest came into the stage, RFC 3339. */
  readonly since: string;
  readonly placedAt: string;
}

export interface Part {
  /** As the card shows it: see Mark. */
  readonly order: Order;
  /** Which of those placed together. */
  readonly number: number;
  readonly mark: Mark | undefined;
}

/** Orders placed together, in all columns, without the cancelled ones. */
interface Group {
  readonly count: number;
  readonly ready: number;
}

type Columns = Readonly<Record<Stage, readonly Card[]>>;

/** Minutes in a stage until an order is late. */
const limits: Readonly<Record<Stage, number>> = {
  Pending: 5, Preparing: 15, Ready: 10, "Out for Delivery": 40,
};

/** Minutes from an order to its pizza, until the whole is late. */
const limitInAll = 30;

/** How long an order is called new. */
const newForMs = 2 * 60_000;

export function columnsOf(known: Known): Columns {
  const { orders, marks } = known;
  const groups = groupsOf(known);
  const cards = new Map<string, Part[]>();
  for (const id of new Set([...orders.keys(), ...marks.keys()])) {
    const mark = marks.get(id);
    const order = mark !== undefined && "shown" in mark ? mark.shown : orders.get(id);
    if (order === undefined || stageOf(order.status) === undefined) continue;
    const { first, number } = seriesOf(id);
    const key = `${order.status}/${first}`;
    cards.set(key, [...(cards.get(key) ?? []), { order, number, mark }]);
  }
  const all = [...cards].map(([key, parts]) => cardOf(key, parts, groups))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const columns = stages.map((stage) => [stage, all.filter((card) => card.stage === stage)]);
  return Object.fromEntries(columns) as Columns;
}

function cardOf(
  key: string, unsorted: readonly Part[], groups: ReturnType<typeof groupsOf>,
): Card {
  const parts = unsorted.toSorted((a, b) => a.number - b.number);
  const [{ order: { id, status } }] = parts as [Part];
  const isGroup = parts[0]?.number !== 0;
  const { first } = seriesOf(id);
  const table = tableOf(id);
  const told = parts.filter(isThere);
  const oldest = (field: "statusSince" | "placedAt"): string =>
    (told.length > 0 ? told : parts).map(({ order }) => order[field]).sort()[0] ?? "";
  const notes = parts.map(({ order: { note = "" } }) => note);
  const together = (groups.get(first) ?? []).filter((one) => one.status !== "Cancelled");
  return {
    key, stage: stageOf(status) ?? "Pending", parts,
    name: table !== "" ? table : isGroup ? first : id,
    number: table !== "" ? first.slice(-6) : "",
    note: isGroup && !notes.includes("") ? notes[0] ?? "" : "",
    group: isGroup ? {
      count: together.length, ready: together.filter((one) => isReady(one.status)).length,
    } : undefined,
    since: oldest("statusSince"), placedAt: oldest("placedAt"),
  };
}

/** The newest of the stage is last, so nothing above it moves. */
function placeOf({ since, key }: Card): string {
  return `${since} ${key}`;
}

function isReady(status: Status): boolean {
  return ["Ready", "Out for Delivery", "Delivered"].includes(status);
}

/** False for what was cancelled elsewhere and is still shown. */
export function isThere({ mark }: Part): boolean {
  return mark?.type !== "cancelled";
}

export function countIn(cards: readonly Card[]): number {
  return cards.reduce((sum, { parts }) => sum + parts.filter(isThere).length, 0);
}

/** Parts that a press can move. */
export function movable({ parts }: Card): readonly string[] {
  return parts.filter((part) => isThere(part) && part.mark?.type !== "sending")
    .map(({ order }) => order.id);
}

/** How many of those placed together are not ready yet, while this card waits for them. */
export function stillMade({ stage, group }: Card): number {
  return stage === "Ready" && group !== undefined ? group.count - group.ready : 0;
}

/** A cook finishes one pizza after the other; everything else is done with all at once. */
export function hasOneButton(card: Card): boolean {
  return card.group !== undefined && card.stage !== "Preparing";
}

/** Orders that the card's first button moves, and where to. */
export function mainMove(card: Card): readonly [ids: readonly string[], to: Status] {
  const ids = stillMade(card) > 0 ? [] : movable(card);
  return [hasOneButton(card) ? ids : ids.slice(0, 1), actions[card.stage].main[0]];
}

export function ageMs(since: string, now: number): number {
  return Math.max(0, now - Date.parse(since));
}

export function isOver({ placedAt }: Card, now: number): boolean {
  return ageMs(placedAt, now) >= limitInAll * 60_000;
}

/** 0: in time. 1, 2, 3: past the limit, 1.5 times the limit, twice the limit. */
export function latenessOf({ since, stage, parts }: Card, now: number): 0 | 1 | 2 | 3 {
  if (!parts.some(isThere)) return 0;
  const share = ageMs(since, now) / (limits[stage] * 60_000);
  return share >= 2 ? 3 : share >= 1.5 ? 2 : share >= 1 ? 1 : 0;
}

/** Just placed, and not yet accepted. An order that was taken back to Pending is not. */
export function isNew({ stage, parts, since }: Card, now: number): boolean {
  return stage === "Pending" && ageMs(since, now) < newForMs
    && parts.every((part) => isThere(part) && part.order.statusSince === part.order.placedAt);
}
