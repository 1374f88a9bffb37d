/**
 * The tab Orders: a bar with what is to be made or a search, cards in columns, and beside them the
 * orders that are ready.
 */

import { type Child, classes, h, icon, searchField, type View } from "../shared/dom.ts";
import { isComplete, type Menu, mostFirst } from "../shared/menu.ts";
import { pizzaParts } from "../shared/pizza-text.ts";
import { withPressKeys } from "../shared/presses.ts";
import type { Reference } from "../shared/types.ts";
import { numberText, t } from "../shared/words.ts";
import { cardView } from "./card-view.ts";
import { type BoardOrder, markPressText, orderPressText } from "./known-orders.ts";
import { boardOrders, type List, type Place, placesIn } from "./lists.ts";
import { endSearch, lookInDone, openSearch, openTab } from "./navigation.ts";
import { listSection } from "./order-row-view.ts";
import { countedViews, nothingView } from "./parts.ts";
import { columnCount, type InSight, sideLists } from "./room.ts";
import { canAct, isLive, isStaff, type State } from "./state.ts";
import { isToMake } from "./statuses.ts";
import { searchFor, showList } from "./store.ts";
import { tableSignsButton } from "./table-signs.ts";
import { newOrderLink } from "./top-bar.ts";

export function ordersTab(state: State, inSight: InSight): View {
  const { search } = state;
  const count = columnCount(state.widthRem);
  return h("main", {
    key: "orders", id: "orders", style: { "--columns": count },
    // The bar about a lost connection lies over it.
    pressKey: String(state.lostAt !== undefined),
    class: classes(count === 1 && "one-column"),
  },
    ...search === undefined ? allOrders(state, inSight) : foundOrders(state, inSight, search));
}

function allOrders(state: State, inSight: InSight): readonly Child[] {
  const { hasRead, undoLines } = state;
  const isEmpty = hasRead && boardOrders(state).length === 0 && undoLines.length === 0;
  return !isEmpty ? [ordersBar(state), room(state, inSight)] : [
    h("div", { key: "bar", class: "orders-bar line" }, soundHint(state)),
    isLive(state) && (isStaff(state) && setupView(state.menu) || emptyBoard(state)),
  ];
}

function foundOrders(state: State, inSight: InSight, search: string): readonly Child[] {
  const found = [...inSight.lists.values()].flat().length;
  return [searchBar(search, found), found === 0 ? nothingFound(search) : room(state, inSight)];
}

function nothingFound(search: string): Child {
  return nothingView(t("No open order matches"), [t("It may be done already.")],
    h("button", { onclick: () => { lookInDone(search); } }, t("Look in Done")),
    h("button", { onclick: endSearch }, t("All orders")));
}

function emptyBoard(state: State): View {
  const [title, sentence] = [t("No open orders"), t("They come in here by themselves.")];
  return !isStaff(state) ? nothingView(title, [sentence])
    : nothingView(title, [sentence, t("Print a card for a table, or take an order by phone.")],
      tableSignsButton(), newOrderLink());
}

/** Nothing can be ordered while the menu has no size, no topping, or no pizza. Else undefined. */
function setupView(menu: Menu): View | undefined {
  const { pizzasizes, toppings, shop: { pizzas } } = menu;
  const hasAll = pizzasizes.length > 0 && toppings.length > 0
    && pizzas.some((pizza) => isComplete(menu, pizza));
  return hasAll ? undefined : nothingView(t("The menu is not complete"),
    [t("Add sizes, toppings and pizzas. Then guests can order.")],
    h("button", { class: "go", onclick: () => { openTab("menu"); } }, t("Open the menu")));
}

function ordersBar(state: State): View {
  return h("section", { key: "bar", class: "orders-bar line" },
    columnCount(state.widthRem) === 1 ? listSwitch(state) : sums(state),
    soundHint(state), searchButton());
}

/** The hint keeps its place, so that no button moves when it goes. */
function soundHint(state: State): View {
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
  return h("div", { key: "parts", class: "list-switch line", role: "group" },
    button("make", t("To make")), button("ready", t("Ready")));
}

function ordersIn(state: State, list: List): readonly BoardOrder[] {
  return placesIn(state, list).flatMap(({ order, undoLine }) =>
    undoLine === undefined ? [order] : []);
}

/** Pizzas by name, most first. Pizzas with a recipe of their own are counted together. */
function sums(state: State): View {
  const orders = ordersIn(state, "make");
  const pizzas = orders.flatMap((order) => order.pizzas.filter(isToMake));
  const named = pizzas.map((pizza) => {
    const { name, differences } = pizzaParts(state.menu, pizza);
    const { without = [], added = [] } = differences ?? {};
    const isOwn = differences === undefined || without.length > 0 || added.length > 0;
    return isOwn ? { id: "", name: t("own") } : { id: name, name };
  });
  const drinks = orders.flatMap((order) => order.drinks);
  const list = (key: string, references: readonly Reference[]): Child => references.length > 0
    && h("ul", { key, class: "line" }, ...countedViews(mostFirst(references)));
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
  }, icon("search"), h("span", { class: "if-wide" }, t("Search")));
}

function searchBar(search: string, count: number): View {
  return h("section", { key: "search", class: "orders-bar search-bar line", role: "search" },
    searchField(t("Search the open orders"), search, searchFor, { id: "search" },
      h("button", { class: "plain tight soft", "aria-label": t("All orders"), onclick: endSearch },
        icon("cross"))),
    h("p", { role: "status" }, h("b", {}, t("{count} found", { count }))),
    h("p", { class: "search-hint soft small" },
      t("By number, table, name, note or pizza. The other orders are hidden meanwhile.")));
}

/** The columns as they were drawn last. */
function room(state: State, { lists, columns }: InSight): View {
  return h("div", { key: "room", class: "room" },
    lists.has("make") && makingSection(state, columns),
    lists.has("ready")
      && h("div", { key: "rows", class: "ready", tabindex: 0 }, ...sideLists.map((list) =>
        listSection(state, list, withPressKeys(lists.get(list) ?? [], rowPressText)))));
}

/** All that a row says, which is also all that can move the rows below it. */
function rowPressText({ order, undoLine }: Place): string {
  return JSON.stringify([order.id, undoLine?.key, order.title, orderPressText(order)]);
}

/** All that makes a card as high as it is. A status of a pizza does not. */
function cardPressText({ order, undoLine }: Place): string {
  const { title, name, pizzas, drinks, rows } = order;
  return JSON.stringify([order.id, undoLine?.key, title, name, drinks, rows.length,
    ...pizzas.map(({ id, pizza, pizzaSize, toppings, note, status, mark }) =>
      [id, pizza, pizzaSize, toppings, note, status === "Cancelled", markPressText(mark)])]);
}

function makingSection(state: State, columns: InSight["columns"]): View {
  return h("section", {
    key: "making", class: "making", "aria-labelledby": "making", tabindex: canAct(state) ? -1 : 0,
  }, h("h2", { id: "making", class: "unseen" }, t("To make")), ...columns.map((places, index) =>
    h("ol", { key: index, class: "column stack" },
      ...withPressKeys(places, cardPressText).map(([place, pressKey]) =>
        cardView(state, place, pressKey)))));
}
