/** The whole board: the top bar, the bars below it, the tab that is open, and what floats above. */

import { button, type Child, classes, h, icon, logo, type View } from "../shared/dom.ts";
import { clockText, number, t } from "../shared/words.ts";
import { barOf } from "./bar.ts";
import { doneTab } from "./done-tab.ts";
import { itemForm } from "./item-form.ts";
import { menuTab } from "./menu-tab.ts";
import { undoRow } from "./notices.ts";
import { ordersTab } from "./orders-tab.ts";
import { settingsDialog, sizeButton } from "./settings.ts";
import { signedOutBar, signInPanel, waitingThen } from "./sign-in.ts";
import { isLive, isReader, pendingCount, type State, type Tab, tabs } from "./state.ts";
import { cardsDialog } from "./table-cards.ts";

const tabNames: Readonly<Record<Tab, string>> = {
  orders: t("Orders"), done: t("Done"), menu: t("Menu"),
};

const tabViews: Readonly<Record<Tab, (state: State) => View>> = {
  orders: ordersTab, done: doneTab, menu: menuTab,
};

export function viewOf(state: State): readonly Child[] {
  const { tab, isSignedIn, signedOut } = state;
  if (!isSignedIn && signedOut === undefined) {
    return [h("div", { key: "board", id: "board" }, h("header", { class: "top" },
      ...shopName(state)), signInPanel(state))];
  }
  return [
    h("div", {
      key: "board", id: "board",
      class: classes(!isLive(state) && "frozen", isReader(state) && "view-only"),
    },
      topBar(state), !isSignedIn && signedOutBar(state),
      h("div", { key: "stage", class: `stage on-${tab}` }, barOf(state), lostNews(state),
        tabViews[tab](state), tab !== "orders" && undoRow(state, undefined))),
    h("section", { key: "over" }, dialogOf(state)),
    h("p", { key: "arrived", class: "unseen", role: "status" }, arrivedText(state)),
    h("p", { key: "done", class: "unseen", role: "log", "aria-label": t("News") },
      state.notices.at(-1)?.text ?? ""),
    state.paper,
  ];
}

function shopName({ menu: { shop } }: State, ...more: readonly Child[]): readonly View[] {
  return [h("img", { src: logo, alt: "", width: 24, height: 24 }),
    h("div", { class: "who" }, h("h1", {}, h("bdi", {}, shop.name)), ...more)];
}

function topBar(state: State): View {
  const { tab } = state;
  // Readers change nothing, so they have no use for the menu.
  const tabsShown = tabs.filter((name) => name !== "menu" || !isReader(state));
  return h("header", { key: "top", class: "top" },
    ...shopName(state, sign(state)),
    h("nav", { "aria-label": t("Views"), "data-guard": "" },
      ...tabsShown.map((name) => button("tab", name, {
        class: "tab", "aria-current": name === tab && "page",
      }, h("span", {}, tabNames[name]), name === "orders" && badge(state)))),
    h("div", { class: "tools", "data-guard": "" },
      h("a", { class: "button", href: "./", target: "_blank", "aria-label": t("Phone order") },
        icon("phone"), h("span", { class: "wide" }, t("Phone order"))),
      sizeButton(-1, state), sizeButton(1, state),
      button("settings", "", { "aria-label": t("Settings") }, icon("settings"))));
}

/** Whether the shop takes orders: a shape and a word. */
function sign(state: State): View {
  const { menu: { shop }, isSignedIn, lost, hasRead } = state;
  const [look, text] = !isSignedIn ? ["square", t("Signed out")]
    : lost !== undefined ? ["square", t("No connection")]
      : shop.name === "" || !hasRead ? ["", ""]
        : shop.isOpen ? ["dot", t("Open")] : ["square", t("Closed")];
  return h("p", { class: `sign ${look}` }, text);
}

/** It keeps its place while there is nothing to say: the tabs beside it never move. */
function badge(state: State): View {
  const count = pendingCount(state);
  if (!isLive(state)) {
    return h("span", { class: "badge unsure" }, count > 0 ? `${number(count)}?` : "?");
  }
  return h("span", { class: classes("badge", count === 0 && "none") }, count > 0 && number(count));
}

function lostNews({ lost }: State): View {
  return h("section", { key: "lost", class: "lost", hidden: lost === undefined, "data-guard": "" },
    h("p", { role: "alert" }, ...lost === undefined ? [] : [
      h("b", {}, t("Connection lost at {time}", { time: clockText(lost.at) })), " ",
      h("span", {}, waitingThen(lost.waiting), t("This board shows what was known.")),
    ]),
    button("try-now", "", {}, t("Try now")));
}

function dialogOf(state: State): Child {
  const { dialog } = state;
  switch (dialog?.type) {
    case undefined: return undefined;
    case "item": return itemForm(dialog);
    case "settings": return settingsDialog(state);
    case "cards": return cardsDialog(dialog);
  }
}

function arrivedText({ arrived }: State): string {
  const numbers = arrived.join(", ");
  const count = arrived.length;
  return count === 0 ? "" : t("{count} new orders: {numbers}", { count, numbers });
}
