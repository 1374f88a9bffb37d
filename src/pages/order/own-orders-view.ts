/** The own orders of the day as elements: a row each, with how far they are. */

import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { addressOf } from "./address.ts";
import { ownWholeOrders, type OwnOrder } from "./own-orders.ts";
import type { State } from "./state.ts";
import { momentText } from "./text-views.ts";
import { progressText } from "./tracker.ts";

export function ownOrdersView(state: State): Child {
  const { ownOrders } = state;
  return ownOrders.length > 0 && h("nav", {
    key: "own-orders", class: "own-orders", "aria-labelledby": "own-orders",
  },
    h("h2", { id: "own-orders" }, t("Your orders today")),
    h("ul", { class: "panel rows" }, ...ownOrders.map((ownOrder) => ownOrderRow(ownOrder, state))));
}

/** Without a word where the shop does not show them to this sign-in, or has removed them. */
function ownOrderRow(ownOrder: OwnOrder, state: State): View {
  const { group, placedAt, seen } = ownOrder;
  const [whole] = ownWholeOrders([ownOrder], state.orders);
  const pizzas = [...new Set(seen.map(({ pizza, pizzaSize }) => pizza || pizzaSize.name))];
  return h("li", { key: group, "aria-live": "polite", "aria-atomic": "true" },
    h("a", { class: "wrap", href: addressOf(group) },
      h("bdi", { class: "display" }, group),
      h("span", { class: classes("progress", whole?.stage === "ready" && "leafy strong") },
        whole === undefined ? "" : progressText(whole),
        pizzas.length > 0 && h("span", { class: "soft small" }, pizzas.join(", "))),
      h("span", { class: "soft" }, momentText(placedAt)), icon("next")));
}
