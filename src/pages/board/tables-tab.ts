/** The tables with open orders, for those who bring the pizzas. */

import { type Child, classes, h, type View } from "../shared/dom.ts";
import { withPressKeys } from "../shared/presses.ts";
import { t } from "../shared/words.ts";
import { ageText, dueText, latenessOf, pizzasAt } from "./cards.ts";
import { orderPressText, type Pizza } from "./known-orders.ts";
import { type Table, tablesOf } from "./lists.ts";
import {
  changedTag, clockView, dotted, drinksView, failedText, moreButton, moveButton, nothingView,
  undoLineView,
} from "./parts.ts";
import { isStaff, type State } from "./state.ts";
import { openTableDialog } from "./table-dialog.ts";
import { tableSignsButton } from "./table-signs.ts";
import { newOrderLink } from "./top-bar.ts";

export function tablesTab(state: State): View {
  const tables = tablesOf(state);
  const rows = withPressKeys(tables, ({ key, orders, undoLine }) =>
    [key, undoLine?.key, ...orders.map(orderPressText)].join());
  return h("main", { key: "tables", id: "tables" },
    h("h2", { class: "unseen" }, t("Tables")),
    isStaff(state) && h("p", { key: "new", class: "phone-only" }, newOrderLink()),
    tables.length === 0 && state.hasRead
      ? nothingView(t("No table has an open order."), [], isStaff(state) && tableSignsButton())
      : h("ul", { key: "tables", class: "stack tables" }, ...rows.map(([table, pressKey]) =>
        tableRow(state, table, pressKey))));
}

function tableRow(state: State, table: Table, pressKey: string): View {
  const { key, name, undoLine } = table;
  return h("li", {
    key, pressKey, class: classes("order-row", undoLine !== undefined && "is-left"),
  },
    undoLine && undoLineView(state, undoLine),
    h("article", { class: "wrap", "aria-label": name, inert: undoLine !== undefined },
      h("div", { class: "row-text" }, ...tableText(state, table)),
      isStaff(state) && h("div", { class: "wrap table-buttons" },
        serveButton(state, table),
        newOrderLink(name),
        moreButton(state, name, () => { openTableDialog(table); }))));
}

function tableText(state: State, table: Table): readonly Child[] {
  const { name, orders } = table;
  const [first] = orders;
  const ready = readyAt(table).map(({ statusSince }) => statusSince).sort()[0];
  const oldest = orders.reduce((last, next) => next.dueAt < last.dueAt ? next : last, first);
  const sum = (field: "count" | "readyCount"): number =>
    orders.reduce((total, order) => total + order[field], 0);
  const isUntouched = orders.every((order) => order.stage === "new" && order.readyCount === 0);
  const names = [...new Set(orders.map((order) => order.name).filter((each) => each !== ""))];
  return [
    failedText(orders.flatMap(({ pizzas }) => pizzas)),
    h("h3", {}, h("bdi", {}, name), " ",
      clockView(dueText(oldest, state.now), latenessOf(oldest, state.now))),
    h("p", { class: "soft" }, ...dotted(
      orders.length > 1 && t("{count} orders", { count: orders.length }),
      ...names.map((each) => h("b", {}, h("bdi", {}, each))),
      isUntouched ? t("{count} not started", { count: sum("count") })
        : t("{count} of {total} ready", { count: sum("readyCount"), total: sum("count") }),
      ready !== undefined && t("for {age}", { age: ageText(ready, state.now) }))),
    drinksView(orders.flatMap(({ drinks }) => drinks)),
    ...orders.map((order) => changedTag(state, order)),
  ];
}

/** The pizzas that a waiter can bring now. */
function readyAt({ orders }: Table): readonly Pizza[] {
  return orders.flatMap((order) => pizzasAt(order, "ready"));
}

/** Brings what is ready of all orders of the table. */
function serveButton(state: State, table: Table): Child {
  const pizzas = readyAt(table);
  return pizzas.length > 0 && moveButton(state, table.name, {
    pizzas, to: "Delivered", label: t("Serve {number}", { number: pizzas.length }),
  }, true);
}
