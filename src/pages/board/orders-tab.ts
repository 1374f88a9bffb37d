/** The open orders: cards in columns, and beside them what is ready. */

import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { isComplete, type Menu, tally } from "../shared/menu.ts";
import { pizzaParts } from "../shared/pizza-text.ts";
import { numberText, t } from "../shared/words.ts";
import { cardView } from "./card-view.ts";
import {
  type BoardOrder, boardOrders, type Card, cardsIn, heightOf, keyOf, type Pizza, type Place,
  placeOf,
} from "./cards.ts";
import { nothingView } from "./contents.ts";
import { withPressKeys } from "./press-keys.ts";
import { rowsSection } from "./ready-view.ts";
import { columnsFor } from "./room.ts";
import { nothingFound, searchBar, searchButton } from "./search-view.ts";
import { isFound } from "./search.ts";
import { canAct, columnsIn, isLive, isStaff, type State } from "./state.ts";
import { isToMake } from "./statuses.ts";
import { showPart } from "./store.ts";
import { tableCardsButton } from "./table-cards.ts";
import { openTab } from "./tabs.ts";
import { newOrder } from "./top-bar.ts";

const rowPlaces = ["ready", "on the way", "later"] as const;

export function ordersTab(state: State): View {
  const { search, hasRead } = state;
  const count = columnsIn(state);
  const lists = placesInSight(state).map((place): readonly [Place, readonly Card[]] =>
    [place, cardsIn(state, place).filter(({ order }) => isOrderFound(order, search))]);
  const cards = new Map<Place, readonly Card[]>(lists);
  const isEmpty = hasRead && boardOrders(state).length === 0 && state.undoLines.length === 0;
  const isNothing = isEmpty || search !== undefined && [...cards.values()].flat().length === 0;
  const making = cards.get("make");
  return h("main", {
    key: "orders", id: "orders", style: { "--columns": count },
    class: classes(count === 1 && "one-column"),
  },
    search !== undefined ? searchBar(search, [...cards.values()].flat().length)
      : isEmpty ? h("div", { key: "bar", class: "orders-bar line" }, mutedSign(state))
        : ordersBar(state, count),
    isNothing ? search === undefined
      ? isLive(state) && (isStaff(state) && setupView(state.menu) || emptyBoard(state))
      : nothingFound(search)
      : h("div", { key: "room", class: "room" },
        making !== undefined && makingSection(state, making, Math.max(1, count - 1)),
        rowPlaces.some((place) => cards.has(place))
          && h("div", { key: "rows", class: "ready", tabindex: 0 }, ...rowPlaces.map((place) => {
            const here = cards.get(place);
            return here && rowsSection(state, place, withPressKeys(place, here, rowText));
          }))));
}

/** One column shows one part, but a search looks through both. */
export function placesInSight(state: State): readonly Place[] {
  const { tab, part, search } = state;
  if (tab !== "orders") return [];
  if (columnsIn(state) > 1 || search !== undefined) return ["make", ...rowPlaces];
  return part === "make" ? ["make"] : rowPlaces;
}

function isOrderFound({ pizzas }: BoardOrder, search: string | undefined): boolean {
  return search === undefined || isFound(pizzas, search);
}

function emptyBoard(state: State): View {
  const [title, sentence] = [t("No open orders"), t("They come in here by themselves.")];
  return !isStaff(state) ? nothingView(title, [sentence])
    : nothingView(title, [sentence, t("Print a card for a table, or take an order by phone.")],
      tableCardsButton(), newOrder(""));
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
const drawn = { columns: [] as readonly (readonly string[])[] };

/** All that a row says, which is also all that can move the rows below it. */
function rowText({ key, order, line }: Card): string {
  return JSON.stringify([key, line?.key, order.title,
    ...order.pizzas.map(({ id, updatedAt, mark }) => [id, updatedAt, markText(mark)])]);
}

/** A press on its way to the shop moves nothing. */
function markText(mark: Pizza["mark"]): string {
  return mark === undefined || mark.type === "sending" ? "" : mark.type;
}

/** All that makes a card as high as it is. A status of a pizza does not. */
function cardText({ key, order, line }: Card): string {
  const { title, name, pizzas, drinks, rows } = order;
  return JSON.stringify([key, line?.key, title, name, drinks, rows.length,
    ...pizzas.map(({ id, pizza, pizzaSize, toppings, note, status, mark }) =>
      [id, pizza, pizzaSize, toppings, note, status === "Cancelled", markText(mark)])]);
}

/** An order keeps its column, and its place there, until it is closed. */
function makingSection(state: State, cards: readonly Card[], count: number): View {
  const { menu, settings, search } = state;
  const byKey = new Map(cards.map((card) => [card.key, card]));
  const heights = new Map(cards.map(({ key, order }) =>
    [key, heightOf(menu, order, settings.toppings)]));
  const others = boardOrders(state).filter((order) =>
    placeOf(order, state.now) !== "later").map(keyOf);
  const keys = [...new Set([...byKey.keys(), ...others])];
  // A card that a search hides keeps its place.
  drawn.columns = columnsFor(keys, heights, count, drawn.columns);
  const columns = search === undefined ? drawn.columns
    : columnsFor([...byKey.keys()], heights, count, []);
  return h("section", {
    key: "making", class: "making", "aria-labelledby": "making", tabindex: canAct(state) ? -1 : 0,
  }, h("h2", { id: "making", class: "unseen" }, t("To make")), ...columns.map((column, index) => {
    const shown = column.flatMap((key) => byKey.get(key) ?? []);
    return h("ol", { key: index, class: "column stack" },
      ...withPressKeys(`column ${index}`, shown, cardText).map(([card, pressKey]) =>
        cardView(state, card, pressKey)));
  }));
}

function ordersBar(state: State, count: number): View {
  return h("section", { key: "bar", class: "orders-bar line" },
    count === 1 ? partSwitch(state) : sums(state), mutedSign(state), searchButton());
}

/** It keeps its place, so that no button moves when it goes. */
function mutedSign(state: State): View {
  const { isMuted, settings: { newSound, readySound } } = state;
  const isShown = isMuted && (newSound || readySound) && canAct(state);
  return h("p", { key: "muted", class: classes("muted line amber", !isShown && "unused") },
    // Where room is short it is a sign alone.
    icon("muted"), h("span", { class: columnsIn(state) === 1 && "unseen" }, t("Tap for sound")));
}

function partSwitch(state: State): View {
  const countOf = (place: Place): string => state.hasRead
    ? numberText(cardsIn(state, place).filter(({ line }) => line === undefined).length) : "…";
  const button = (part: State["part"], label: string, place: Place): View => h("button", {
    key: part, class: "round", "aria-pressed": String(state.part === part), onclick: () => { showPart(part); },
  }, label, " ", h("span", { class: "display count" }, countOf(place)));
  return h("div", { key: "parts", class: "parts line", role: "group" },
    button("make", t("To make"), "make"), button("ready", t("Ready"), "ready"));
}

/** Pizzas by name, most first. Pizzas with a recipe of their own are counted together. */
function sums(state: State): View {
  const orders = cardsIn(state, "make").filter(({ line }) => line === undefined)
    .map(({ order }) => order);
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
      h("li", { key: id }, h("b", { class: "display" }, numberText(count)), " ", h("bdi", {}, name))));
  return h("div", {
    key: "sums", class: "sums grow line", tabindex: 0, "aria-label": t("To make"), role: "group",
  },
    h("p", {}, h("b", { class: "display" }, state.hasRead ? t("{count} to make", { count: pizzas.length }) : "…")),
    list("pizzas", named), list("drinks", drinks));
}
