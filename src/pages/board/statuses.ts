/** All that depends on an order's status, in one table: a new status needs a row here. */

import { statusFacts } from "../shared/orders.ts";
import type { Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";

/** A button that moves orders on. */
export interface Move {
  readonly to: Status;
  readonly label: string;
  /** The same for two and more orders at once. */
  readonly labelForAll: (count: number) => string;
}

const start: Move = {
  to: "Preparing",
  label: t("Start"),
  labelForAll: (count) => count === 2 ? t("Start both") : t("Start all {count}", { count }),
};

const ready: Move = {
  to: "Ready",
  label: t("Ready"),
  labelForAll: (count) => count === 2 ? t("Both ready") : t("All {count} ready", { count }),
};

const sendOut: Move = {
  to: "Out for Delivery",
  label: t("Send out"),
  labelForAll: (count) => count === 2 ? t("Send out both") : t("Send out all {count}", { count }),
};

const pickedUp: Move = {
  to: "Delivered", label: t("Picked up"), labelForAll: () => t("Picked up"),
};

const served: Move = { to: "Delivered", label: t("Served"), labelForAll: () => t("Served") };

const delivered: Move = {
  to: "Delivered",
  label: t("Delivered"),
  labelForAll: (count) => count === 2 ? t("Both delivered") : t("All {count} delivered", { count }),
};

interface StatusRow {
  readonly name: string;
  /** Minutes in this status until an order is late. */
  readonly lateAfterMinutes: number;
  /** Nobody has accepted it yet: it is new, counted in amber, and rings. */
  readonly isWaiting: boolean;
  /** The buttons on the card. The first is the usual one. */
  readonly onCard: readonly Move[];
  /** The same for orders with a table. */
  readonly atTable: readonly Move[];
  /** Further moves, in the dialog of `⋯`. */
  readonly inDialog: readonly Move[];
  /** The status before; for a closed order where it is reopened. */
  readonly back: Status;
  /** Each row of equal pizzas has a button, since a cook finishes one after the other. */
  readonly isOneByOne: boolean;
  /** A group goes on only once all of it has come here. */
  readonly needsAll: boolean;
  /** The notice about an order that came here. */
  readonly movedText: (name: string) => string;
}

/** The facts that most statuses share. */
const usual = {
  isWaiting: false, onCard: [], atTable: [], inDialog: [], isOneByOne: false, needsAll: false,
} satisfies Partial<StatusRow>;

export const statuses: Readonly<Record<Status, StatusRow>> = {
  Pending: {
    ...usual,
    name: t("Pending"),
    lateAfterMinutes: 5,
    isWaiting: true,
    onCard: [start],
    atTable: [start],
    back: "Pending",
    movedText: (name) => t("{number} is pending again", { number: name }),
  },
  Preparing: {
    ...usual,
    name: t("Preparing"),
    lateAfterMinutes: 15,
    onCard: [ready],
    atTable: [ready],
    inDialog: [sendOut],
    back: "Pending",
    isOneByOne: true,
    movedText: (name) => t("{number} started", { number: name }),
  },
  Ready: {
    ...usual,
    name: t("Ready"),
    lateAfterMinutes: 10,
    onCard: [pickedUp, sendOut],
    atTable: [served],
    inDialog: [sendOut],
    back: "Preparing",
    needsAll: true,
    movedText: (name) => t("{number} ready", { number: name }),
  },
  "Out for Delivery": {
    ...usual,
    name: t("Out for Delivery"),
    lateAfterMinutes: 40,
    onCard: [delivered],
    atTable: [delivered],
    back: "Ready",
    movedText: (name) => t("{number} sent out", { number: name }),
  },
  Delivered: {
    ...usual,
    name: t("Delivered"),
    lateAfterMinutes: Infinity,
    back: "Ready",
    movedText: (name) => t("{number} delivered", { number: name }),
  },
  Cancelled: {
    ...usual,
    name: t("Cancelled"),
    lateAfterMinutes: Infinity,
    back: "Pending",
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

/** The columns of the board, in the order of the life cycle. */
export const openStatuses: readonly Status[] =
  (Object.keys(statuses) as Status[]).filter((status) => statusFacts[status].isOpen);
