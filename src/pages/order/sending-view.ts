/** The orders under way as elements: each pizza, and whether it is placed. */

import { pictureOf } from "../drawing/pizza.ts";
import { classes, h, icon, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { ordersOf } from "./basket-orders.ts";
import { stop } from "./placing.ts";
import { pizzaCount, placedOf, type State } from "./state.ts";

/**
 * The button that stops the rest is above the pizzas, far from the place of the order's button, so
 * a second tap there hits nothing.
 */
export function sendingView(state: State): View {
  const [number, total] = [placedOf(state).length, pizzaCount(state)];
  return h("aside", { key: "sending", class: "order sending", "aria-labelledby": "order" },
    h("h2", { id: "order", tabindex: -1 }, t("{number} of {total} placed", { number, total })),
    meter(number, total),
    holdUpView(state),
    h("ol", { key: "rows", class: "rows" }, ...rows(state)),
    h("p", { key: "foot", class: "foot soft" },
      state.isOffline ? t("It goes on by itself once you’re online.") : t("Keep this page open.")));
}

function meter(number: number, total: number): View {
  return h("div", { key: "meter", class: "meter", "aria-hidden": "true" },
    ...Array.from({ length: total }, (_, index) =>
      h("span", { key: index, class: classes(index < number && "done") })));
}

function holdUpView(state: State): View {
  const holdUp = state.isOffline ? t("You’re offline.") : state.holdUp;
  const count = state.basket.pizzas.length;
  return h("div", { key: "hold-up", class: classes("hold-up", holdUp !== "" && "waits") },
    h("p", { role: "status" }, holdUp || t("Sending your order to the shop.")),
    h("button", { id: "stop", onclick: stop },
      placedOf(state).length === 0 ? t("Don’t send")
        : t("Keep the other {count} for later", { count })));
}

function rows(state: State): readonly View[] {
  const placed = placedOf(state);
  return [...placed, ...ordersOf(state)].map((order, index) =>
    h("li", { key: order.id },
      pictureOf(order),
      h("span", {},
        h("span", {}, h("bdi", {}, order.pizza || t("Pizza"))),
        h("span", { class: "soft small" }, order.pizzaSize.name)),
      progress(index - placed.length, state.isOffline)));
}

/** `index`: in the queue of those that are not placed. */
function progress(index: number, isOffline: boolean): View {
  if (index < 0) return h("strong", { class: "placed" }, icon("check"), t("Placed"));
  if (index > 0) return h("span", { class: "soft" }, t("Waiting"));
  return h("strong", {}, isOffline ? t("No answer yet") : t("Sending"));
}
