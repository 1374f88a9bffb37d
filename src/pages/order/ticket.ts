/**
 * Placed orders as elements: the number large, one sentence, the steps. Orders with one number
 * share a ticket, each with a part of its own.
 */

import { serverNow } from "../shared/api.ts";
import { type Child, h, icon, type View } from "../shared/dom.ts";
import { itemOf, type Menu, notesOn, tally } from "../shared/menu.ts";
import { pizzaPicture } from "../shared/pizza.ts";
import type { Order, Reference, Status } from "../shared/types.ts";
import { dayText, t, timeText } from "../shared/words.ts";
import { addressOf, type Shown, type State, type Times } from "./state.ts";

export function ticketView(state: State): View {
  const { ids, canNotify, isCopied } = state;
  const orders = ids.map((id) => state.orders[id]);
  const isWaiting = orders.some((order) => isOrder(order) && isAhead(order.status));
  if (orders.includes(undefined)) {
    return h("main", { key: "ticket", class: "ticket" },
      h("h1", { id: "title", tabindex: -1 }, t("Looking for your order…")));
  }
  return h("main", { key: "ticket", class: "ticket" },
    h("div", { key: "tickets" }, ...ticketsOf(state)),
    h("p", { key: "actions", class: "actions" },
      isWaiting && canNotify && h("button", {
        key: "notify", type: "button", class: "wide", "data-do": "notify",
      }, t("Tell me when it is ready")),
      h("button", {
        key: "copy", type: "button", "data-do": "copy",
        hidden: (navigator as Partial<Navigator>).clipboard === undefined,
      }, isCopied ? t("Link copied") : t("Copy link")),
      h("a", { key: "again", class: "button", href: addressOf([]), "data-do": "again" },
        t("Order again"))));
}

function isOrder(shown: Shown | undefined): shown is Order {
  return typeof shown === "object";
}

/** Whether "ready" is still to come. */
function isAhead(status: Status): boolean {
  return status === "Pending" || status === "Preparing";
}

/** What is said at each status. */
export function newsAt(status: Status): string {
  switch (status) {
    case "Pending": return t("The kitchen has your order and starts soon.");
    case "Preparing": return t("Your pizza is being made.");
    case "Ready": return t("Ready! Come and get it.");
    case "Out for Delivery": return t("On its way to you.");
    case "Delivered": return t("Delivered. Enjoy your meal!");
    case "Cancelled": return t("This order was cancelled.");
  }
}

export function stageName(status: Status): string {
  switch (status) {
    case "Pending": return t("Received");
    case "Preparing": return t("Preparing");
    case "Ready": return t("Ready");
    case "Out for Delivery": return t("Out for Delivery");
    case "Delivered": return t("Delivered");
    case "Cancelled": return t("Cancelled");
  }
}

/** The common number of orders placed together: "K7QX3M" of "K7QX3M-1" and "K7QX3M-2". */
function commonNumber(ids: readonly string[]): string | undefined {
  const numbers = new Set(ids.map((id) => /^(.+)-\d+$/.exec(id)?.[1]));
  return ids.length > 1 && numbers.size === 1 ? [...numbers][0] : undefined;
}

function ticketsOf({ ids, orders, times, menu }: State): readonly View[] {
  const common = commonNumber(ids);
  const shown = ids.flatMap((id) => {
    const order = orders[id];
    return isOrder(order) ? [order] : [];
  });
  if (common !== undefined && shown.length === ids.length) {
    return [severalTicket(common, shown, times, menu)];
  }
  return ids.map((id) => {
    const order = orders[id];
    return isOrder(order) ? ticket(order, times[id] ?? {}, menu) : frame(id, false,
      h("p", { class: "display news" }, order === "missing"
        ? t("We can’t find this order. Check the number, or ask the shop.")
        : t("You are signed out. Open the order where you placed it, or with the shop’s link.")));
  });
}

function frame(id: string, isOver: boolean, ...children: readonly Child[]): View {
  return h("article", { key: id, class: isOver ? "over" : "", "aria-label": id },
    h("h1", {
      id: "title", tabindex: -1, class: id.length > 8 ? "number long" : "number",
    }, h("bdi", {}, id)), ...children);
}

function ticket(order: Order, times: Times, menu: Menu | undefined): View {
  const { id, status } = order;
  const steps = stepsOf(status);
  const at = steps.indexOf(status);
  const isOver = status === "Cancelled";
  return frame(id, isOver,
    h("p", { class: "display news" }, newsAt(status)),
    isOver && h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    h("div", { class: "card" },
      h("ol", { class: "steps", "aria-label": t("Progress") }, ...steps.map((step, index) =>
        h("li", {
          key: step, class: index < at || status === "Delivered" ? "done" : index > at ? "ahead"
            : isOver ? "cancelled" : "now", "aria-current": index === at && "step",
        },
        h("span", { class: "dot" },
          index < at || status === "Delivered" ? icon("check") : index === at && isOver
            && icon("cross")),
        h("p", {}, h("span", { class: "step" }, stageName(step)), " ",
          h("span", { class: "soft" }, timeOf(times[step])))))),
      h("div", { class: "part" },
        pizzaPicture(namesOf(order.toppings)),
        h("div", {}, h("h2", {}, sizeLine(order, menu)), contents(order.toppings),
          order.beverages.length > 0 && contents(order.beverages)))));
}

function stepsOf(status: Status): readonly Status[] {
  if (status === "Cancelled") return ["Pending", "Cancelled"];
  const third = status === "Out for Delivery" ? "Out for Delivery" : "Ready";
  return ["Pending", "Preparing", third, "Delivered"];
}

/** Several pizzas that were placed together: a common number, and a part each. */
function severalTicket(
  common: string, orders: readonly Order[], times: State["times"], menu: Menu | undefined,
): View {
  const drinks = orders.flatMap(({ beverages }) => beverages);
  const isOver = orders.every(({ status }) => status === "Cancelled");
  return frame(common, isOver,
    h("p", { class: "display news" }, newsOf(orders)),
    h("div", { class: "card" },
      ...orders.map((order) => partOf(order, common, times[order.id] ?? {}, menu)),
      drinks.length > 0 && h("p", { key: "drinks", class: "soft drinks" },
        t("With the first: {names}", { names: namesLine(drinks) }))));
}

function newsOf(orders: readonly Order[]): string {
  const statuses: readonly Status[] = orders.map(({ status }) => status)
    .filter((status) => status !== "Cancelled");
  const ready = statuses.filter((status) => status === "Ready").length;
  if (statuses.length === 0) return newsAt("Cancelled");
  if (ready > 0 && ready < statuses.length) {
    return t("{count} of {total} pizzas are ready.", { count: ready, total: statuses.length });
  }
  const order: readonly Status[] = ["Preparing", "Pending", "Ready", "Out for Delivery"];
  return newsAt(order.find((status) => statuses.includes(status)) ?? "Delivered");
}

function partOf(
  order: Order, common: string, times: Times, menu: Menu | undefined,
): View {
  const { id, status } = order;
  const steps = stepsOf(status);
  const at = status === "Delivered" ? steps.length : steps.indexOf(status);
  const time = timeOf(times[status]);
  return h("section", { key: id, class: status === "Cancelled" ? "part over" : "part" },
    pizzaPicture(namesOf(order.toppings)),
    h("div", {},
      h("h2", {}, h("bdi", {}, id.slice(common.length)), " ", sizeLine(order, menu)),
      h("span", { class: "dots", "aria-hidden": "true" }, ...steps.map((step, index) =>
        h("span", { class: index < at ? "done" : index === at ? "now" : "ahead", key: step }))),
      h("p", { class: "small state" }, time === "" ? stageName(status)
        : t("{stage}, {time}", { stage: stageName(status), time })),
      contents(order.toppings)));
}

/** "Large, 14.5 in"; the name it had when it was ordered, if that is no longer the menu's. */
function sizeLine({ pizzaSize: { id, name = id } }: Order, menu: Menu | undefined): string {
  const item = menu === undefined ? undefined : itemOf(menu, "pizzasizes", id);
  return item?.name === name ? t("{name}, {note}", { name, note: notesOn(item) }) : name;
}

function contents(references: readonly Reference[]): View {
  return h("p", { class: "soft" }, namesLine(references));
}

function namesLine(references: readonly Reference[]): string {
  return tally(references).map(({ text }) => text).join(", ");
}

function namesOf(references: readonly Reference[]): readonly string[] {
  return references.map(({ id, name = id }) => name);
}

/** "7:31 PM"; with the day, if it was another one. */
function timeOf(moment: string | undefined): string {
  if (moment === undefined) return "";
  const date = new Date(moment);
  const isToday = date.toDateString() === new Date(serverNow()).toDateString();
  return isToday ? timeText(date) : `${dayText(date)}, ${timeText(date)}`;
}
