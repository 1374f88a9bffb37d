/**
 * Orders as the pages read them (contract part 2). The pages are compiled apart from the server, so
 * its model is stated again here.
 */

import { t } from "./words.ts";

export const openStatuses = ["Pending", "Preparing", "Ready", "Out for Delivery"] as const;

export type Status = (typeof openStatuses)[number] | "Delivered" | "Cancelled";

/** As people call them. */
export const stages: Readonly<Record<Status, string>> = {
  Pending: t("Pending"),
  Preparing: t("Preparing"),
  Ready: t("Ready"),
  "Out for Delivery": t("Out for Delivery"),
  Delivered: t("Delivered"),
  Cancelled: t("Cancelled"),
};

/** `name` is there in answers to `?embed=names`: what the item was called when it was ordered. */
export interface Reference {
  readonly id: string;
  readonly name?: string;
}

export interface OrderContent {
  readonly id: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly status: Status;
}

export interface Order extends OrderContent {
  readonly placedAt: string;
  readonly updatedAt: string;
}

export interface Line {
  readonly id: string;
  readonly name: string;
  readonly count: number;
  /** "2× Mozzarella". */
  readonly text: string;
}

/** Size, toppings and drinks, in the order in which they are always told. */
export function parts({ pizzaSize, toppings, beverages }: OrderContent): (readonly Reference[])[] {
  return [[pizzaSize], toppings, beverages];
}

/** Each reference once, with how often it stands there, in order of first mention. */
export function tally(references: readonly Reference[]): Line[] {
  const names = new Map(references.map(({ id, name }) => [id, name ?? id]));
  return [...names].map(([id, name]) => {
    const count = references.filter((one) => one.id === id).length;
    const text = count > 1 ? t("{number}× {name}", { number: count, name }) : name;
    return { id, name, count, text };
  });
}

/** Whether both hold the same, in the same order; the status is left aside. */
export function holdsTheSame(one: OrderContent, other: OrderContent): boolean {
  const ids = (order: OrderContent) => JSON.stringify(parts(order).flatMap((part) =>
    [part.length, ...part.map(({ id }) => id)]));
  return ids(one) === ids(other);
}

export function orderPath(id: string): string {
  return `api/orders/${encodeURIComponent(id)}`;
}
