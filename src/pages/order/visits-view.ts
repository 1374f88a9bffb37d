/** The visits of the day as elements: a row each, with how far its orders are. */

import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { addressOf } from "./address.ts";
import type { State } from "./state.ts";
import { momentText } from "./text-views.ts";
import { progressText } from "./tracker.ts";
import { ordersOfVisits, type Visit } from "./visits.ts";

export function visitsView(state: State): Child {
  const { visits } = state;
  return visits.length > 0 && h("nav", {
    key: "visits", class: "visits", "aria-labelledby": "visits",
  },
    h("h2", { id: "visits" }, t("Your orders today")),
    h("ul", { class: "card rows" }, ...visits.map((visit) => visitRow(visit, state))));
}

/** Without a word where the shop does not show them to this sign-in, or has removed them. */
function visitRow(visit: Visit, state: State): View {
  const { group, placedAt, seen } = visit;
  const [whole] = ordersOfVisits([visit], state.orders);
  const pizzas = [...new Set(seen.map(({ pizza, pizzaSize }) => pizza || pizzaSize.name))];
  return h("li", { key: group, "aria-live": "polite", "aria-atomic": "true" },
    h("a", { class: "wrap", href: addressOf(group) },
      h("bdi", { class: "display" }, group),
      h("span", { class: classes("progress", whole?.stage === "ready" && "leafy strong") },
        whole === undefined ? "" : progressText(whole),
        pizzas.length > 0 && h("span", { class: "soft small" }, pizzas.join(", "))),
      h("span", { class: "soft" }, momentText(placedAt)), icon("next")));
}
