/**
 * The menu as elements: the current pizza, own orders, notices, sizes, a search, and the lists of
 * pizzas, toppings and drinks.
 */

import { type Child, classes, h, icon, searchField, type View } from "../shared/dom.ts";
import { type Diet, isSoldOut, itemsInOrder, notesOn } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { signOut } from "../shared/session.ts";
import type { PizzaSize } from "../shared/types.ts";
import { comma, t } from "../shared/words.ts";
import { addressOf } from "./address.ts";
import { currentRow, drawnRow, type ExtraKind } from "./basket.ts";
import {
  addDrink, addTopping, buildOwn, filterBy, pickSize, removeDrink, removeTopping, searchFor,
} from "./basket-actions.ts";
import { orderOf } from "./basket-orders.ts";
import { plate } from "./basket-view.ts";
import { canOrder, needsLink } from "./obstacles.ts";
import { type OwnOrder, ownWholeOrders } from "./own-orders.ts";
import { shopPizzasView } from "./pizzas-view.ts";
import { foundCount, isNarrowed, itemsFound } from "./search.ts";
import type { State } from "./state.ts";
import { momentText } from "./text-views.ts";
import { itemTile } from "./tile-view.ts";
import { progressText } from "./tracker.ts";

export function menuView(state: State): readonly Child[] {
  const { isLoaded, menu } = state;
  const hasMenu = menu.pizzasizes.length > 0;
  return [
    hero(state),
    ownOrdersView(state),
    shopNotice(state),
    needsLink(state) && linkNotice(state),
    hasMenu ? choices(state) : h("p", { class: "soft", role: "status" },
      isLoaded ? t("The menu is being made. Come back soon.")
        : t("Loading…")),
  ];
}

/** A phone begins with sizes and pizzas: what is drawn large comes with the first choice. */
function hero(state: State): View {
  const row = drawnRow(state.basket);
  const isBare = row === undefined;
  return h("div", { class: classes("hero", isBare && "bare") },
    h("div", {},
      h("h1", { id: "title", tabindex: -1 }, t("Your pizza, your way")),
      !isBare && h("p", { class: "soft" }, pizzaTitle(orderOf(state, row)))),
    plate(state));
}

/** The own orders of the day: a row each, with how far they are. */
function ownOrdersView(state: State): Child {
  const { ownOrders } = state;
  return ownOrders.length > 0 && h("nav", {
    key: "own-orders", class: "own-orders", "aria-labelledby": "own-orders",
  },
    h("h2", { id: "own-orders" }, t("Your orders today")),
    h("ul", { class: "panel rows" }, ...ownOrders.map((ownOrder) => ownOrderRow(ownOrder, state))));
}

/** Says nothing of its progress where the shop does not show it to this sign-in. */
function ownOrderRow(ownOrder: OwnOrder, state: State): View {
  const { group, placedAt, seen } = ownOrder;
  const [whole] = ownWholeOrders([ownOrder], state.orders);
  const left = whole?.pizzas.filter(({ status }) => status !== "Cancelled")
    ?? seen.filter(({ isCancelled }) => !isCancelled);
  const names = new Set(left.map(({ pizza, pizzaSize }) => pizza || pizzaSize.name));
  return h("li", { key: group, "aria-live": "polite", "aria-atomic": "true" },
    h("a", { class: "wrap", href: addressOf(group) },
      h("bdi", { class: "display" }, group),
      h("span", { class: classes("progress", whole?.stage === "ready" && "leafy strong") },
        whole === undefined ? "" : progressText(whole),
        names.size > 0 && h("span", { class: "soft small" }, [...names].join(comma))),
      h("span", { class: "soft" }, momentText(placedAt)), icon("next")));
}

function shopNotice({ menu: { shop: { isOpen, notice } } }: State): Child {
  return (!isOpen || notice !== "") && h("section", {
    key: "notice", class: classes("panel notice", !isOpen && "tint"), role: "status",
  },
    !isOpen && h("h2", {}, t("Closed right now")),
    notice !== "" && h("p", { dir: "auto" }, notice));
}

/** Somebody else than who is signed in has to give a link, if anybody is. */
function linkNotice({ refused }: State): View {
  return h("section", {
    key: "access", id: "access", class: "panel notice", tabindex: -1, "aria-labelledby": "link",
  },
    h("h2", { id: "link" }, t("A link is needed to order")),
    h("p", {}, t("To order, ask the shop for its order link and open it on this device.")),
    refused !== undefined && h("button", { onclick: signOut }, t("Forget this sign-in")));
}

function choices(state: State): View {
  const { basket } = state;
  return h("div", { key: "choices", id: "choices" },
    sizes(state),
    finder(state),
    h("div", { key: "lists", class: "menu-lists" },
      shopPizzasView(state),
      itemsSection(state, "toppings", t("Toppings"), currentRow(basket)?.toppings ?? [],
        (id) => { addTopping(basket.current, id); },
        (id) => { removeTopping(basket.current, id); }),
      itemsSection(state, "beverages", t("Drinks"), basket.beverages, addDrink, removeDrink),
      isNarrowed(state) && h("p", { key: "found", class: "soft", role: "status" },
        foundCount(state) === 0 ? t("The shop has written nothing of that.")
          : t("Not everything is written down."),
        " ", t("An allergy? Ask the shop."))));
}

/** The size of the pizza that the menu changes, else of the next one. */
function sizes(state: State): View {
  const all = itemsInOrder(state.menu, "pizzasizes");
  const largest = Math.max(...all.map(({ diameterInInches }) => diameterInInches));
  // A description that all of them have is said once.
  const [description = "", ...others] = new Set(all.map((size) => size.description ?? ""));
  const isCommon = others.length === 0;
  return h("section", { key: "sizes", "aria-labelledby": "sizes" },
    h("div", { class: "section-head spread wrap" }, h("h2", { id: "sizes" }, t("Size")),
      isCommon && description !== "" && h("p", { class: "soft small" }, description)),
    h("div", { class: "sizes actions", role: "radiogroup", "aria-labelledby": "sizes" },
      ...all.map((size) => sizeTile(state, size, largest, isCommon))));
}

function sizeTile(
  state: State, size: PizzaSize, largest: number, isCommon: boolean,
): View {
  const { basket, menu } = state;
  const { id, name, diameterInInches, description } = size;
  const isOut = isSoldOut(menu, "pizzasizes", id);
  const isChosen = (currentRow(basket)?.size ?? basket.nextSize) === id;
  return h("label", { key: id, class: classes("tile", isChosen && "chosen", isOut && "sold-out") },
    h("input", {
      type: "radio", name: "size", checked: isChosen,
      oninput: () => { pickSize(id); }, disabled: !canOrder(state, "pizzasizes", id),
    }),
    h("span", { class: "center tabletop" },
      h("span", { class: "disc", style: { "--share": diameterInInches / largest } })),
    h("span", { class: "tile-text" }, name),
    h("span", { class: isOut && isChosen ? "tag amber" : "soft small" },
      isOut ? t("sold out") : notesOn(size)),
    !isCommon && description !== undefined
      && h("span", { class: "soft small" }, description));
}

function finder({ search, diet }: State): View {
  const filter = (wanted: Diet, symbol: string, text: string): View =>
    h("button", {
      key: wanted, class: "round slim", "aria-pressed": `${wanted === diet}`,
      onclick: () => { filterBy(wanted); },
    }, h("span", { class: "leaf" }, icon(symbol)), text);
  return h("div", { key: "finder", class: "finder wrap", role: "search" },
    searchField(t("Search"), search, searchFor, { id: "search", placeholder: t("Search") }),
    filter("isVegetarian", "vegetarian", t("Vegetarian")),
    filter("isVegan", "vegan", t("Vegan")));
}

/** The toppings are those of one pizza: its name stands beside them, and leads on from it. */
function toppingsHint(state: State): readonly Child[] {
  const row = currentRow(state.basket);
  if (row === undefined) return [h("p", { class: "soft small" }, t("Tap again for double"))];
  return [
    h("p", { class: "soft small" }, pizzaTitle(orderOf(state, row))),
    h("button", { class: "plain link", onclick: buildOwn }, t("Another pizza")),
  ];
}

function itemsSection(
  state: State, kind: ExtraKind, title: string, chosen: readonly string[],
  add: (id: string) => void, remove: (id: string) => void,
): Child {
  const items = itemsFound(state, kind);
  return items.length > 0 && h("section", { key: kind, "aria-labelledby": kind },
    h("div", { class: "section-head spread wrap" }, h("h2", { id: kind, tabindex: -1 }, title),
      ...kind === "toppings" ? toppingsHint(state) : []),
    h("ul", { class: classes("tiles", kind) },
      ...items.map((item) => itemTile(state, kind, item, chosen, add, remove))));
}
