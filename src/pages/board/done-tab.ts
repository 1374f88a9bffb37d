/** The orders of a day: those that are closed, with a way back, and the day in figures. */

import { button, h, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import { searchField } from "../shared/parts.ts";
import { shownNumber } from "../shared/table.ts";
import type { Order, Status } from "../shared/types.ts";
import { dayText, locale, number, t, timeText } from "../shared/words.ts";
import { statusNames } from "./actions.ts";
import {
  boundsOf, byHour, calendarDay, type Counted, csvOf, csvTime, type Day, foundIn, isClosed, isMade,
  mostFirst, speedOf,
} from "./day.ts";
import { isBase } from "../shared/toppings.ts";
import { canAct, type State } from "./state.ts";

/** As many as people look through. */
const shownAtOnce = 60;

const longDay = new Intl.DateTimeFormat(locale, { weekday: "long", month: "long", day: "numeric" });

const percent = new Intl.NumberFormat(locale, { style: "percent" });

export function doneTab(state: State): View {
  const { day, now } = state;
  if (day === undefined) return h("main", { key: "done", id: "done" });
  const { start } = boundsOf(day.date);
  return h("main", { key: "done", id: "done" },
    h("div", { class: "tab-head" },
      h("h2", {}, longDay.format(start)),
      h("p", { class: "days" },
        button("day-by", -1, { "aria-label": t("Day before") }, "‹"),
        h("input", {
          type: "date", value: day.date, "data-do": "day", "aria-label": t("Day"),
          max: calendarDay(new Date(now)),
        }),
        button("day-by", 1, { "aria-label": t("Day after") }, "›")),
      button("csv", "", { "aria-disabled": !day.isRead && "true" }, t("Save as CSV"))),
    day.isRead && figures(state, day.orders),
    h("div", { class: "parts" },
      h("section", { class: "closed", "aria-label": t("Closed orders") },
        findForm(day),
        h("ol", { class: "panel rows" }, ...doneRows(day, canAct(state)))),
      day.isRead && charts(day.orders)));
}

function findForm(day: Day): View {
  const closed = foundIn({ ...day, search: "", elsewhere: [] }).length;
  return h("form", { class: "find", role: "search", "data-do": "find" },
    searchField("find-number", day.search, t("Order number")),
    h("p", { class: "soft", role: "status" }, day.note !== "" ? day.note
      : !day.isRead ? "" : t("{count} closed, newest first", { count: closed })));
}

function doneRows(day: Day, isActive: boolean): readonly View[] {
  const found = foundIn(day);
  if (found.length === 0) {
    if (!day.isRead) return [];
    return [day.search.trim() === ""
      ? h("li", { key: "none", class: "soft none" }, t("No order of this day is closed yet."))
      : h("li", { key: "none", class: "soft none" },
        h("span", {}, t("No order of this day has that number.")),
        button("find", "", { class: "plain" }, t("Search all days")))];
  }
  const rest = found.length - shownAtOnce;
  return [...found.slice(0, shownAtOnce).map((order) => doneRow(order, day, isActive)),
    ...rest > 0 ? [h("li", { key: "rest", class: "soft none" },
      t("{count} more: search by number", { count: rest }))] : []];
}

function doneRow(order: Order, day: Day, isActive: boolean): View {
  const { id, status, updatedAt } = order;
  const name = shownNumber(id);
  const changed = new Date(updatedAt);
  const time = timeText(changed);
  return h("li", { key: id, "data-order": id, "data-guard": id },
    h("b", { class: "number" }, h("bdi", {}, name)),
    h("time", { datetime: updatedAt, class: "soft" }, calendarDay(changed) === day.date ? time
      : t("{day}, {time}", { day: dayText(changed), time })),
    h("span", { class: "what" }, contents(order)),
    h("span", { class: "soft" }, statusNames[status]),
    isClosed(status) && button("reopen", id, {
      class: "plain", "aria-disabled": !isActive && "true",
    }, t("Reopen"), unseen(` ${name}`)));
}

/** "Large: 2× Mozzarella, Rocket, Lager"; the base only if there is nothing else. */
function contents({ pizzaSize, toppings, beverages }: Order): string {
  const lines = [...tally(toppings), ...tally(beverages)];
  const rest = lines.filter(({ name, count }) => count > 1 || !isBase(name));
  const items = (rest.length > 0 ? rest : lines).map(({ text }) => text).join(", ");
  const size = pizzaSize.name ?? pizzaSize.id;
  return items === "" ? size : t("{size}: {items}", { size, items });
}

function figures({ readyTimes, settings }: State, orders: readonly Order[]): View {
  const figure = (label: string, value: string): View =>
    h("div", {}, h("dt", {}, label), h("dd", {}, value));
  const count = (status: Status): string =>
    number(orders.filter((one) => one.status === status).length);
  const made = orders.filter(isMade);
  const { median, longest, late } = speedOf(made, readyTimes, settings.promise);
  const minutes = (value: number | undefined): string =>
    value === undefined ? "–" : t("{minutes} min", { minutes: Math.round(value) });
  return h("dl", { class: "panel figures" },
    figure(t("Orders"), number(orders.length)), figure(t("Delivered"), count("Delivered")),
    figure(t("Cancelled"), count("Cancelled")), figure(t("Pizzas made"), number(made.length)),
    figure(t("Drinks"), number(made.flatMap(({ beverages }) => beverages).length)),
    figure(t("Median to Ready"), minutes(median)),
    figure(t("Longest to Ready"), minutes(longest)),
    figure(t("Later than promised"), late === undefined ? "–" : percent.format(late)));
}

function charts(orders: readonly Order[]): View {
  const made = orders.filter(isMade);
  return h("div", { class: "charts" },
    chart("hours", t("Orders by hour"), byHour(orders)),
    chart("bars", t("Sizes made"), mostFirst(made.map(({ pizzaSize }) => pizzaSize))),
    chart("bars", t("Toppings made"), mostFirst(made.flatMap(({ toppings }) => toppings))));
}

function chart(look: "hours" | "bars", title: string, rows: readonly Counted[]): View {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return h("table", { class: `panel ${look}` },
    h("caption", {}, title),
    h("tbody", {}, ...rows.map(([label, count]) =>
      h("tr", { key: label, class: count === most && "most" },
        h("th", { scope: "row" }, label),
        h("td", { style: { "--share": count / most } },
          h("i", { class: "bar" }), h("span", {}, number(count)))))));
}

export function dayTable(orders: readonly Order[]): string {
  const head = [
    t("Number"), t("Placed"), t("Last change"), t("Stage"), t("Size"), t("Toppings"), t("Drinks"),
  ];
  return csvOf([head, ...orders.map((order) => [
    order.id, csvTime(order.placedAt), csvTime(order.updatedAt), statusNames[order.status],
    ...[[order.pizzaSize], order.toppings, order.beverages].map((part) =>
      tally(part).map(({ text }) => text).join("; ")),
  ])]);
}
