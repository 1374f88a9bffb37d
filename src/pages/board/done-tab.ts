/** The orders of a day: those that are closed, with a way back, and the day in figures. */

import { classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import {
  called, numberOf, partOf, pizzaName, shortNumber, together, togetherKey,
} from "../shared/orders.ts";
import type { NamedPizza, Order, Status } from "../shared/types.ts";
import { comma, locale, number, t, timeText } from "../shared/words.ts";
import { noteView } from "./contents.ts";
import { saveAsCsv } from "./csv.ts";
import { boundsOf, closedOf, type Day, dayBeside, dayOf, isFound } from "./day.ts";
import { moveOrders } from "./moves.ts";
import { readDay } from "./reading.ts";
import { canAct, set, type State } from "./state.ts";
import { statuses } from "./statuses.ts";

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });

export function doneTab(state: State): View {
  const { day } = state;
  if (day === undefined) return h("main", { key: "done", id: "done" });
  const closed = closedOf(day);
  const found = closed.filter((order) => isFound(order, day.search));
  const isToday = day.date === dayOf(state.now);
  return h("main", { key: "done", id: "done" },
    dayHead(state, day, isToday),
    ...!day.isRead ? [h("p", { key: "fault", class: "fault", role: "alert" }, day.fault)]
      : closed.length === 0 ? [nothingDone(isToday)]
        : [figures(day.orders), searchRow(day, closed.length, found.length),
          closedOrders(state, day, found)]);
}

function dayHead({ now }: State, day: Day, isToday: boolean): View {
  const go = (date: string): void => { void readDay(date); };
  const goBy = (days: number) => (): void => { go(dayBeside(day.date, days)); };
  return h("div", { key: "head", class: "tab-head" },
    h("h2", {}, isToday ? t("Today") : weekday.format(boundsOf(day.date).start)),
    h("p", { class: "days" },
      h("button", { "aria-label": t("Day before"), onclick: goBy(-1) }, "‹"),
      h("input", {
        type: "date", value: day.date, "aria-label": t("Day"), max: dayOf(now),
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
function figures(orders: readonly Order[]): View {
  const count = (status: Status): number =>
    orders.filter((order) => order.status === status).length;
  const kept = orders.filter(({ status }) => status !== "Cancelled");
  const all = [
    [t("Orders"), orders.length], [t("Delivered"), count("Delivered")],
    [t("Cancelled"), count("Cancelled")], [t("Pizzas"), kept.length],
    [t("Drinks"), kept.flatMap(({ beverages }) => beverages).length],
  ] as const;
  return h("dl", { key: "figures", class: "panel figures" }, ...all.map(([label, value]) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, number(value)))));
}

function searchRow(day: Day, count: number, found: number): View {
  const label = t("Number, name or note");
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

function closedOrders(state: State, day: Day, found: readonly Order[]): View {
  const allTogether = together(day.orders);
  // A row, and those above it.
  let guard = "";
  return h("ol", { key: "closed", class: "panel rows", "aria-label": t("Closed orders") },
    ...found.map((order) => {
      guard = `${guard} ${order.id}`;
      const index = partOf(order, allTogether.get(togetherKey(order)) ?? []);
      return doneRow(state, order, index, guard);
    }));
}

function doneRow(state: State, order: Order, index: number, guard: string): View {
  const { id, status, updatedAt, note = "" } = order;
  const whole = shortNumber(numberOf(order));
  const reopen = (): void => { void moveOrders([order], statuses[status].back); };
  const below = [
    ...order.table === undefined ? [] : [whole],
    ...index === 0 ? [] : [t("Pizza {number}", { number: index })],
  ].join(comma);
  return h("li", { key: id, guard },
    h("p", { class: "number" }, h("b", {}, h("bdi", {}, called(order))),
      below !== "" && h("span", {}, unseen(" "), h("bdi", {}, below))),
    h("div", { class: "what" }, noteView(note),
      h("p", { class: classes(note !== "" && "soft") },
        contentsText(order, state.menu.shop.pizzas))),
    h("p", { class: "soft ended" },
      h("time", { datetime: updatedAt }, timeText(new Date(updatedAt))), " ",
      h("span", {}, statuses[status].name)),
    h("button", { class: "plain", onclick: canAct(state) && reopen },
      t("Reopen"), unseen(` ${called(order)}`)));
}

/** "Margherita, Large: Tomato sauce, Mozzarella; Lager". */
function contentsText(order: Order, pizzas: readonly NamedPizza[]): string {
  const { pizzaSize, toppings, beverages } = order;
  const items = [toppings, beverages].filter((list) => list.length > 0)
    .map((list) => tally(list).map(({ text }) => text).join(comma)).join("; ");
  const pizza = pizzaName(order, pizzas);
  const size = pizza === undefined ? pizzaSize.name : pizza + comma + pizzaSize.name;
  return items === "" ? size : t("{size}: {items}", { size, items });
}
