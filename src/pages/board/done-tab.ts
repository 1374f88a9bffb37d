/** The orders of a day: those that are closed, with a way back, and the day in figures. */

import { button, type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import { noteView, searchField } from "../shared/parts.ts";
import type { Order, Status } from "../shared/types.ts";
import { comma, dayText, locale, number, t, timeText } from "../shared/words.ts";
import { statusNames } from "./actions.ts";
import { isBase } from "./base.ts";
import { isReady } from "./cards.ts";
import {
  boundsOf, calendarDay, csvOf, csvTime, type Day, foundIn, isClosed, namesOf,
} from "./day.ts";
import { canAct, type State } from "./state.ts";

/** As many as people look through. */
const shownAtOnce = 60;

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });

export function doneTab(state: State): View {
  const { day, now } = state;
  if (day === undefined) return h("main", { key: "done", id: "done" });
  const today = calendarDay(new Date(now));
  const found = foundIn(day);
  const isEmpty = day.isRead && day.date === today && day.search === ""
    && !day.orders.some(({ status }) => isClosed(status));
  return h("main", { key: "done", id: "done" },
    h("div", { class: "tab-head" },
      h("h2", {}, day.date === today ? t("Today") : weekday.format(boundsOf(day.date).start)),
      h("p", { class: "days" },
        button("day-by", -1, { "aria-label": t("Day before") }, "‹"),
        h("input", {
          type: "date", value: day.date, "data-do": "day", "aria-label": t("Day"), max: today,
        }),
        button("day-by", 1, { "aria-label": t("Day after") }, "›")),
      day.orders.length > 0 && button("csv", "", {
        "aria-disabled": !day.isRead && "true",
      }, t("Save as CSV"))),
    ...isEmpty ? [nothingDone()] : [
      day.orders.length > 0 && day.isRead && figures(day.orders), findForm(day, found.length),
      h("ol", { class: "panel rows", "aria-label": t("Closed orders") },
        ...doneRows(found, day, canAct(state))),
    ]);
}

function nothingDone(): View {
  return h("div", { key: "nothing", class: "nothing" },
    h("h2", {}, t("Nothing is done yet")),
    h("p", {}, t("Orders come here once they are delivered or cancelled.")));
}

function findForm(day: Day, found: number): View {
  const closed = day.orders.filter(({ status }) => isClosed(status)).length;
  return h("form", { class: "find", role: "search", "data-do": "find" },
    searchField("find-number", day.search, t("Number, name or note")),
    h("p", { class: "soft", role: "status" }, day.note !== "" ? day.note
      : !day.isRead ? "" : day.search === ""
        ? t("{count} closed, newest first", { count: closed })
        : t("{number} of {total}", { number: found, total: Math.max(found, closed) })));
}

function doneRows(found: readonly Order[], day: Day, isActive: boolean): readonly View[] {
  if (found.length === 0) {
    const isSearch = day.search.trim() !== "";
    return !day.isRead ? [] : [h("li", { key: "none", class: "soft none" },
      h("span", {}, isSearch ? t("No order of this day has that number, name or note.")
        : t("No order of this day is closed yet.")),
      isSearch && button("find", "", { class: "plain" }, t("Search all days")))];
  }
  const rest = found.length - shownAtOnce;
  return [...found.slice(0, shownAtOnce).map((order) => doneRow(order, day, isActive)),
    ...rest > 0 ? [h("li", { key: "rest", class: "soft none" },
      t("{count} more: search by number", { count: rest }))] : []];
}

function doneRow(order: Order, day: Day, isActive: boolean): View {
  const { id, status, updatedAt, note = "" } = order;
  const { name, below } = namesOf(id);
  const changed = new Date(updatedAt);
  const time = timeText(changed);
  return h("li", { key: id, "data-order": id, "data-guard": id },
    h("p", { class: "number" }, h("b", {}, h("bdi", {}, name)),
      below !== "" && h("span", {}, unseen(" "), h("bdi", {}, below))),
    h("div", { class: "what" },
      note !== "" && noteView(note),
      h("p", { class: classes(note !== "" && "soft") }, ...contents(order))),
    h("p", { class: "soft ended" },
      h("time", { datetime: updatedAt }, calendarDay(changed) === day.date ? time
        : t("{day}, {time}", { day: dayText(changed), time })), " ",
      h("span", {}, statusNames[status])),
    isClosed(status) && button("reopen", id, {
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

function figures(orders: readonly Order[]): View {
  const count = (status: Status): number => orders.filter((one) => one.status === status).length;
  const made = orders.filter(({ status }) => isReady(status));
  const all = [
    [t("Orders"), orders.length], [t("Delivered"), count("Delivered")],
    [t("Cancelled"), count("Cancelled")], [t("Pizzas"), made.length],
    [t("Drinks"), made.flatMap(({ beverages }) => beverages).length],
  ] as const;
  return h("dl", { class: "panel figures" }, ...all.map(([label, value]) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, number(value)))));
}

export function dayTable(orders: readonly Order[]): string {
  const head = [
    t("Number"), t("Placed"), t("Last change"), t("Stage"), t("Note"), t("Size"), t("Toppings"),
    t("Drinks"),
  ];
  return csvOf([head, ...orders.map((order) => [
    order.id, csvTime(order.placedAt), csvTime(order.updatedAt), statusNames[order.status],
    order.note ?? "",
    ...[[order.pizzaSize], order.toppings, order.beverages].map((part) =>
      tally(part).map(({ text }) => text).join("; ")),
  ])]);
}
