/** The whole board: the top bar, the bars below it, the tab that is open, and what floats above. */

import { type Child, classes, h, type View } from "../shared/dom.ts";
import { wholeOrders } from "../shared/orders.ts";
import { t } from "../shared/words.ts";
import { changeForm } from "./change-form.ts";
import { addDeviceDialog, devicesDialog } from "./devices-view.ts";
import { doneTab } from "./done-tab.ts";
import { itemForm } from "./item-form.ts";
import { tablesOf } from "./lists.ts";
import { menuRowDialog, menuTab, openingForm } from "./menu-tab.ts";
import { orderDialog } from "./order-dialog.ts";
import { ordersTab } from "./orders-tab.ts";
import { undoLineView } from "./parts.ts";
import { pizzaForm } from "./pizza-form.ts";
import { type Columns, type InSight, ordersInSight } from "./room.ts";
import { settingsDialog } from "./settings.ts";
import { shopForm } from "./shop-form.ts";
import { canAct, isLive, type State } from "./state.ts";
import { tableDialog } from "./table-dialog.ts";
import { tableSignsDialog } from "./table-signs.ts";
import { tablesTab } from "./tables-tab.ts";
import { shopName, topBar } from "./top-bar.ts";
import { lostBar, refusedBar, signInPanel } from "./trouble-view.ts";

/** From one drawing to the next each card keeps its column. */
const drawn: { columns: Columns } = { columns: [] };

export function viewOf(state: State): readonly Child[] {
  const { role, refused, hasRead } = state;
  if (role === "nobody" || refused !== undefined && !hasRead) {
    return [h("div", { key: "board", id: "board" },
      h("header", { key: "top", class: "top wrap dark" }, ...shopName(state)), signInPanel(state))];
  }
  const { tab } = state;
  const inSight = ordersInSight(state, drawn.columns);
  drawn.columns = inSight.allColumns;
  // Tickets and cards for tables are printed alone.
  const offPaper = state.paper !== undefined && "off-paper";
  return [
    h("div", {
      key: "board", id: "board",
      class: classes(!isLive(state) && "frozen", role === "reader" && "view-only", offPaper),
    },
      topBar(state), refusedBar(state),
      // Where a bar comes or goes above the cards, all of them move.
      h("div", {
        key: "body", class: `tab-area on-${tab}`,
        pressKey: [
          role, refused === undefined, tab !== "orders" && state.lostAt !== undefined,
        ].join(),
      },
        lostBar(state), tabView(state, inSight), undoLines(state, inSight))),
    h("section", { key: "over", class: classes(offPaper) }, dialogView(state)),
    h("p", { key: "arrived", class: "unseen", role: "status" }, arrivedText(state)),
    h("p", { key: "done", class: "unseen", role: "log", "aria-label": t("News") },
      state.undoLines.at(-1)?.text ?? ""),
    paperView(state),
  ];
}

/** The lines that hold no place in sight. */
function undoLines(state: State, { lists }: InSight): View {
  const places = state.tab === "tables" ? tablesOf(state) : [...lists.values()].flat();
  const lines = state.undoLines.filter((line) => places.every((place) => place.undoLine !== line));
  return h("div", {
    key: "undo", class: "undo-lines wrap if-any", pressKey: lines.map(({ key }) => key).join(),
  }, ...lines.map((line) => undoLineView(state, line)),
  state.newBuild !== "" && h("p", { key: "build", class: "undo spread dark", role: "status" },
    t("There is a new version of this page. It loads once nothing is open.")));
}

function paperView({ paper }: State): Child {
  return paper && h("div", {
    key: paper.className, class: paper.className, "aria-hidden": "true",
  }, ...paper.pages);
}

function tabView(state: State, inSight: InSight): View {
  switch (state.tab) {
    case "orders": return ordersTab(state, inSight);
    case "tables": return tablesTab(state);
    case "done": return doneTab(state);
    case "menu": return menuTab(state);
  }
}

function dialogView(state: State): Child {
  const { dialog } = state;
  switch (dialog?.type) {
    case undefined: return undefined;
    case "item": return itemForm(dialog);
    case "pizza": return pizzaForm(state.menu, dialog);
    case "order": return canAct(state) ? orderDialog(state, dialog) : undefined;
    case "table": return canAct(state) ? tableDialog(state, dialog) : undefined;
    case "menu-row": return canAct(state) ? menuRowDialog(state, dialog) : undefined;
    case "change": return changeForm(dialog);
    case "shop": return shopForm(dialog);
    case "opening": return openingForm(state, dialog);
    case "settings": return settingsDialog(state);
    case "devices": return dialog.adding === undefined ? devicesDialog(dialog)
      : addDeviceDialog(dialog, dialog.adding);
    case "table-signs": return tableSignsDialog(dialog);
  }
}

function arrivedText({ arrived }: State): string {
  const titles = wholeOrders(arrived).map(({ title }) => title);
  const numbers = titles.join(", ");
  const count = titles.length;
  return count === 0 ? "" : t("{count} new orders: {numbers}", { count, numbers });
}
