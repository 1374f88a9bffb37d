/** All that depends on an order's status, in one table: a new status needs a row here. */

import { isOpen, statusFacts } from "../shared/orders.ts";
import type { Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";

interface StatusRow {
  readonly name: string;
  /** The status before; for a closed order where it is reopened. */
  readonly back: Status;
  /** The line about an order that came here. */
  readonly movedText: (name: string) => string;
}

export const statuses: Readonly<Record<Status, StatusRow>> = {
  Pending: {
    name: t("New"),
    back: "Pending",
    movedText: (name) => t("{number} is new again", { number: name }),
  },
  Preparing: {
    name: t("Preparing"),
    back: "Pending",
    movedText: (name) => t("{number} started", { number: name }),
  },
  Ready: {
    name: t("Ready"),
    back: "Preparing",
    movedText: (name) => t("{number} ready", { number: name }),
  },
  "Out for Delivery": {
    name: t("Out for Delivery"),
    back: "Ready",
    movedText: (name) => t("{number} sent out", { number: name }),
  },
  Delivered: {
    name: t("Delivered"),
    back: "Ready",
    movedText: (name) => t("{number} delivered", { number: name }),
  },
  Cancelled: {
    name: t("Cancelled"),
    back: "Pending",
    movedText: (name) => t("{number} cancelled", { number: name }),
  },
};

/** The pizza counts among those to make, and its sold-out items still matter. */
export function isToMake(order: { readonly status: Status }): boolean {
  return isOpen(order) && !statusFacts[order.status].isReady;
}

export const openStatuses: readonly Status[] =
  (Object.keys(statuses) as Status[]).filter((status) => isOpen({ status }));
