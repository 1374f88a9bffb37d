/**
 * Placed orders as elements: the number, one sentence, and the steps. Orders that were placed
 * together share a ticket, in which each has its own part.
 */

import { button, type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { itemOf, type Menu, notesOn } from "../shared/menu.ts";
import { momentText, namesView, noteView } from "../shared/parts.ts";
import { pizzaPicture } from "../drawing/pizza.ts";
import { numberOf } from "../shared/table.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import type { Visit } from "./basket.ts";
import { addressOf, type State, tableShown } from "./state.ts";

/** Words for guests at each status. */
const statusText: Readonly<Record<Status, readonly [name: string, news: string]>> = {
  Pending: [t("Received"), t("The kitchen has your order and starts soon.")],
  Preparing: [t("Being made"), t("Your pizza is being made.")],
  Ready: [t("Ready"), t("Ready! Come and get it.")],
  "Out for Delivery": [t("On its way"), t("On its way to you.")],
  Delivered: [t("Delivered"), t("Delivered. Enjoy your meal!")],
  Cancelled: [t("Cancelled"), t("This order was cancelled.")],
};

export function stageName(status: Status, state: State): string {
  return status === "Delivered" && tableShown(state) !== "" ? t("Served") : statusText[status][0];
}

export function newsAt(status: Status, state: State): string {
  if (tableShown(state) === "") return statusText[status][1];
  return status === "Ready" ? t("Ready! We’re bringing it.")
    : status === "Delivered" ? t("Enjoy your meal!") : statusText[status][1];
}

export function ticketView(state: State): View {
  const { ids, orders, message } = state;
  if (ids.some((id) => orders[id] === undefined)) {
    return h("main", { key: "ticket", class: "ticket" },
      h("h1", { id: "title", tabindex: -1 }, t("Looking for your order…")));
  }
  return h("main", { key: "ticket", class: "ticket" },
    message !== "" && h("p", { key: "message", class: "card notice", role: "status" }, message),
    h("div", { key: "tickets" }, ...ticketsOf(state)),
    h("p", { key: "else", class: "actions" }, ordersShown(state).length > 0
      ? h("a", { class: "button", href: addressOf([]) }, t("Order something else"))
      : h("a", { class: "button act", href: addressOf([]) }, t("Order a pizza"))));
}

/** The orders of the address that this person may see. */
function ordersShown({ ids, orders }: Pick<State, "ids" | "orders">): readonly Order[] {
  return ids.map((id) => orders[id]).filter((one) => typeof one === "object");
}

function ticketsOf(state: State): readonly Child[] {
  const { ids, orders } = state;
  const shown = ordersShown(state);
  const numbers = new Set(shown.map(({ id }) => numberOf(id)[0]));
  if (shown.length > 1 && numbers.size === 1) return [severalTicket(shown, state)];
  if (shown.length > 0) return shown.map((order) => ticket(order, state));
  const [id = ""] = ids;
  return [orders[id] === "signed out"
    ? notShown(id, t("This phone can’t open this order."), t("Use the phone that placed it."),
      t("At a table? Scan the card on it again."))
    : notShown(id, t("We can’t find this order."),
      t("Check the number: it has six letters and digits."))];
}

/** Another person's order, or none. */
function notShown(id: string, news: string, ...hints: readonly string[]): View {
  return frame(id, "over", false, sentence(news),
    ...hints.map((hint) => h("p", { class: "soft" }, hint)));
}

function frame(
  id: string, look: string | false, note: string | false, ...children: readonly Child[]
): View {
  const [number] = numberOf(id);
  return h("article", { key: id, class: classes(look), "aria-label": number },
    h("h1", { id: "title", tabindex: -1, class: classes("number", number.length > 8 && "long") },
      h("bdi", {}, number)),
    note && noteView(note), ...children);
}

function sentence(text: string): View {
  return h("p", { class: "display news", role: "status" }, text);
}

interface Progress {
  readonly count: number;
  readonly total: number;
  readonly isReady: boolean;
  readonly least: Status;
}

/** How many are ready, of those that are not cancelled. */
function progressOf(orders: readonly Order[]): Progress {
  const statuses = orders.map(({ status }) => status).filter((one) => one !== "Cancelled");
  const [count, total] = [statuses.filter((one) => one === "Ready").length, statuses.length];
  return { count, total, isReady: count > 0 && count === total, least: leastOf(statuses) };
}

/** A sentence; a band once everything is ready, since guests wait for that. */
function newsView(orders: readonly Order[], state: State): View {
  const { count, total, isReady, least } = progressOf(orders);
  if (isReady) {
    return h("p", { class: "display news ready", role: "status" }, icon("check"),
      h("span", {}, newsAt("Ready", state)));
  }
  if (count > 0) return sentence(t("{count} of {total} pizzas are ready.", { count, total }));
  return sentence(least === "Pending" && state.isJustPlaced ? t("Thank you! The kitchen has it.")
    : newsAt(least, state));
}

/** The stage that all orders have reached. One that is being made says more than one that waits. */
function leastOf(statuses: readonly Status[]): Status {
  const order: readonly Status[] = [
    "Preparing", "Pending", "Ready", "Out for Delivery", "Delivered",
  ];
  return order.find((status) => statuses.includes(status)) ?? "Cancelled";
}

function ticket(order: Order, state: State): View {
  const { id, status, toppings, beverages } = order;
  const times: Partial<Record<Status, string>> = {
    [status]: order.statusSince, Pending: order.placedAt,
  };
  const isOver = status === "Cancelled";
  return frame(id, isOver && "over", order.note ?? false, newsView([order], state),
    state.isJustPlaced && thanks(order),
    isOver && h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    h("div", { class: "card rows" },
      h("ol", { class: "steps", "aria-label": t("Progress") }, ...stepsOf(status).map((step) =>
        h("li", {
          key: step.name, class: step.look, "aria-current": step.name === status && "step",
        },
          h("span", { class: "dot" }, step.look === "done" ? icon("check")
            : step.look === "cancelled" && icon("cross")),
          h("p", {}, h("span", { class: "step" }, stageName(step.name, state)), " ",
            h("span", { class: "soft" }, momentText(times[step.name])))))),
      part(order,
        h("h2", {}, sizeLine(order, state.menu)), h("p", { class: "soft" }, ...namesView(toppings)),
        beverages.length > 0 && h("p", { class: "soft" }, ...namesView(beverages)))));
}

/** A moment of joy, once. */
function thanks({ toppings }: Order): View {
  return h("div", { key: "thanks", class: "thanks" },
    pizzaPicture(toppings.map(({ name }) => name), false));
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
function severalTicket(orders: readonly Order[], state: State): View {
  const drinks = orders.flatMap(({ beverages }) => beverages);
  const isOver = orders.every(({ status }) => status === "Cancelled");
  const [first] = orders;
  // One note for all stands above them.
  const common = orders.every(({ note }) => note === first?.note) && (first?.note ?? false);
  return frame(first?.id ?? "", isOver && "over", common, newsView(orders, state),
    state.isJustPlaced && first !== undefined && thanks(first),
    h("div", { class: "card rows" },
      ...orders.map((order, at) => {
        const { id, status, toppings, note, statusSince } = order;
        const [stage, time] = [stageName(status, state), momentText(statusSince)];
        return part(order,
          h("h2", {}, t("Pizza {number}", { number: numberOf(id)[1] || at + 1 })),
          note !== undefined && common === false && noteView(note),
          h("p", { class: "soft" }, sizeLine(order, state.menu)),
          h("span", { class: "dots", "aria-hidden": "true" },
            ...stepsOf(status).map(({ name, look }) => h("span", { class: look, key: name }))),
          h("p", { class: "small state" }, t("{stage}, {time}", { stage, time })),
          h("p", { class: "soft" }, ...namesView(toppings)));
      }),
      drinks.length > 0 && h("p", { key: "drinks", class: "soft drinks" },
        `${t("Drinks")}: `, ...namesView(drinks))));
}

/** A pizza's picture, and beside it its text. */
function part({ id, status, toppings }: Order, ...children: readonly Child[]): View {
  return h("section", { key: id, class: classes("part", status === "Cancelled" && "over") },
    pizzaPicture(toppings.map(({ name }) => name)), h("div", {}, ...children));
}

/** "Large, 14.5 in"; only the name, if the menu calls that size something else. */
function sizeLine({ pizzaSize: { id, name } }: Order, menu: Menu): string {
  const item = itemOf(menu, "pizzasizes", id);
  return item?.name === name ? t("{name}, {note}", { name, note: notesOn(item) }) : name;
}

/** More are shown when they are asked for. */
const visitsAtFirst = 3;

export function visitsView(state: State): Child {
  const { visits, areAllVisitsShown } = state;
  const shown = areAllVisitsShown ? visits : visits.slice(0, visitsAtFirst);
  return visits.length > 0 && h("nav", {
    key: "visits", class: "visits", "aria-labelledby": "visits",
  },
    h("h2", { id: "visits" }, t("Your orders today")),
    h("ul", { class: "card rows" }, ...shown.map((visit) => visitRow(visit, state)),
      shown.length < visits.length && h("li", { key: "all" },
        button("all-visits", "", { class: "plain" },
          t("All {count} today", { count: visits.length })))));
}

function visitRow({ ids, at }: Visit, state: State): View {
  const orders = ordersShown({ ids, orders: state.orders });
  const { count, total, isReady, least } = progressOf(orders);
  const stage = count > 0 && !isReady ? t("{number} of {total} ready", { number: count, total })
    : orders.length > 0 && stageName(least, state);
  return h("li", { key: ids.join(" "), "aria-live": "polite", "aria-atomic": "true" },
    h("a", { href: addressOf(ids) },
      h("bdi", { class: "display" }, numberOf(ids[0] ?? "")[0]),
      h("span", { class: classes("stage", isReady && "ready") }, stage),
      h("span", { class: "soft" }, momentText(at)), icon("next")));
}
