/**
 * Orders that other devices have cancelled or changed, saved on this one. The news stay until
 * somebody has seen them, also after a reload.
 */

import { save, saved } from "../shared/storage.ts";
import type { Order } from "../shared/types.ts";
import { type Known, type Mark, stageOf } from "./orders.ts";

interface News {
  readonly type: "cancelled" | "changed";
  /** As the card shows it, or as it was before the change. */
  readonly order: Order;
  /** When it was cancelled. */
  readonly at: string;
}

/** The form of what is stored: a page draws each of these members. */
const storedItem = { id: "", name: "" };
const example: readonly News[] = [{
  type: "changed", at: "",
  order: {
    id: "", pizzaSize: storedItem, toppings: [storedItem], beverages: [storedItem],
    status: "Pending", placedAt: "", updatedAt: "", statusSince: "",
  },
}];

export function savedNews(): Known["marks"] {
  const all = (saved("news", example) ?? []).filter(isRight);
  return new Map(all.map(({ type, order, at }) =>
    [order.id, type === "cancelled" ? { type, shown: order, at } : { type, before: order }]));
}

function isRight({ type, at, order }: News): boolean {
  const { status, note = "", placedAt, updatedAt, statusSince } = order;
  return (type === "cancelled" || type === "changed") && stageOf(status) !== undefined
    && typeof note === "string"
    && [at, placedAt, updatedAt, statusSince].every((time) => Number.isFinite(Date.parse(time)));
}

const onDevice: { marks: Known["marks"] | undefined } = { marks: undefined };

/** Called after each draw. */
export function saveNews(marks: Known["marks"]): void {
  if (marks === onDevice.marks) return;
  onDevice.marks = marks;
  save("news", [...marks.values()].flatMap(newsOf));
}

function newsOf(mark: Mark): readonly News[] {
  if (mark.type === "cancelled") return [{ type: mark.type, order: mark.shown, at: mark.at }];
  if (mark.type !== "changed") return [];
  return [{ type: mark.type, order: mark.before, at: mark.before.updatedAt }];
}
