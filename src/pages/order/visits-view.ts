/** The visits of the day as elements: a row each, with how far its orders are. */

import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { addressOf } from "./address.ts";
import type { State } from "./state.ts";
import { momentText } from "./text-views.ts";
import { progressOf, statusName } from "./tracker.ts";
import type { Visit } from "./visits.ts";

export function visitsView(state: State): Child {
  const { visits } = state;
  return visits.length > 0 && h("nav", {
    key: "visits", class: "visits", "aria-labelledby": "visits",
  },
    h("h2", { id: "visits" }, t("Your orders today")),
    h("ul", { class: "card rows" }, ...visits.map((visit) => visitRow(visit, state))));
}

function visitRow(visit: Visit, state: State): View {
  const { group, placedAt } = visit;
  const orders = [...state.orders.values()].filter((order) => order.group === group);
  const isReady = progressOf(orders).least === "Ready";
  return h("li", { key: group, "aria-live": "polite", "aria-atomic": "true" },
    h("a", { href: addressOf(group) },
      h("bdi", { class: "display" }, group),
      h("span", { class: classes("progress", isReady && "ready") }, progressText(orders)),
      h("span", { class: "soft" }, momentText(placedAt)), icon("next")));
}

/** "": the shop does not show them to this sign-in, or has removed them. */
function progressText(orders: readonly Order[]): string {
  if (orders.length === 0) return "";
  const { count, total, least } = progressOf(orders);
  if (count > 0 && count < total) {
    return t("{count} of {total} pizzas are ready.", { count, total });
  }
  return statusName(least, orders.some(({ table }) => table !== undefined));
}
