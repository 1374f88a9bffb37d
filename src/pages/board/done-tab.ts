/** The orders of a day: what was sold, and the closed orders, with their steps and a way back. */

import { type Child, h, searchField, unseen, type View } from "../shared/dom.ts";
import { type CountedItem, countedText, tally } from "../shared/menu.ts";
import { type PizzaRow, shortNumber, type WholeOrder } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { withPressKeys } from "../shared/presses.ts";
import { comma, dayText, joined, locale, numberText, t, timeText } from "../shared/words.ts";
import { saveAsCsv } from "./csv.ts";
import {
  addDays, boundsOf, closedOrders, countsOf, dateOf, type Day, isToday, lastChange, soldDrinks,
  soldPizzas,
} from "./day.ts";
import { moveOrders } from "./moves.ts";
import { countedViews, noteView, nothingView } from "./parts.ts";
import { changeShownDay, readDay } from "./reading.ts";
import { isFound } from "./search.ts";
import { canAct, type State } from "./state.ts";
import { statuses } from "./statuses.ts";

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });

export function doneTab(state: State): View {
  const { day } = state;
  if (day === undefined) return h("main", { key: "done", id: "done" });
  const closed = closedOrders(day);
  const found = closed.filter(({ pizzas }) => isFound(pizzas, day.search));
  return h("main", { key: "done", id: "done" },
    dayHead(state, day),
    ...!day.isRead ? [h("p", { key: "fault", class: "fault", role: "alert" }, day.failure)]
      : closed.length === 0 ? [nothingDone(state, day), daysAround(state, day)]
        : [figures(day), sold(day), searchRow(day, closed.length, found.length),
          found.length === 0 ? daysAround(state, day) : closedList(state, day, found)]);
}

function dayHead({ now }: State, day: Day): View {
  const goBy = (days: number) => (): void => { void readDay(addDays(day.date, days)); };
  return h("div", { key: "head", class: "tab-head wrap" },
    h("h2", { class: "large" },
      isToday(day, now) ? t("Today") : weekday.format(boundsOf(day.date).start)),
    h("p", { class: "day-choice actions" },
      h("button", { "aria-label": t("Day before"), onclick: goBy(-1) }, "‹"),
      h("input", {
        type: "date", value: day.date, "aria-label": t("Day"), max: dateOf(now),
        oninput: ({ currentTarget: { value } }) => { if (value !== "") void readDay(value); },
      }),
      h("button", { "aria-label": t("Day after"), onclick: goBy(1) }, "›")),
    day.isRead && day.orders.length > 0
      && h("button", { onclick: () => { saveAsCsv(day); } }, t("Save as CSV")));
}

function nothingDone({ now }: State, day: Day): View {
  return nothingView(
    isToday(day, now) ? t("Nothing is done yet") : t("No order of this day is closed yet."),
    [t("Orders come here once they are delivered or cancelled.")]);
}

/** Where a search finds nothing: the same words on the day before and on the day after. */
function daysAround({ now }: State, { date, search }: Day): Child {
  if (search === "") return undefined;
  const dates = [addDays(date, -1), addDays(date, 1)].filter((other) => other <= dateOf(now));
  return nothingView("", [t("Nothing of this day fits “{search}”.", { search })],
    ...dates.map((other) => h("button", {
      key: other, onclick: () => { void readDay(other, search); },
    }, t("Look on {day}", { day: dayText(boundsOf(other).start) }))));
}

function figures(day: Day): View {
  const counts = countsOf(day);
  const all = [
    [t("Orders"), counts.all], [t("Delivered"), counts.Delivered],
    [t("Cancelled"), counts.Cancelled],
  ] as const;
  return h("dl", { key: "figures", class: "panel figures" }, ...all.map(([label, value]) =>
    h("div", {}, h("dt", { class: "soft" }, label), h("dd", {}, numberText(value)))));
}

function sold(day: Day): View {
  return h("section", { key: "sold", class: "panel sold", "aria-label": t("Sold") },
    soldList(t("Pizzas"), soldPizzas(day)), soldList(t("Drinks"), soldDrinks(day)));
}

function soldList(title: string, items: readonly CountedItem[]): Child {
  const total = items.reduce((sum, { count }) => sum + count, 0);
  return total > 0 && h("div", { key: title },
    h("h3", {}, numberText(total), " ", title),
    h("ul", {}, ...countedViews(items)));
}

function searchRow(day: Day, count: number, found: number): View {
  const label = t("Number, table, name, note or pizza");
  return h("div", { key: "find", class: "done-search wrap", role: "search" },
    searchField(label, day.search, (search) => { changeShownDay({ search }); },
      { placeholder: label }),
    h("p", { class: "soft", role: "status" }, day.search === ""
      ? t("{count} closed, newest first", { count })
      : t("{number} of {total}", { number: found, total: count })));
}

function closedList(state: State, day: Day, found: readonly WholeOrder[]): View {
  const rows = withPressKeys(found, ({ id, pizzas }) =>
    [id, day.opened === id, ...pizzas.map(({ status }) => status)].join());
  return h("ol", { key: "closed", class: "panel rows", "aria-label": t("Closed orders") },
    ...rows.map(([order, pressKey]) =>
      doneRow(state, order, day.opened === order.id, pressKey)));
}

function doneRow(state: State, order: WholeOrder, isOpened: boolean, pressKey: string): View {
  const { id, title, number, name, rows, drinks, pizzas, count } = order;
  const end = lastChange(order);
  // The cancelled part of a delivered order stays cancelled.
  const status = count > 0 ? "Delivered" : "Cancelled";
  const reopen = (): void => {
    void moveOrders(pizzas.filter((pizza) => pizza.status === status), statuses[status].back);
  };
  const below = [shortNumber(number), name].filter((text) => text !== "" && text !== title);
  return h("li", { key: id, pressKey },
    h("button", {
      class: "plain row-button done-title", "aria-expanded": String(isOpened),
      onclick: () => { changeShownDay({ opened: isOpened ? "" : id }); },
    },
      h("b", { class: "display" }, h("bdi", {}, title)),
      below.length > 0 && h("span", { class: "soft small" },
        unseen(" "), h("bdi", {}, below.join(comma)))),
    h("div", { class: "done-pizzas" },
      ...rows.map((row) => pizzaText(row, isOpened)),
      drinks.length > 0 && h("p", { key: "drinks" }, itemsText(drinks))),
    h("p", { class: "soft done-end" },
      h("time", { datetime: end }, timeText(new Date(end))), " ",
      h("span", { class: "small" }, statuses[status].name)),
    h("button", { class: "plain strong leafy reopen", onclick: canAct(state) && reopen },
      t("Reopen"), unseen(` ${title}`)));
}

/** "2× Margherita, Large: Tomato sauce, Mozzarella", its note, and its steps. */
function pizzaText(row: PizzaRow, isOpened: boolean): View {
  const [pizza] = row;
  const { id, toppings, note = "", status } = pizza;
  const size = countedText(row.length, pizzaTitle(pizza));
  const items = itemsText(toppings);
  const text = items === "" ? size : t("{size}: {items}", { size, items });
  return h("div", { key: id }, noteView(note),
    h("p", {}, status === "Cancelled" ? h("s", {}, text) : text),
    isOpened && h("p", { key: "steps", class: "soft small" }, stepsText(row)));
}

function itemsText(references: Parameters<typeof tally>[0]): string {
  return tally(references).map(({ text }) => text).join(comma);
}

/** "Placed 7:02 PM, for 7:30 PM, Delivered 7:41 PM". */
function stepsText([{ placedAt, wantedAt, status, statusSince }]: PizzaRow): string {
  const time = (moment: string): string => timeText(new Date(moment));
  const wanted = wantedAt === undefined ? "" : t("for {time}", { time: time(wantedAt) });
  return joined(joined(t("Placed {time}", { time: time(placedAt) }), wanted),
    `${statuses[status].name} ${time(statusSince)}`);
}
