/**
 * Placed orders as elements: the number, one sentence, and the steps. Orders that were placed
 * together share a ticket, in which each has its own part.
 */

import { pizzaPicture } from "../drawing/pizza.ts";
import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import type { Menu } from "../shared/menu.ts";
import { commonNote, partOf, shortNumber } from "../shared/orders.ts";
import { momentText, namesView, noteView } from "../shared/parts.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { addressOf, type State } from "./state.ts";
import {
  guestViews, isForeign, newsOf, progressOf, type Ticket, ticketsOf, titleOf,
} from "./tickets.ts";
import { isUnchanged, type Ordered } from "./visits.ts";

export function ticketsView(state: State): readonly Child[] {
  const tickets = ticketsOf(state);
  if (tickets.length === 0 && !state.isAnswered) {
    return [h("h1", { id: "title", tabindex: -1 }, t("Looking for your order…"))];
  }
  return [
    state.message !== ""
      && h("p", { key: "message", class: "card notice", role: "status" }, state.message),
    h("div", { key: "tickets" },
      ...tickets.length > 0 ? tickets.map((ticket) => ticketView(ticket, state))
        : [notShown(state)]),
    h("p", { key: "else", class: "actions" },
      h("a", { class: classes("button", tickets.length === 0 && "act"), href: addressOf() },
        tickets.length > 0 ? t("Order something else") : t("Order a pizza"))),
  ];
}

/** Another person's order, or none. */
function notShown(state: State): View {
  const { group, ids: [id = ""] } = state.address;
  const [news, hint] = isForeign(state)
    ? [t("This phone can’t open this order."), t("Use the phone that placed it.")]
    : [t("We can’t find this order."), t("Check the number: it has six letters and digits.")];
  return frame(group || id, "over", sentence(news), h("p", { class: "soft" }, hint));
}

function ticketView(ticket: Ticket, state: State): View {
  const { orders, removed } = ticket;
  const [order] = orders;
  const [gone] = removed;
  if (orders.length + removed.length > 1) return sharedTicket(ticket, state);
  if (order !== undefined) return singleTicket(ticket, order, state);
  return frame(ticket.number, "over", sentence(t("The shop has removed this order.")),
    h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    gone !== undefined && h("div", { class: "card rows" }, removedPart(gone, state.menu)));
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
function newsView({ orders, table }: Ticket, isJustPlaced: boolean): View {
  const text = newsOf(orders, table !== "", isJustPlaced);
  return progressOf(orders).isReady
    ? h("p", { class: "display news ready", role: "status" }, icon("check"), h("span", {}, text))
    : sentence(text);
}

function singleTicket(ticket: Ticket, order: Order, state: State): View {
  const { status, toppings, beverages, note = "" } = order;
  const isOver = status === "Cancelled";
  return frame(ticket.number, isOver && "over",
    note !== "" && noteView(note),
    newsView(ticket, state.isJustPlaced),
    isOver && h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    h("div", { class: "card rows" },
      stepsView(order, ticket.table !== ""),
      part(order,
        h("h2", {}, titleOf(order, state.menu)),
        changedView(order, ticket),
        h("p", { class: "soft" }, ...namesView(toppings)),
        beverages.length > 0 && h("p", { class: "soft" }, ...namesView(beverages)))));
}

function stepsView(order: Order, isAtTable: boolean): View {
  const { status, statusSince, placedAt } = order;
  const times: Partial<Record<Status, string>> = { [status]: statusSince, Pending: placedAt };
  return h("ol", { class: "steps", "aria-label": t("Progress") }, ...stepsOf(status).map((step) =>
    h("li", { key: step.name, class: step.look, "aria-current": step.name === status && "step" },
      h("span", { class: "dot" }, step.look === "done" ? icon("check")
        : step.look === "cancelled" && icon("cross")),
      h("p", {}, h("span", { class: "step" }, stageName(step.name, isAtTable)), " ",
        h("span", { class: "soft" }, momentText(times[step.name]))))));
}

function stageName(status: Status, isAtTable: boolean): string {
  const { stage, stageAtTable } = guestViews[status];
  return isAtTable ? stageAtTable : stage;
}

interface Step {
  readonly name: Status;
  readonly look: "done" | "now" | "cancelled" | "ahead";
}

function stepsOf(status: Status): readonly Step[] {
  const { steps } = guestViews[status];
  const now = steps.indexOf(status);
  const look = status === "Cancelled" ? "cancelled" : status === "Delivered" ? "done" : "now";
  return steps.map((name, place) =>
    ({ name, look: place < now ? "done" : place === now ? look : "ahead" }));
}

/** Several pizzas that were placed together: a common number, and a part each. */
function sharedTicket(ticket: Ticket, state: State): View {
  const { orders, removed } = ticket;
  const drinks = orders.flatMap(({ beverages }) => beverages);
  const isOver = orders.every(({ status }) => status === "Cancelled");
  const note = commonNote(orders);
  return frame(ticket.number, isOver && "over",
    note !== "" && noteView(note),
    newsView(ticket, state.isJustPlaced),
    h("div", { class: "card rows" },
      ...orders.map((order) => sharedPart(order, ticket, note, state.menu)),
      ...removed.map((gone) => removedPart(gone, state.menu)),
      drinks.length > 0 && h("p", { key: "drinks", class: "soft drinks" },
        t("Drinks:"), " ", ...namesView(drinks))));
}

function sharedPart(order: Order, ticket: Ticket, groupNote: string, menu: Menu): View {
  const { status, toppings, note = "", statusSince } = order;
  const stage = stageName(status, ticket.table !== "");
  const number = partOf(order, ticket.orders);
  return part(order,
    h("h2", {}, number > 0 ? t("Pizza {number}", { number }) : t("Pizza")),
    note !== groupNote && noteView(note),
    h("p", { class: "soft" }, titleOf(order, menu)),
    h("span", { class: "dots", "aria-hidden": "true" },
      ...stepsOf(status).map(({ name, look }) => h("span", { class: look, key: name }))),
    h("p", { class: "small state" }, t("{stage}, {time}", {
      stage, time: momentText(statusSince),
    })),
    changedView(order, ticket),
    h("p", { class: "soft" }, ...namesView(toppings)));
}

/** A change by the shop: the order as it was placed, above the one that is made now. */
function changedView(order: Order, { ordered }: Ticket): Child {
  const before = ordered.find(({ id }) => id === order.id);
  if (before === undefined || isUnchanged(order, before)) return false;
  return h("div", { key: "changed", class: "changed", role: "status" },
    h("strong", {}, t("The shop has changed this.")),
    h("p", { class: "soft" }, t("Ordered:"), " ", ...contents(before)));
}

function removedPart(gone: Ordered, menu: Menu): View {
  return h("section", { key: gone.id, class: "part over" },
    pizzaPicture(gone.toppings.map(({ name }) => name)),
    h("div", {},
      h("h2", {}, titleOf(gone, menu)),
      h("p", { class: "small state", role: "status" }, t("The shop has removed this.")),
      h("p", { class: "soft" }, ...contents(gone))));
}

function contents({ pizzaSize, toppings, beverages, note }: Ordered): readonly Child[] {
  return [...namesView([pizzaSize, ...toppings, ...beverages]), note !== "" && ` (${note})`];
}

/** A pizza's picture, and beside it its text. */
function part({ id, status, toppings }: Order, ...children: readonly Child[]): View {
  return h("section", { key: id, class: classes("part", status === "Cancelled" && "over") },
    pizzaPicture(toppings.map(({ name }) => name)), h("div", {}, ...children));
}
