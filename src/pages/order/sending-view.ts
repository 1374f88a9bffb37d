/** The order under way as elements, and the one that is in doubt: its pizzas, and what happens. */

import { pictureOf } from "../drawing/pizza.ts";
import { type Child, classes, h, type View } from "../shared/dom.ts";
import type { Menu } from "../shared/menu.ts";
import { equalPizzas, type PizzaRow } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { t } from "../shared/words.ts";
import type { OrderBody } from "./basket.ts";
import { askShop, send, startOver, stop } from "./placing.ts";
import type { State } from "./state.ts";
import { counted, namesView, pizzaDetails } from "./text-views.ts";

/** No button lies near the place of the order's button, so a second tap there hits nothing. */
export function sendingView(state: State): View {
  return sentOrder(state, t("Your order"), sendingStatus(state), state.isOffline
    ? t("It goes on by itself once you’re online.")
    : state.delay ? t("It goes on by itself.") : t("Keep this page open."));
}

function sendingStatus({ isOffline, delay }: State): View {
  const text = isOffline ? t("You’re offline.") : delay;
  return h("div", {
    key: "status", class: classes("sending-status", text !== "" && "waits tint"),
  },
    h("p", { role: "status" }, text || t("Sending your order to the shop.")),
    h("button", { id: "stop", onclick: stop }, t("Don’t send")));
}

/** Stopped, or the page was loaded anew: nothing else is ordered until the shop has told. */
export function doubtView(state: State): View {
  const { message } = state;
  return sentOrder(state, t("Has your order arrived?"),
    h("div", { key: "status", class: "sending-status waits tint" },
      h("p", { role: "status", id: "message" },
        message || t("The shop has not answered. Sent again, it comes once.")),
      h("div", { class: "actions" },
        h("button", { class: "act", onclick: () => void send() }, t("Send again")),
        h("button", { onclick: () => void askShop() }, t("Ask the shop")))),
    h("button", { class: "plain link", onclick: () => void startOver() }, t("Start over")));
}

function sentOrder(state: State, title: string, middle: View, foot: Child): View {
  const { orders } = state.basket.sent;
  const drinks = orders.flatMap(({ beverages }) => beverages);
  return h("aside", { key: "sending", class: "order sending", "aria-labelledby": "order" },
    h("h2", { id: "order", tabindex: -1 }, title),
    middle,
    h("ul", { class: "rows" },
      ...equalPizzas(orders).map((row) => pizzaRow(state.menu, row)),
      drinks.length > 0
        && h("li", { class: "wrap" }, h("span", {}, ...namesView(drinks)))),
    h("p", { class: "sending-foot soft ruled" }, foot));
}

function pizzaRow(menu: Menu, row: PizzaRow<OrderBody>): View {
  const [order] = row;
  return h("li", { class: "wrap" }, pictureOf(order),
    h("div", {}, h("h3", {}, counted(row.length, pizzaTitle(order))),
      ...pizzaDetails(menu, order)));
}
