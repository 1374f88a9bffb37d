/** The visits of the day as elements: a row each, with how far its orders are. */

import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { claims } from "../shared/session.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { showAllVisits } from "./actions.ts";
import { momentText } from "./parts.ts";
import { addressOf, type State } from "./state.ts";
import { progressOf, stageName } from "./tracker.ts";
import type { Visit } from "./visits.ts";

/** More are shown when they are asked for. */
const visitsAtFirst = 3;

export function visitsView(state: State): Child {
  const { visits, areAllVisitsShown } = state;
  const shown = areAllVisitsShown ? visits : visits.slice(0, visitsAtFirst);
  return visits.length > 0 && h("nav", {
    key: "visits", class: "visits", "aria-labelledby": "visits",
  },
    h("h2", { id: "visits" }, t("Your orders today")),
    h("ul", { class: "card rows" },
      ...shown.map((visit) => visitRow(visit, state)),
      shown.length < visits.length && h("li", { key: "all" },
        h("button", { class: "plain", onclick: showAllVisits },
          t("All {count} today", { count: visits.length })))));
}

function visitRow(visit: Visit, state: State): View {
  const { group, placedAt } = visit;
  const orders = visit.ordered.flatMap(({ id }) => state.orders.get(id) ?? []);
  const isReady = progressOf(orders).least === "Ready";
  return h("li", { key: group, "aria-live": "polite", "aria-atomic": "true" },
    h("a", { href: addressOf(group) },
      h("bdi", { class: "display" }, group),
      h("span", { class: classes("stage", isReady && "ready") }, stageOf(visit, orders, state)),
      h("span", { class: "soft" }, momentText(placedAt)), icon("next")));
}

function stageOf({ by }: Visit, orders: readonly Order[], state: State): string {
  if (orders.length === 0) {
    const isRemoved = state.isAnswered && !state.isRefused && by === claims()?.sub;
    return isRemoved ? t("Removed") : "";
  }
  const { count: number, total, least } = progressOf(orders);
  if (number > 0 && number < total) return t("{number} of {total} ready", { number, total });
  return stageName(least, orders.some(({ table }) => table !== undefined));
}
