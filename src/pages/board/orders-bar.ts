/** The bar above the open orders: what is to be made, the search, and whether sounds play. */

import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import { pizzaParts } from "../shared/pizza-text.ts";
import { numberText, t } from "../shared/words.ts";
import type { BoardOrder } from "./known-orders.ts";
import { type List, placesIn } from "./lists.ts";
import { endSearch, openSearch } from "./navigation.ts";
import { columnCount } from "./room.ts";
import { canAct, type State } from "./state.ts";
import { isToMake } from "./statuses.ts";
import { searchFor, showList } from "./store.ts";

export function ordersBar(state: State): View {
  return h("section", { key: "bar", class: "orders-bar line" },
    columnCount(state.widthRem) === 1 ? listSwitch(state) : sums(state),
    mutedSign(state), searchButton());
}

/** It keeps its place, so that no button moves when it goes. */
export function mutedSign(state: State): View {
  const { isMuted, settings: { newSound, readySound } } = state;
  const isShown = isMuted && (newSound || readySound) && canAct(state);
  return h("p", { key: "muted", class: classes("muted line amber", !isShown && "unused") },
    // Where room is short it is a sign alone.
    icon("muted"), h("span", { class: columnCount(state.widthRem) === 1 && "unseen" },
      t("Tap for sound")));
}

function listSwitch(state: State): View {
  const button = (list: State["shownList"], label: string): View => h("button", {
    key: list, class: "round", "aria-pressed": String(state.shownList === list),
    onclick: () => { showList(list); },
  }, label, " ", h("span", { class: "display count" },
    state.hasRead ? numberText(ordersIn(state, list).length) : "…"));
  return h("div", { key: "parts", class: "parts line", role: "group" },
    button("make", t("To make")), button("ready", t("Ready")));
}

function ordersIn(state: State, list: List): readonly BoardOrder[] {
  return placesIn(state, list).flatMap(({ order, line }) => line === undefined ? [order] : []);
}

/** Pizzas by name, most first. Pizzas with a recipe of their own are counted together. */
function sums(state: State): View {
  const orders = ordersIn(state, "make");
  const pizzas = orders.flatMap((order) => order.pizzas.filter(isToMake));
  const named = tally(pizzas.map((pizza) => {
    const { name, differences } = pizzaParts(state.menu, pizza);
    const { without = [], added = [] } = differences ?? {};
    const isOwn = differences === undefined || without.length > 0 || added.length > 0;
    return isOwn ? { id: "", name: t("own") } : { id: name, name };
  }));
  const drinks = tally(orders.flatMap((order) => order.drinks));
  const list = (key: string, lines: ReturnType<typeof tally>): Child =>
    lines.length > 0 && h("ul", { key, class: "line" }, ...lines.toSorted((one, other) =>
      other.count - one.count || one.name.localeCompare(other.name)).map(({ id, name, count }) =>
      h("li", { key: id },
        h("b", { class: "display" }, numberText(count)), " ", h("bdi", {}, name))));
  return h("div", {
    key: "sums", class: "sums grow line", tabindex: 0, "aria-label": t("To make"), role: "group",
  },
    h("p", {}, h("b", { class: "display" },
      state.hasRead ? t("{count} to make", { count: pizzas.length }) : "…")),
    list("pizzas", named), list("drinks", drinks));
}

function searchButton(): View {
  return h("button", {
    key: "search", id: "open-search", class: "round", "aria-label": t("Search"),
    onclick: openSearch,
  }, icon("search"), h("span", { class: "wide" }, t("Search")));
}

export function searchBar(search: string, count: number): View {
  return h("section", { key: "search", class: "orders-bar searching line", role: "search" },
    h("label", { class: "search" }, icon("search"), unseen(t("Search the open orders")),
      h("input", {
        id: "search", type: "search", value: search, autocomplete: "off", spellcheck: "false",
        oninput: ({ currentTarget: { value } }) => { searchFor(value); },
      }),
      h("button", { class: "plain tight soft", "aria-label": t("All orders"), onclick: endSearch },
        icon("cross"))),
    h("p", { role: "status" }, h("b", {}, t("{count} found", { count }))),
    h("p", { class: "about soft small" },
      t("By number, table, name, note or pizza. The other orders are hidden meanwhile.")));
}
