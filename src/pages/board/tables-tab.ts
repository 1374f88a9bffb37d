/** The tables with open orders, for those who bring the pizzas. */

import { longestName } from "../../resources/limits.ts";
import { type Child, classes, h, icon, submitted, unseen, type View } from "../shared/dom.ts";
import { isOpen } from "../shared/orders.ts";
import { withPressKeys } from "../shared/presses.ts";
import { tableNameOf } from "../shared/table-names.ts";
import { t } from "../shared/words.ts";
import { ageText, dueText, latenessOf, pizzasOf } from "./cards.ts";
import { dialogFrame } from "./dialog-frame.ts";
import type { TableDialog } from "./dialog-state.ts";
import { whole } from "./forms.ts";
import { orderText, type Pizza } from "./known-orders.ts";
import { type Table, tablesOf } from "./lists.ts";
import { changeTexts, moveOrders } from "./moves.ts";
import { openOrderActions } from "./order-dialog.ts";
import {
  changedTag, dotted, drinksView, failedText, moreButton, nothingView, undoLineView,
} from "./parts.ts";
import { canAct, isStaff, type State } from "./state.ts";
import { closeDialog, drawNow, openDialog, updateDialog } from "./store.ts";
import { tableCardsButton } from "./table-signs.ts";
import { newOrderLink } from "./top-bar.ts";

export function tablesTab(state: State): View {
  const tables = tablesOf(state);
  const rows = withPressKeys(tables, ({ key, orders, line }) =>
    [key, line?.key, ...orders.map(orderText)].join());
  return h("main", { key: "tables", id: "tables" },
    h("h2", { class: "unseen" }, t("Tables")),
    isStaff(state) && h("p", { key: "new", class: "phone-only" }, newOrderLink()),
    tables.length === 0 && state.hasRead
      ? nothingView(t("No table has an open order."), [], isStaff(state) && tableCardsButton())
      : h("ul", { key: "tables", class: "stack tables" }, ...rows.map(([table, pressKey]) =>
        tableRow(state, table, pressKey))));
}

function tableRow(state: State, table: Table, pressKey: string): View {
  const { key, name, line } = table;
  return h("li", {
    key, pressKey, class: classes("order-row", line !== undefined && "is-left"),
  },
    line && undoLineView(state, line),
    h("article", { class: "wrap", "aria-label": name, inert: line !== undefined },
      h("div", { class: "row-text" }, ...words(state, table)),
      isStaff(state) && h("div", { class: "wrap table-buttons" },
        serveButton(state, table),
        newOrderLink(name),
        moreButton(state, name, () => { openTableDialog(table, name); }))));
}

function words(state: State, table: Table): readonly Child[] {
  const { name, orders } = table;
  const [first] = orders;
  const ready = readyAt(table).map(({ statusSince }) => statusSince).sort()[0];
  const oldest = orders.reduce((one, other) => other.dueAt < one.dueAt ? other : one, first);
  const lateness = latenessOf(oldest, state.now);
  const sum = (field: "count" | "readyCount"): number =>
    orders.reduce((total, order) => total + order[field], 0);
  const isUntouched = orders.every((order) => order.stage === "new" && order.readyCount === 0);
  const names = [...new Set(orders.map((order) => order.name).filter((each) => each !== ""))];
  return [
    failedText(orders.flatMap(({ pizzas }) => pizzas)),
    h("h3", {}, h("bdi", {}, name), " ",
      h("span", {
        class: classes("clock", ["soft", "late amber", "late red"][lateness] ?? ""),
      },
        dueText(oldest, state.now),
        lateness > 0 && unseen(` ${t("late")}`))),
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
  return orders.flatMap((order) => pizzasOf(order, "Ready"));
}

/** Brings what is ready of all orders of the table. */
function serveButton(state: State, table: Table): Child {
  const pizzas = readyAt(table);
  const press = (): void => { void moveOrders(pizzas, "Delivered"); };
  return pizzas.length > 0 && h("button", {
    key: "serve", class: "move-button go", pressKey: pizzas.map(({ id }) => id).join(),
    onclick: canAct(state) && press,
  }, t("Serve {number}", { number: pizzas.length }), unseen(` ${table.name}`));
}

/** The name is selected: a number alone is typed over it. */
function openTableDialog({ key }: Table, table: string, failure = ""): void {
  openDialog({ type: "table", key, table, failure });
  drawNow();
  document.querySelector<HTMLInputElement>("dialog [name=table]")?.select();
}

/** Moves all orders of a table, and leads to each of them. */
export function tableDialog(state: State, dialog: TableDialog): View | undefined {
  const table = tablesOf(state).find(({ key, line }) => key === dialog.key && line === undefined);
  if (table === undefined) return undefined;
  const { name, orders } = table;
  return dialogFrame({ name: "table", title: name }, [
    h("form", {
      class: "link-form wrap", onsubmit: submitted(() => { void moveTable(table, dialog); }),
    },
      h("label", {}, h("span", {}, t("Move to table")), h("input", {
        name: "table", value: dialog.table, autocomplete: "off", dir: "auto",
        oninput: whole(dialog.table, longestName, (table) => {
          updateDialog("table", { table });
        }),
      })),
      h("button", { type: "submit", class: "go" }, t("Move"))),
    h("p", { class: "fault", role: "alert" }, dialog.failure),
    h("ul", { class: "actions-list rows" }, ...orders.map((order) => h("li", { key: order.id },
      h("button", { class: "plain row-button", onclick: () => { openOrderActions(order); } },
        icon("next"),
        h("span", {}, h("bdi", {}, order.name || order.number),
          h("span", { class: "soft small" }, " ",
            t("{count} of {total} ready", { count: order.readyCount, total: order.count }))))))),
  ]);
}

async function moveTable(from: Table, dialog: TableDialog): Promise<void> {
  const { name, orders } = from;
  const table = tableNameOf(dialog.table).trim();
  if (table === "" || table === name) return closeDialog();
  const steps = orders.flatMap(({ pizzas }) => pizzas.filter(isOpen))
    .map((seen) => ({ seen, body: { table } }));
  closeDialog();
  const failure = await changeTexts(steps);
  if (failure !== "") openTableDialog(from, dialog.table, failure);
}
