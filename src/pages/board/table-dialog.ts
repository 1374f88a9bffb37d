/** The dialog that `⋯` of a table opens: it moves all of its orders, and leads to each of them. */

import { longestName } from "../../resources/limits.ts";
import { h, icon, submitted, type View } from "../shared/dom.ts";
import { isOpen } from "../shared/orders.ts";
import { tableNameOf } from "../shared/table-names.ts";
import { t } from "../shared/words.ts";
import { dialogFrame } from "./dialog-frame.ts";
import type { TableDialog } from "./dialog-state.ts";
import { takeWhole } from "./forms.ts";
import { type Table, tablesOf } from "./lists.ts";
import { changeTexts } from "./moves.ts";
import { openOrderDialog } from "./order-dialog.ts";
import type { State } from "./state.ts";
import { closeDialog, drawNow, openDialog, updateDialog } from "./store.ts";

/** The name is selected: a number alone is typed over it. */
export function openTableDialog({ key, name }: Table, table = name, failure = ""): void {
  openDialog({ type: "table", key, table, failure });
  drawNow();
  document.querySelector<HTMLInputElement>("dialog [name=table]")?.select();
}

/** Undefined where the orders have left the table. */
export function tableDialog(state: State, dialog: TableDialog): View | undefined {
  const table = tablesOf(state).find(({ key, undoLine }) =>
    key === dialog.key && undoLine === undefined);
  if (table === undefined) return undefined;
  const { name, orders } = table;
  return dialogFrame({ name: "table", title: name }, [
    h("form", {
      class: "link-form wrap", onsubmit: submitted(() => { void moveTable(table, dialog); }),
    },
      h("label", {}, h("span", {}, t("Move to table")), h("input", {
        name: "table", value: dialog.table, autocomplete: "off", dir: "auto",
        oninput: takeWhole(dialog.table, longestName, (table) => {
          updateDialog("table", { table });
        }),
      })),
      h("button", { type: "submit", class: "go" }, t("Move"))),
    h("p", { class: "fault", role: "alert" }, dialog.failure),
    h("ul", { class: "actions-list rows" }, ...orders.map((order) => h("li", { key: order.id },
      h("button", { class: "plain row-button", onclick: () => { openOrderDialog(order); } },
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
  const writes = orders.flatMap(({ pizzas }) => pizzas.filter(isOpen))
    .map((seen) => ({ seen, body: { table } }));
  closeDialog();
  const failure = await changeTexts(writes);
  if (failure !== "") openTableDialog(from, dialog.table, failure);
}
