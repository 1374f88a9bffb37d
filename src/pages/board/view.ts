/** The whole board: the top bar, the bars below it, the tab that is open, and what floats above. */

import { type Child, classes, h, type View } from "../shared/dom.ts";
import { wholeOrders } from "../shared/orders.ts";
import { clockText, t } from "../shared/words.ts";
import { orderDialog } from "./card-actions.ts";
import { cardsIn } from "./cards.ts";
import { changeForm } from "./change-form.ts";
import { addDeviceDialog, devicesDialog } from "./devices.ts";
import { doneTab } from "./done-tab.ts";
import { itemForm } from "./item-form.ts";
import { menuTab, openingForm, rowActions } from "./menu-tab.ts";
import { ordersTab, placesInSight } from "./orders-tab.ts";
import { pizzaForm } from "./pizza-form.ts";
import { settingsDialog } from "./settings.ts";
import { shopForm } from "./shop-form.ts";
import { refusedBar, signInPanel, waitingThen } from "./sign-in-view.ts";
import { canAct, isLive, isSignedIn, type State, type UndoLine } from "./state.ts";
import { isReader } from "./store.ts";
import { tableCardsDialog } from "./table-cards.ts";
import { tableDialog, tablesTab } from "./tables-tab.ts";
import { tablesOf } from "./tables.ts";
import { shopName, topBar } from "./top-bar.ts";
import { undoLinesView } from "./undo-view.ts";

export function viewOf(state: State): readonly Child[] {
  if (state.signIn === "nobody") {
    return [h("div", { key: "board", id: "board" },
      h("header", { key: "top", class: "top wrap dark" }, ...shopName(state)), signInPanel(state))];
  }
  const { tab } = state;
  const lines = linesBelow(state);
  // Tickets and cards for tables are printed alone.
  const offPaper = state.paper !== undefined && "off-paper";
  return [
    h("div", {
      key: "board", id: "board",
      class: classes(!isLive(state) && "frozen", isReader(state) && "view-only", offPaper),
    },
      topBar(state), !isSignedIn(state) && refusedBar(state),
      // Where a bar comes or goes above the cards, all of them move.
      h("div", {
        key: "body", class: `body on-${tab}`,
        pressKey: [state.signIn, tab !== "orders" && state.lostAt !== undefined].join(),
      },
        lostBar(state), tabView(state), undoLinesView(state, lines))),
    h("section", { key: "over", class: classes(offPaper) }, dialogView(state)),
    h("p", { key: "arrived", class: "unseen", role: "status" }, arrivedText(state)),
    h("p", { key: "done", class: "unseen", role: "log", "aria-label": t("News") },
      state.undoLines.at(-1)?.text ?? ""),
    paperView(state),
  ];
}

/** The lines that hold no place of what is in sight. */
function linesBelow(state: State): readonly UndoLine[] {
  const held = state.tab === "tables" ? tablesOf(state).map(({ line }) => line)
    : placesInSight(state).flatMap((place) => cardsIn(state, place)).map(({ line }) => line);
  return state.undoLines.filter((line) => !held.includes(line));
}

function paperView({ paper }: State): Child {
  return paper && h("div", {
    key: paper.className, class: paper.className, "aria-hidden": "true",
  }, ...paper.pages);
}

function tabView(state: State): View {
  switch (state.tab) {
    case "orders": return ordersTab(state);
    case "tables": return tablesTab(state);
    case "done": return doneTab(state);
    case "menu": return menuTab(state);
  }
}

function lostBar(state: State): View {
  const { lostAt } = state;
  const isShown = isSignedIn(state) && lostAt !== undefined;
  return h("section", { key: "lost", class: "lost wrap amber", hidden: !isShown, pressKey: String(isShown) },
    h("p", { role: "alert" }, ...isShown ? [
      h("b", { class: "display" }, t("Connection lost at {time}", { time: clockText(lostAt) })), " ",
      h("span", { class: "wide" }, waitingThen(state), t("This board shows what was known.")),
    ] : []),
    h("button", { onclick: () => { dispatchEvent(new Event("online")); } }, t("Try now")));
}

function dialogView(state: State): Child {
  const { dialog } = state;
  switch (dialog?.type) {
    case undefined: return undefined;
    case "item": return itemForm(dialog);
    case "pizza": return pizzaForm(state.menu, dialog);
    case "order": return canAct(state) ? orderDialog(state, dialog) : undefined;
    case "table": return canAct(state) ? tableDialog(state, dialog) : undefined;
    case "row": return canAct(state) ? rowActions(state, dialog) : undefined;
    case "change": return changeForm(dialog);
    case "shop": return shopForm(dialog);
    case "opening": return openingForm(state, dialog);
    case "settings": return settingsDialog(state);
    case "devices": return dialog.adding === undefined ? devicesDialog(dialog)
      : addDeviceDialog(dialog, dialog.adding);
    case "table-cards": return tableCardsDialog(dialog);
  }
}

function arrivedText({ arrived }: State): string {
  const titles = [...wholeOrders(arrived).values()].map(({ title }) => title);
  const numbers = titles.join(", ");
  const count = titles.length;
  return count === 0 ? "" : t("{count} new orders: {numbers}", { count, numbers });
}
