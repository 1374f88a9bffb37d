/** The open orders: cards in columns, and beside them what is ready. */

import { type Child, classes, h, type View } from "../shared/dom.ts";
import { isComplete, type Menu } from "../shared/menu.ts";
import { withPressKeys } from "../shared/presses.ts";
import { t } from "../shared/words.ts";
import { cardView } from "./card-view.ts";
import { markText, orderText } from "./known-orders.ts";
import { boardOrders, type Place } from "./lists.ts";
import { endSearch, lookInDone, openTab } from "./navigation.ts";
import { rowsSection } from "./order-row-view.ts";
import { mutedSign, ordersBar, searchBar } from "./orders-bar.ts";
import { nothingView } from "./parts.ts";
import { columnCount, type InSight, rowLists } from "./room.ts";
import { canAct, isLive, isStaff, type State } from "./state.ts";
import { tableCardsButton } from "./table-signs.ts";
import { newOrderLink } from "./top-bar.ts";

export function ordersTab(state: State, inSight: InSight): View {
  const { search } = state;
  const count = columnCount(state.widthRem);
  return h("main", {
    key: "orders", id: "orders", style: { "--columns": count },
    class: classes(count === 1 && "one-column"),
  },
    ...search === undefined ? allOrders(state, inSight) : foundOrders(state, inSight, search));
}

function allOrders(state: State, inSight: InSight): readonly Child[] {
  const { hasRead, undoLines } = state;
  const isEmpty = hasRead && boardOrders(state).length === 0 && undoLines.length === 0;
  return !isEmpty ? [ordersBar(state), room(state, inSight)] : [
    h("div", { key: "bar", class: "orders-bar line" }, mutedSign(state)),
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
      tableCardsButton(), newOrderLink());
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

/** The columns as they were drawn last. */
function room(state: State, { lists, columns }: InSight): View {
  return h("div", { key: "room", class: "room" },
    lists.has("make") && makingSection(state, columns),
    lists.has("ready")
      && h("div", { key: "rows", class: "ready", tabindex: 0 }, ...rowLists.map((list) =>
        rowsSection(state, list, withPressKeys(lists.get(list) ?? [], rowText)))));
}

/** All that a row says, which is also all that can move the rows below it. */
function rowText({ order, line }: Place): string {
  return JSON.stringify([order.id, line?.key, order.title, orderText(order)]);
}

/** All that makes a card as high as it is. A status of a pizza does not. */
function cardText({ order, line }: Place): string {
  const { title, name, pizzas, drinks, rows } = order;
  return JSON.stringify([order.id, line?.key, title, name, drinks, rows.length,
    ...pizzas.map(({ id, pizza, pizzaSize, toppings, note, status, mark }) =>
      [id, pizza, pizzaSize, toppings, note, status === "Cancelled", markText(mark)])]);
}

function makingSection(state: State, columns: InSight["columns"]): View {
  return h("section", {
    key: "making", class: "making", "aria-labelledby": "making", tabindex: canAct(state) ? -1 : 0,
  }, h("h2", { id: "making", class: "unseen" }, t("To make")), ...columns.map((places, index) =>
    h("ol", { key: index, class: "column stack" },
      ...withPressKeys(places, cardText).map(([place, pressKey]) =>
        cardView(state, place, pressKey)))));
}
