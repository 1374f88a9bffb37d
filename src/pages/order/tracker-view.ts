/**
 * Placed orders as elements: the number, one sentence, and the steps. Orders that were placed
 * together share a tracker, in which each has its own part.
 */

import { pizzaPicture } from "../drawing/pizza.ts";
import { refusedText } from "../shared/api.ts";
import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import type { Menu } from "../shared/menu.ts";
import { commonNote, partOf, shortNumber } from "../shared/orders.ts";
import type { Order, Reference, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { momentText, namesView, noteView } from "./parts.ts";
import { addressOf, type State } from "./state.ts";
import {
  isForeign, newsOf, progressOf, stageName, stepsOf, type Tracker, trackersOf, titleOf,
} from "./tracker.ts";
import { isUnchanged, type Ordered } from "./visits.ts";

export function trackersView(state: State): readonly Child[] {
  const trackers = trackersOf(state);
  if (trackers.length === 0 && !state.isAnswered) {
    return [h("h1", { id: "title", tabindex: -1 }, t("Looking for your order…"))];
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
  const { address: { group, ids: [id = ""] }, isRefused, refused } = state;
  if (isRefused && refused !== undefined) return frame(group || id, "over", sentence(refusedText));
  const [news, hint] = isForeign(state)
    ? [t("This phone can’t open this order."), t("Use the phone that placed it.")]
    : [t("We can’t find this order."), t("Check the number: it has six letters and digits.")];
  return frame(group || id, "over", sentence(news), h("p", { class: "soft" }, hint));
}

function trackerView(tracker: Tracker, state: State): View {
  const { number, orders, removed } = tracker;
  const { menu, isJustPlaced } = state;
  const [order] = orders;
  const note = commonNote(orders);
  const isOver = orders.every(isCancelled);
  const isShared = orders.length + removed.length > 1;
  return frame(number, isOver && "over",
    note !== "" && noteView(note),
    newsView(tracker, isJustPlaced),
    isOver && h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    h("div", { class: "card rows" },
      ...order !== undefined && !isShared ? singleParts(order, tracker, menu)
        : sharedParts(tracker, note, menu)));
}

function frame(number: string, look: string | false, ...children: readonly Child[]): View {
  return h("article", { key: number, class: classes(look), "aria-label": number },
    h("h1", { id: "title", tabindex: -1, class: "number" }, h("bdi", {}, shortNumber(number))),
    ...children);
}

function sentence(text: string): View {
  return h("p", { class: "display news", role: "status" }, text);
}

/** A sentence; a band once everything is ready, since guests wait for that. */
function newsView({ orders, table }: Tracker, isJustPlaced: boolean): View {
  if (orders.length === 0) return sentence(t("The shop has removed this order."));
  const text = newsOf(orders, table !== "", isJustPlaced);
  return progressOf(orders).least === "Ready"
    ? h("p", { class: "display news ready", role: "status" }, icon("check"), h("span", {}, text))
    : sentence(text);
}

function singleParts(order: Order, tracker: Tracker, menu: Menu): readonly Child[] {
  const { beverages } = order;
  return [
    stepsView(order, tracker.table !== ""),
    part(order, isCancelled(order),
      h("h2", {}, titleOf(order, menu)),
      changedView(order, tracker),
      names(order.toppings),
      beverages.length > 0 && names(beverages)),
  ];
}

function stepsView({ status, statusSince, placedAt }: Order, isAtTable: boolean): View {
  const times: Partial<Record<Status, string>> = { [status]: statusSince, Pending: placedAt };
  return h("ol", { class: "steps", "aria-label": t("Progress") },
    ...stepsOf(status).map(({ name, look }) =>
      h("li", { key: name, class: look, "aria-current": name === status && "step" },
        h("span", { class: "dot" },
          look === "done" ? icon("check") : look === "cancelled" && icon("cross")),
        h("p", {}, h("span", { class: "step" }, stageName(name, isAtTable)), " ",
          h("span", { class: "soft" }, momentText(times[name]))))));
}

/** Several pizzas that were placed together: a part each, then all drinks. */
function sharedParts(tracker: Tracker, note: string, menu: Menu): readonly Child[] {
  const { orders, removed } = tracker;
  const drinks = orders.flatMap(({ beverages }) => beverages);
  return [
    ...orders.map((order) => sharedPart(order, tracker, note, menu)),
    ...removed.map((gone) => removedPart(gone, menu)),
    drinks.length > 0
      && h("p", { key: "drinks", class: "soft drinks" }, t("Drinks:"), " ", ...namesView(drinks)),
  ];
}

function sharedPart(order: Order, tracker: Tracker, groupNote: string, menu: Menu): View {
  const { status, toppings, note = "", statusSince } = order;
  const stage = stageName(status, tracker.table !== "");
  const number = partOf(order, tracker.orders);
  return part(order, isCancelled(order),
    h("h2", {}, number > 0 ? t("Pizza {number}", { number }) : t("Pizza")),
    note !== groupNote && noteView(note),
    h("p", { class: "soft" }, titleOf(order, menu)),
    h("span", { class: "dots", "aria-hidden": "true" },
      ...stepsOf(status).map(({ name, look }) => h("span", { class: look, key: name }))),
    h("p", { class: "small state" }, t("{stage}, {time}", {
      stage, time: momentText(statusSince),
    })),
    changedView(order, tracker),
    names(toppings));
}

/** A change by the shop: the order as it was placed, above the one that is made now. */
function changedView(order: Order, { ordered }: Tracker): Child {
  const before = ordered.find(({ id }) => id === order.id);
  if (before === undefined || isUnchanged(order, before)) return false;
  return h("div", { key: "changed", class: "changed", role: "status" },
    h("strong", {}, t("The shop has changed this.")),
    h("p", { class: "soft" }, t("Ordered:"), " ", ...contents(before)));
}

function removedPart(gone: Ordered, menu: Menu): View {
  return part(gone, true,
    h("h2", {}, titleOf(gone, menu)),
    h("p", { class: "small state", role: "status" }, t("The shop has removed this.")),
    h("p", { class: "soft" }, ...contents(gone)));
}

function contents({ pizzaSize, toppings, beverages, note }: Ordered): readonly Child[] {
  return [...namesView([pizzaSize, ...toppings, ...beverages]), note !== "" && ` (${note})`];
}

function names(references: readonly Reference[]): View {
  return h("p", { class: "soft" }, ...namesView(references));
}

/** A pizza's picture, and beside it its text. */
function part(
  { id, toppings }: Pick<Order, "id" | "toppings">, isOver: boolean, ...text: readonly Child[]
): View {
  return h("section", { key: id, class: classes("part", isOver && "over") },
    pizzaPicture(toppings.map(({ name }) => name)), h("div", {}, ...text));
}

function isCancelled({ status }: Order): boolean {
  return status === "Cancelled";
}
