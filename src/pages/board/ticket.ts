/** Printed tickets: 80 mm wide, black on white, one for each order. */

import { h, unseen } from "../shared/dom.ts";
import type { View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import { dayText, t, timeText } from "../shared/words.ts";
import type { OpenOrder } from "./orders.ts";
import { groupText } from "./orders-tab.ts";
import type { State } from "./state.ts";

export function tickets(state: State): View {
  return h("div", { key: "tickets", class: "tickets", "aria-hidden": "true" },
    ...state.printing.map((one, index) => ticket(state, one, index)));
}

function ticket(state: State, { order }: OpenOrder, index: number): View {
  const placed = new Date(order.placedAt);
  const lines = [[order.pizzaSize], order.toppings, order.beverages].map(tally);
  const group = groupText(state, order.id);
  return h("article", { key: order.id, class: "ticket", style: { page: `ticket-${index}` } },
    h("h3", {}, unseen(t("Order")), " ", h("bdi", {}, order.id)),
    h("p", {}, t("{day}, {time}", { day: dayText(placed), time: timeText(placed) }),
      group !== "" && h("b", {}, group)),
    ...lines.map((part, at) => h("ul", { key: String(at) }, ...part.map(({ id, text, count }) =>
      h("li", { key: id, class: count > 1 || at === 0 ? "strong" : "" }, h("bdi", {}, text))))));
}
