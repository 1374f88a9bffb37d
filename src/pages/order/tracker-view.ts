/**
 * Placed orders as elements: the number, one sentence, and the steps. Orders that were placed
 * together share a tracker, in which equal pizzas are one row.
 */

import { pictureOf } from "../drawing/pizza.ts";
import { refusedText } from "../shared/api.ts";
import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import type { Menu } from "../shared/menu.ts";
import { equalPizzas, shortNumber } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order, Status } from "../shared/types.ts";
import { comma, joined, t } from "../shared/words.ts";
import { addressOf } from "./address.ts";
import type { State } from "./state.ts";
import { counted, momentText, namesView, pizzaLines } from "./text-views.ts";
import {
  isAnyOpen, isForeign, newsOf, progressOf, statusName, stepsOf, type Tracker, trackersOf,
} from "./tracker.ts";

export function trackersView(state: State): readonly Child[] {
  const trackers = trackersOf(state);
  if (trackers.length === 0 && !state.isAddressKnown) {
    return [h("h1", { id: "title", tabindex: -1 }, t("Loading…"))];
  }
  return [
    state.message !== ""
      && h("p", { key: "message", class: "card notice", role: "status" }, state.message),
    h("div", { key: "trackers" },
      ...trackers.length > 0 ? trackers.map((tracker) => trackerView(tracker, state))
        : [notShown(state)]),
    h("p", { key: "else", class: "actions" },
      h("a", { class: classes("button", trackers.length === 0 && "act"), href: addressOf() },
        trackers.length > 0 ? t("Order something else") : t("Order a pizza"))),
  ];
}

/** Another person's order, or none, or only whoever is not accepted now may see it. */
function notShown(state: State): View {
  const { addressNumber, isDenied, refused } = state;
  if (isDenied && refused !== undefined) return frame(addressNumber, "over", sentence(refusedText));
  const [news, hint] = isForeign(state)
    ? [t("This phone can’t open this order."), t("Use the phone that placed it.")]
    : [t("We can’t find this order."), t("Check the number: it has six letters and digits.")];
  return frame(addressNumber, "over", sentence(news), h("p", { class: "soft" }, hint));
}

function trackerView(tracker: Tracker, { menu, isJustPlaced }: State): View {
  const { number, orders, table } = tracker;
  const rows = equalPizzas(orders);
  const isOver = orders.every(isCancelled);
  const names = [...new Set(orders.flatMap(({ name = [] }) => name))];
  const drinks = orders.flatMap(({ beverages }) => beverages);
  const [first = []] = rows;
  const [order] = first;
  return frame(number, isOver && "over",
    newsView(tracker, isJustPlaced),
    names.length > 0 && h("p", { key: "name", class: "who" },
      ...names.flatMap((name, index) => [index > 0 && comma, h("bdi", {}, name)])),
    isOver && h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    h("div", { class: "card rows" },
      ...rows.length === 1 && order !== undefined
        ? [stepsView(order, table !== ""), pizzaView(first, menu)]
        : rows.map((row) => pizzaView(row, menu, table !== "")),
      drinks.length > 0
        && h("p", { key: "drinks", class: "soft" }, t("Drinks:"), " ", ...namesView(drinks))),
    isAnyOpen(orders)
      && h("p", { key: "ask", class: "soft ask-shop" }, t("Ask the shop to change or cancel it.")));
}

function frame(number: string, className: string | false, ...children: readonly Child[]): View {
  return h("article", { key: number, class: classes(className), "aria-label": number },
    h("h1", { id: "title", tabindex: -1, class: "number" }, h("bdi", {}, shortNumber(number))),
    ...children);
}

function sentence(text: string): View {
  return h("p", { class: "display news", role: "status" }, text);
}

/** A sentence; a band once everything is ready, since guests wait for that. */
function newsView({ orders, table }: Tracker, isJustPlaced: boolean): View {
  const text = newsOf(orders, table !== "", isJustPlaced);
  return progressOf(orders).least === "Ready"
    ? h("p", { class: "display news ready", role: "status" }, icon("check"), h("span", {}, text))
    : sentence(text);
}

function stepsView({ status, statusSince, placedAt }: Order, isAtTable: boolean): View {
  const times: Partial<Record<Status, string>> = { [status]: statusSince, Pending: placedAt };
  return h("ol", { class: "steps", "aria-label": t("Progress") },
    ...stepsOf(status).map(({ name, progress }) =>
      h("li", { key: name, class: progress, "aria-current": name === status && "step" },
        h("span", { class: "dot" },
          progress === "done" ? icon("check") : progress === "cancelled" && icon("cross")),
        h("p", {}, h("span", { class: "step" }, statusName(name, isAtTable)), " ",
          h("span", { class: "soft" }, momentText(times[name]))))));
}

/** `isAtTable`: left out where the steps stand above. */
function pizzaView(row: readonly Order[], menu: Menu, isAtTable?: boolean): Child {
  const [order] = row;
  return order !== undefined && h("section", {
    key: order.id, class: classes("pizza-row", isCancelled(order) && "over"),
  },
    pictureOf(order),
    h("div", {},
      h("h2", {}, counted(row.length, pizzaTitle(order))),
      ...pizzaLines(menu, order),
      ...isAtTable === undefined ? [] : progressView(order, isAtTable)));
}

function progressView({ status, statusSince }: Order, isAtTable: boolean): readonly View[] {
  return [
    h("span", { key: "dots", class: "dots", "aria-hidden": "true" },
      ...stepsOf(status).map(({ name, progress }) => h("span", { class: progress, key: name }))),
    h("p", { key: "state", class: "small state" },
      joined(statusName(status, isAtTable), momentText(statusSince))),
  ];
}

function isCancelled({ status }: Order): boolean {
  return status === "Cancelled";
}
