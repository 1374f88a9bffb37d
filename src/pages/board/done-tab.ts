/** The orders of a day: those that are closed, with a way back, and the day in figures. */

import { h, icon, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import { equalPizzas, numberOf, orderTitle, shortNumber } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order } from "../shared/types.ts";
import { comma, locale, numberText, t, timeText } from "../shared/words.ts";
import { noteView } from "./contents.ts";
import { saveAsCsv } from "./csv.ts";
import { addDays, boundsOf, closedOf, countsOf, dateOf, type Day, lastChange } from "./day.ts";
import { type Guard, nextGuards } from "./guards.ts";
import { moveOrders } from "./moves.ts";
import { readDay } from "./reading.ts";
import { isFound } from "./search.ts";
import { canAct, type State } from "./state.ts";
import { statuses } from "./statuses.ts";
import { set } from "./store.ts";

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });

export function doneTab(state: State): View {
  const { day } = state;
  if (day === undefined) return h("main", { key: "done", id: "done" });
  const closed = closedOf(day);
  const found = closed.filter((orders) =>
    orders.some((order) => isFound(order, day.search)));
  const isToday = day.date === dateOf(state.now);
  return h("main", { key: "done", id: "done" },
    dayHead(state, day, isToday),
    ...!day.isRead ? [h("p", { key: "fault", class: "fault", role: "alert" }, day.failure)]
      : closed.length === 0 ? [nothingDone(isToday)]
        : [figures(day), searchRow(day, closed.length, found.length), closedOrders(state, found)]);
}

function dayHead({ now }: State, day: Day, isToday: boolean): View {
  const go = (date: string): void => { void readDay(date); };
  const goBy = (days: number) => (): void => { go(addDays(day.date, days)); };
  return h("div", { key: "head", class: "tab-head" },
    h("h2", {}, isToday ? t("Today") : weekday.format(boundsOf(day.date).start)),
    h("p", { class: "days" },
      h("button", { "aria-label": t("Day before"), onclick: goBy(-1) }, "‹"),
      h("input", {
        type: "date", value: day.date, "aria-label": t("Day"), max: dateOf(now),
        oninput: ({ currentTarget: { value } }) => { if (value !== "") go(value); },
      }),
      h("button", { "aria-label": t("Day after"), onclick: goBy(1) }, "›")),
    day.isRead && day.orders.length > 0
      && h("button", { onclick: () => { saveAsCsv(day); } }, t("Save as CSV")));
}

function nothingDone(isToday: boolean): View {
  return h("div", { key: "nothing", class: "nothing" },
    h("h2", {}, isToday ? t("Nothing is done yet") : t("No order of this day is closed yet.")),
    h("p", {}, t("Orders come here once they are delivered or cancelled.")));
}

/** Orders that are still to be made count too: only what was cancelled is no pizza. */
function figures(day: Day): View {
  const kept = day.orders.filter(({ status }) => status !== "Cancelled");
  const counts = countsOf(day);
  const all = [
    [t("Orders"), counts.all], [t("Delivered"), counts.Delivered],
    [t("Cancelled"), counts.Cancelled], [t("Pizzas"), kept.length],
    [t("Drinks"), kept.flatMap(({ beverages }) => beverages).length],
  ] as const;
  return h("dl", { key: "figures", class: "panel figures" }, ...all.map(([label, value]) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, numberText(value)))));
}

function searchRow(day: Day, count: number, found: number): View {
  const label = t("Number, table, name, note or pizza");
  return h("div", { key: "find", class: "find", role: "search" },
    h("label", { class: "search" }, icon("search"), unseen(label), h("input", {
      type: "search", value: day.search, autocomplete: "off", spellcheck: "false",
      placeholder: label,
      oninput: ({ currentTarget: { value } }) => { set({ day: { ...day, search: value } }); },
    })),
    h("p", { class: "soft", role: "status" }, day.search === ""
      ? t("{count} closed, newest first", { count })
      : t("{number} of {total}", { number: found, total: count })));
}

/** The guards of the rows as they were drawn last. */
const drawn: { guards: readonly Guard[] } = { guards: [] };

function closedOrders(state: State, found: readonly (readonly Order[])[]): View {
  drawn.guards = nextGuards(drawn.guards, found.map((orders) =>
    orders.map(({ id, status }) => `${id} ${status}`).join()));
  return h("ol", { key: "closed", class: "panel rows", "aria-label": t("Closed orders") },
    ...found.map((orders, index) => doneRow(state, orders, drawn.guards[index]?.guard ?? 0)));
}

function doneRow(state: State, orders: readonly Order[], guard: number): View {
  const [order] = orders as [Order];
  const { id, status, table } = order;
  const names = [...new Set(orders.flatMap(({ name }) => name ?? []))];
  const below = [...table === undefined ? [] : [shortNumber(numberOf(order))], ...names];
  const reopen = (): void => { void moveOrders(orders, statuses[status].back); };
  const end = lastChange(orders);
  return h("li", { key: `${status} ${id}`, pressKey: `${guard}` },
    h("p", { class: "number" }, h("b", {}, h("bdi", {}, orderTitle(order))),
      below.length > 0 && h("span", {}, unseen(" "), h("bdi", {}, below.join(comma)))),
    h("div", { class: "what" }, ...equalPizzas(orders).map((equal, index) =>
      h("div", { key: index }, noteView(equal[0]?.note ?? ""), h("p", {}, contentsText(equal))))),
    h("p", { class: "soft ended" },
      h("time", { datetime: end }, timeText(new Date(end))), " ",
      h("span", {}, statuses[status].name)),
    h("button", { class: "plain", onclick: canAct(state) && reopen },
      t("Reopen"), unseen(` ${orderTitle(order)}`)));
}

/** "2× Margherita, Large: Tomato sauce, Mozzarella; Lager". */
function contentsText(orders: readonly Order[]): string {
  const [order] = orders as [Order];
  const drinks = orders.flatMap(({ beverages }) => beverages);
  const items = [order.toppings, drinks].filter((list) => list.length > 0)
    .map((list) => tally(list).map(({ text }) => text).join(comma)).join("; ");
  const title = pizzaTitle(order);
  const size = orders.length < 2 ? title
    : t("{number}× {name}", { number: orders.length, name: title });
  return items === "" ? size : t("{size}: {items}", { size, items });
}
