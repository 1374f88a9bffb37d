/** All that depends on an order's status, in one table: a new status needs a row here. */

import { statusFacts } from "../shared/orders.ts";
import type { Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";

interface StatusRow {
  readonly name: string;
  /** The status before; for a closed order where it is reopened. */
  readonly back: Status;
  /** The button that brings this many pizzas here. */
  readonly moveText: (count: number) => string;
  /** The line about an order that came here. */
  readonly movedText: (name: string) => string;
}

export const statuses: Readonly<Record<Status, StatusRow>> = {
  Pending: {
    name: t("Pending"),
    back: "Pending",
    moveText: () => t("Take back"),
    movedText: (name) => t("{number} is pending again", { number: name }),
  },
  Preparing: {
    name: t("Preparing"),
    back: "Pending",
    moveText: () => t("Start"),
    movedText: (name) => t("{number} started", { number: name }),
  },
  Ready: {
    name: t("Ready"),
    back: "Preparing",
    moveText: (count) => t("All {count} ready", { count }),
    movedText: (name) => t("{number} ready", { number: name }),
  },
  "Out for Delivery": {
    name: t("Out for Delivery"),
    back: "Ready",
    moveText: () => t("Send out"),
    movedText: (name) => t("{number} sent out", { number: name }),
  },
  Delivered: {
    name: t("Delivered"),
    back: "Ready",
    moveText: () => t("Delivered"),
    movedText: (name) => t("{number} delivered", { number: name }),
  },
  Cancelled: {
    name: t("Cancelled"),
    back: "Pending",
    moveText: () => t("Cancel order"),
    movedText: (name) => t("{number} cancelled", { number: name }),
  },
};

export function isOpen({ status }: { readonly status: Status }): boolean {
  return statusFacts[status].isOpen;
}

/** It counts among what is to be made, and its sold-out items still matter. */
export function isToMake(order: { readonly status: Status }): boolean {
  return isOpen(order) && !statusFacts[order.status].isReady;
}

export const openStatuses: readonly Status[] =
  (Object.keys(statuses) as Status[]).filter((status) => statusFacts[status].isOpen);
