/** The top bar: the shop, whether it takes orders, the tabs, and what opens dialogs. */

import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { logoOf } from "../shared/look.ts";
import { numberText, t } from "../shared/words.ts";
import { newOrders } from "./lists.ts";
import { openTab } from "./navigation.ts";
import { isLive, isSignedIn, type State, type Tab, tabs } from "./state.ts";
import { openDialog } from "./store.ts";

const tabNames: Readonly<Record<Tab, string>> = {
  orders: t("Orders"), tables: t("Tables"), done: t("Done"), menu: t("Menu"),
};

export function topBar(state: State): View {
  // Readers change nothing, so they have no use for the menu.
  const shown = tabs.filter((tab) => tab !== "menu" || state.role !== "reader");
  return h("header", { key: "top", class: "top wrap dark" },
    ...shopName(state, shopStatus(state)),
    h("nav", { "aria-label": t("Views") }, ...shown.map((tab) => tabButton(state, tab))),
    h("div", { class: "top-tools" },
      newOrderLink(),
      h("button", {
        "aria-label": t("Settings"), onclick: () => { openDialog({ type: "settings" }); },
      }, icon("settings"))));
}

export function shopName({ menu: { shop } }: State, ...more: readonly Child[]): readonly View[] {
  return [h("img", { key: "logo", src: logoOf(shop), alt: "", width: 24, height: 24 }),
    h("div", { key: "shop-name", class: "shop-name wrap" },
      h("h1", {}, h("bdi", {}, shop.name)), ...more)];
}

/**
 * The order page, in one and the same tab: a browser has six connections for all tabs of a server.
 * With a table the link is a plus alone.
 */
export function newOrderLink(table = ""): View {
  const query = table === "" ? "" : `?${new URLSearchParams({ for: table })}`;
  return h("a", {
    key: "new", class: classes("button", table !== "" && "tight"),
    href: `./${query}`, target: "forno-phone-order",
    "aria-label": table === "" ? t("New order") : t("New order for {name}", { name: table }),
  }, table !== "" ? "+" : h("span", {}, "+ "),
  table === "" && h("span", {}, t("New order")));
}

function tabButton(state: State, tab: Tab): View {
  return h("button", {
    key: tab, class: "tab", "aria-current": tab === state.tab && "page",
    onclick: () => { openTab(tab); },
  }, h("span", {}, tabNames[tab]), tab === "orders" && badge(state));
}

/** Whether the shop takes orders: a shape and a word. */
function shopStatus(state: State): View {
  const { menu: { shop }, lostAt, hasRead } = state;
  const [className, text] = !isSignedIn(state) ? ["square", t("Not signed in")]
    : lostAt !== undefined ? ["square", t("No connection")]
      : shop.name === "" || !hasRead ? ["", ""]
        : shop.isOpen ? ["dot", t("Open")] : ["square", t("Closed")];
  return h("p", { class: `shop-status ${className}` }, text);
}

/** How many orders are new. It has the same room whatever it says: no tab ever moves. */
function badge(state: State): View {
  const count = newOrders(state).length;
  const [look, number] = !isLive(state) ? ["unsure", count > 0 ? `${numberText(count)}?` : "?"]
    : [count > 0 ? "amber" : "unused", state.hasRead && numberText(count)];
  return h("span", { class: `badge round ${look}` },
    h("span", { class: "badge-number" }, number),
    h("span", { class: "if-wide" }, ` ${t("new")}`));
}
