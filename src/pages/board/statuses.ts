/** All that depends on an order's status, in one table: a new status needs a row here. */

import { statusFacts } from "../shared/orders.ts";
import type { Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";

/** A way on, as its button says it. */
export interface Move {
  readonly to: Status;
  readonly label: string;
}

interface StatusRow {
  readonly name: string;
  /** Minutes in this status until an order is late. */
  readonly lateAfterMinutes: number;
  /** Nobody has accepted it yet: it is new, counted in amber, and rings. */
  readonly isWaiting: boolean;
  /** The buttons on the card. The first is the usual one. */
  readonly onCard: readonly Move[];
  /** Further ways, in the bar of `⋯`. */
  readonly inBar: readonly Move[];
  /** The status before; for a closed order where it is reopened. */
  readonly back: Status;
  /** A group has a button for each of its pizzas, since a cook finishes one after the other. */
  readonly isOneByOne: boolean;
  /** A group goes on only once all of it has come here. */
  readonly needsAll: boolean;
  /** The first button for `count` orders at once. */
  readonly labelForAll: (count: number) => string;
  /** The notice about an order that came here. */
  readonly movedText: (name: string) => string;
}

const [start, ready, sendOut, pickedUp, delivered]: readonly [Move, Move, Move, Move, Move] = [
  { to: "Preparing", label: t("Start") },
  { to: "Ready", label: t("Ready") },
  { to: "Out for Delivery", label: t("Send out") },
  { to: "Delivered", label: t("Picked up") },
  { to: "Delivered", label: t("Delivered") },
];

export const statuses: Readonly<Record<Status, StatusRow>> = {
  Pending: {
    name: t("Pending"),
    lateAfterMinutes: 5,
    isWaiting: true,
    onCard: [start],
    inBar: [],
    back: "Pending",
    isOneByOne: false,
    needsAll: false,
    labelForAll: (count) => count === 2 ? t("Start both") : t("Start all {count}", { count }),
    movedText: (name) => t("{number} is pending again", { number: name }),
  },
  Preparing: {
    name: t("Preparing"),
    lateAfterMinutes: 15,
    isWaiting: false,
    onCard: [ready],
    inBar: [sendOut],
    back: "Pending",
    isOneByOne: true,
    needsAll: false,
    labelForAll: () => ready.label,
    movedText: (name) => t("{number} started", { number: name }),
  },
  Ready: {
    name: t("Ready"),
    lateAfterMinutes: 10,
    isWaiting: false,
    onCard: [sendOut, pickedUp],
    inBar: [],
    back: "Preparing",
    isOneByOne: false,
    needsAll: true,
    labelForAll: (count) =>
      count === 2 ? t("Send out both") : t("Send out all {count}", { count }),
    movedText: (name) => t("{number} ready", { number: name }),
  },
  "Out for Delivery": {
    name: t("Out for Delivery"),
    lateAfterMinutes: 40,
    isWaiting: false,
    onCard: [delivered],
    inBar: [],
    back: "Ready",
    isOneByOne: false,
    needsAll: false,
    labelForAll: (count) =>
      count === 2 ? t("Both delivered") : t("All {count} delivered", { count }),
    movedText: (name) => t("{number} sent out", { number: name }),
  },
  Delivered: {
    name: t("Delivered"),
    lateAfterMinutes: Infinity,
    isWaiting: false,
    onCard: [],
    inBar: [],
    back: "Ready",
    isOneByOne: false,
    needsAll: false,
    labelForAll: () => "",
    movedText: (name) => t("{number} delivered", { number: name }),
  },
  Cancelled: {
    name: t("Cancelled"),
    lateAfterMinutes: Infinity,
    isWaiting: false,
    onCard: [],
    inBar: [],
    back: "Pending",
    isOneByOne: false,
    needsAll: false,
    labelForAll: () => "",
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
