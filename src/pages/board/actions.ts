/** The ways on for an order from each stage, in words. */

import type { Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import type { Stage } from "./orders.ts";

export const statusNames: Readonly<Record<Status, string>> = {
  Pending: t("Pending"),
  Preparing: t("Preparing"),
  Ready: t("Ready"),
  "Out for Delivery": t("Out for Delivery"),
  Delivered: t("Delivered"),
  Cancelled: t("Cancelled"),
};

type Action = readonly [to: Status, label: string];

interface Actions {
  /** The first button. */
  readonly main: Action;
  /** The second button. */
  readonly other?: Action;
  /** In the bar alone. */
  readonly skip?: Action;
  /** The stage before. */
  readonly back?: Stage;
}

export const actions: Readonly<Record<Stage, Actions>> = {
  Pending: { main: ["Preparing", t("Start")] },
  Preparing: {
    main: ["Ready", t("Ready")], skip: ["Out for Delivery", t("Send out")], back: "Pending",
  },
  Ready: {
    main: ["Out for Delivery", t("Send out")], other: ["Delivered", t("Picked up")],
    back: "Preparing",
  },
  "Out for Delivery": { main: ["Delivered", t("Delivered")], back: "Ready" },
};

/** The main action of a group. */
export function labelForAll(stage: Stage, count: number): string {
  const [, label] = actions[stage].main;
  if (count < 2) return label;
  switch (stage) {
    case "Pending": return count === 2 ? t("Start both") : t("Start all {count}", { count });
    case "Ready": return count === 2 ? t("Send out both") : t("Send out all {count}", { count });
    default: return count === 2 ? t("Both delivered") : t("All {count} delivered", { count });
  }
}

/** The words of a notice about an action. */
export function movedText(number: string, to: Status): string {
  switch (to) {
    case "Pending": return t("{number} is pending again", { number });
    case "Preparing": return t("{number} started", { number });
    case "Ready": return t("{number} ready", { number });
    case "Out for Delivery": return t("{number} sent out", { number });
    case "Delivered": return t("{number} delivered", { number });
    default: return t("{number} cancelled", { number });
  }
}
