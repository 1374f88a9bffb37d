/** The orders of a day: those that are closed, with a way back, and the day in figures. */

import { isBase } from "../drawing/cheeses.ts";
import { button, type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import { noteView, searchField } from "../shared/parts.ts";
import type { Order, Status } from "../shared/types.ts";
import { comma, locale, number, t, timeText } from "../shared/words.ts";
import { statusNames } from "./actions.ts";
import { boundsOf, calendarDay, closedOf, type Day, isFound, namesOf } from "./day.ts";
import { canAct, type State } from "./state.ts";

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });

export function doneTab(state: State): View {
  const { day, now } = state;
  if (day === undefined) return h("main", { key: "done", id: "done" });
  const today = calendarDay(new Date(now));
  const closed = closedOf(day);
  const isToday = day.date === today;
  return h("main", { key: "done", id: "done" },
    h("div", { class: "tab-head" },
      h("h2", {}, isToday ? t("Today") : weekday.format(boundsOf(day.date).start)),
      h("p", { class: "days" },
        button("day-by", -1, { "aria-label": t("Day before") }, "‹"),
        h("input", {
          type: "date", value: day.date, "data-do": "day", "aria-label": t("Day"), max: today,
        }),
        button("day-by", 1, { "aria-label": t("Day after") }, "›")),
      day.isRead && day.orders.length > 0 && button("csv", "", {}, t("Save as CSV"))),
    ...!day.isRead ? [h("p", { key: "fault", class: "fault", role: "alert" }, day.fault)]
      : closed.length === 0 ? [nothingDone(isToday)]
        : [figures(day.orders), ...closedOrders(day, closed, canAct(state))]);
}

function nothingDone(isToday: boolean): View {
  return h("div", { key: "nothing", class: "nothing" },
    h("h2", {}, isToday ? t("Nothing is done yet") : t("No order of this day is closed yet.")),
    h("p", {}, t("Orders come here once they are delivered or cancelled.")));
}

function closedOrders(day: Day, closed: readonly Order[], isActive: boolean): readonly View[] {
  const found = closed.filter((order) => isFound(order, day.search));
  return [
    h("div", { key: "find", class: "find", role: "search" },
      searchField("find-number", day.search, t("Number, name or note")),
      h("p", { class: "soft", role: "status" }, day.search === ""
        ? t("{count} closed, newest first", { count: closed.length })
        : t("{number} of {total}", { number: found.length, total: closed.length }))),
    h("ol", { key: "closed", class: "panel rows", "aria-label": t("Closed orders") },
      ...found.map((order) => doneRow(order, isActive))),
  ];
}

function doneRow(order: Order, isActive: boolean): View {
  const { id, status, updatedAt, note = "" } = order;
  const { name, below } = namesOf(id);
  return h("li", { key: id, "data-order": id, "data-guard": id },
    h("p", { class: "number" }, h("b", {}, h("bdi", {}, name)),
      below !== "" && h("span", {}, unseen(" "), h("bdi", {}, below))),
    h("div", { class: "what" },
      note !== "" && noteView(note),
      h("p", { class: classes(note !== "" && "soft") }, ...contents(order))),
    h("p", { class: "soft ended" },
      h("time", { datetime: updatedAt }, timeText(new Date(updatedAt))), " ",
      h("span", {}, statusNames[status])),
    button("reopen", id, {
      class: "plain", "aria-disabled": !isActive && "true",
    }, t("Reopen"), unseen(` ${name}`)));
}

/** "Large: 2× Mozzarella, Rocket; Lager"; the base only if there is nothing else. */
function contents({ pizzaSize, toppings, beverages }: Order): readonly Child[] {
  const told = tally(toppings).filter(({ name, count }) => count > 1 || !isBase(name));
  const lists = [told.length > 0 ? told : tally(toppings), tally(beverages)];
  const items = lists.filter((list) => list.length > 0).map((list) =>
    list.map(({ text }) => text).join(comma)).join("; ");
  const size = pizzaSize.name;
  return [items === "" ? size : t("{size}: {items}", { size, items })];
}

/** Orders that are still to be made count too: only what was cancelled is no pizza. */
function figures(orders: readonly Order[]): View {
  const count = (status: Status): number => orders.filter((one) => one.status === status).length;
  const kept = orders.filter(({ status }) => status !== "Cancelled");
  const all = [
    [t("Orders"), orders.length], [t("Delivered"), count("Delivered")],
    [t("Cancelled"), count("Cancelled")], [t("Pizzas"), kept.length],
    [t("Drinks"), kept.flatMap(({ beverages }) => beverages).length],
  ] as const;
  return h("dl", { class: "panel figures" }, ...all.map(([label, value]) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, number(value)))));
}
