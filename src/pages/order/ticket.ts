/**
 * Placed orders as elements: the number, one sentence, and the steps. Orders that were placed
 * together share a ticket, in which each has its own part.
 */

import { serverNow } from "../shared/api.ts";
import { button, type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { itemOf, listText, type Menu, notesOn } from "../shared/menu.ts";
import { pizzaPicture } from "../shared/pizza.ts";
import type { Order, Status } from "../shared/types.ts";
import { dayText, t, timeText } from "../shared/words.ts";
import { addressOf, type State, type Times } from "./state.ts";

/** Words for customers at each status. */
const statusText: Readonly<Record<Status, readonly [name: string, news: string]>> = {
  Pending: [t("Received"), t("The kitchen has your order and starts soon.")],
  Preparing: [t("Preparing"), t("Your pizza is being made.")],
  Ready: [t("Ready"), t("Ready! Come and get it.")],
  "Out for Delivery": [t("Out for Delivery"), t("On its way to you.")],
  Delivered: [t("Delivered"), t("Delivered. Enjoy your meal!")],
  Cancelled: [t("Cancelled"), t("This order was cancelled.")],
};

export function stageName(status: Status): string {
  return statusText[status][0];
}

export function newsAt(status: Status): string {
  return statusText[status][1];
}

export function ticketView(state: State): View {
  const { ids, orders, isCopied } = state;
  if (ids.some((id) => orders[id] === undefined)) {
    return h("main", { key: "ticket", class: "ticket" },
      h("h1", { id: "title", tabindex: -1 }, t("Looking for your order…")));
  }
  const isWaiting = ordersShown(state).some(({ status }) =>
    status === "Pending" || status === "Preparing");
  return h("main", { key: "ticket", class: "ticket" },
    h("div", { key: "tickets" }, ...ticketsOf(state)),
    h("p", { key: "actions", class: "actions" },
      isWaiting && canNotify()
        && button("notify", "", { key: "notify", class: "wide" }, t("Tell me when it is ready")),
      isSecureContext
        && button("copy", "", { key: "copy" }, isCopied ? t("Link copied") : t("Copy link")),
      h("a", { key: "again", class: "button", href: addressOf([]), "data-do": "again" },
        t("Order again"))));
}

/** Only in secure contexts, and only once: then the browser remembers the answer. */
function canNotify(): boolean {
  return "Notification" in window && isSecureContext && Notification.permission === "default";
}

/** The orders of the address that this person may see. */
export function ordersShown({ ids, orders }: State): readonly Order[] {
  return ids.map((id) => orders[id]).filter((one) => typeof one === "object");
}

function ticketsOf(state: State): readonly View[] {
  const { ids, orders, times, menu } = state;
  const shown = ordersShown(state);
  const common = commonNumber(ids);
  if (common !== undefined && shown.length === ids.length) {
    return [severalTicket(common, shown, state)];
  }
  return ids.map((id) => {
    const order = orders[id];
    return typeof order === "object" ? ticket(order, times[id] ?? {}, menu) : frame(id, false,
      order === "missing" ? t("We can’t find this order. Check the number, or ask the shop.")
        : t("You are signed out. Open the order where you placed it, or with the shop’s link."));
  });
}

/** The common number of orders placed together: "K7QX3M" of "K7QX3M-1" and "K7QX3M-2". */
function commonNumber(ids: readonly string[]): string | undefined {
  const numbers = new Set(ids.map((id) => /^(.+)-\d+$/.exec(id)?.[1]));
  return ids.length > 1 && numbers.size === 1 ? [...numbers][0] : undefined;
}

function frame(id: string, isOver: boolean, news: string, ...children: readonly Child[]): View {
  return h("article", { key: id, class: classes(isOver && "over"), "aria-label": id },
    h("h1", { id: "title", tabindex: -1, class: classes("number", id.length > 8 && "long") },
      h("bdi", {}, id)),
    h("p", { class: "display news" }, news), ...children);
}

function ticket(order: Order, times: Times, menu: Menu): View {
  const { id, status, toppings, beverages } = order;
  const isOver = status === "Cancelled";
  return frame(id, isOver, newsAt(status),
    isOver && h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    h("div", { class: "card" },
      h("ol", { class: "steps", "aria-label": t("Progress") }, ...stepsOf(status).map((step) =>
        h("li", {
          key: step.name, class: step.look, "aria-current": step.name === status && "step",
        },
          h("span", { class: "dot" }, step.look === "done" ? icon("check")
            : step.look === "cancelled" && icon("cross")),
          h("p", {}, h("span", { class: "step" }, stageName(step.name)), " ",
            h("span", { class: "soft" }, timeOf(times[step.name])))))),
      part(order, h("h2", {}, sizeLine(order, menu)), h("p", { class: "soft" }, listText(toppings)),
        beverages.length > 0 && h("p", { class: "soft" }, listText(beverages)))));
}

interface Step {
  readonly name: Status;
  readonly look: "done" | "now" | "cancelled" | "ahead";
}

function stepsOf(status: Status): readonly Step[] {
  if (status === "Cancelled") {
    return [{ name: "Pending", look: "done" }, { name: status, look: "cancelled" }];
  }
  const third = status === "Out for Delivery" ? status : "Ready";
  const names: readonly Status[] = ["Pending", "Preparing", third, "Delivered"];
  const at = names.indexOf(status);
  return names.map((name, index) => ({
    name,
    look: index < at || status === "Delivered" ? "done" : index === at ? "now" : "ahead",
  }));
}

/** Several pizzas that were placed together: a common number, and a part each. */
function severalTicket(common: string, orders: readonly Order[], { times, menu }: State): View {
  const drinks = orders.flatMap(({ beverages }) => beverages);
  const isOver = orders.every(({ status }) => status === "Cancelled");
  return frame(common, isOver, newsOf(orders),
    h("div", { class: "card" },
      ...orders.map((order) => {
        const { id, status, toppings } = order;
        const [stage, time] = [stageName(status), timeOf(times[id]?.[status])];
        return part(order,
          h("h2", {}, h("bdi", {}, id.slice(common.length)), " ", sizeLine(order, menu)),
          h("span", { class: "dots", "aria-hidden": "true" },
            ...stepsOf(status).map(({ name, look }) => h("span", { class: look, key: name }))),
          h("p", { class: "small state" },
            time === "" ? stage : t("{stage}, {time}", { stage, time })),
          h("p", { class: "soft" }, listText(toppings)));
      }),
      drinks.length > 0 && h("p", { key: "drinks", class: "soft drinks" },
        t("With the first: {names}", { names: listText(drinks) }))));
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

/** A pizza's picture, and beside it its text. */
function part({ id, status, toppings }: Order, ...children: readonly Child[]): View {
  return h("section", { key: id, class: classes("part", status === "Cancelled" && "over") },
    pizzaPicture(toppings.map((one) => one.name ?? one.id)), h("div", {}, ...children));
}

/** "Large, 14.5 in"; the name it had when it was ordered, if that is no longer the menu's. */
function sizeLine({ pizzaSize: { id, name = id } }: Order, menu: Menu): string {
  const item = itemOf(menu, "pizzasizes", id);
  return item?.name === name ? t("{name}, {note}", { name, note: notesOn(item) }) : name;
}

/** "7:31 PM"; with the day, if it was another one. */
function timeOf(moment: string | undefined): string {
  if (moment === undefined) return "";
  const date = new Date(moment);
  const isToday = date.toDateString() === new Date(serverNow()).toDateString();
  return isToday ? timeText(date) : `${dayText(date)}, ${timeText(date)}`;
}
