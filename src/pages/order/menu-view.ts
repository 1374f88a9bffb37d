/** The menu as elements: the current pizza, its sizes, the shop's pizzas, toppings and drinks. */

import { pictureOf, toppingPicture } from "../drawing/pizza.ts";
import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { type Diet, isSoldOut, itemOf, type MenuItem, notesOn } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { PizzaSize } from "../shared/types.ts";
import { comma, joined, t } from "../shared/words.ts";
import { addItem, filterBy, pickSize, removeItem, searchFor } from "./actions.ts";
import { chosenOf, countOf, currentPizza, type ExtraKind, isStarted } from "./basket.ts";
import { currentOrder } from "./basket-orders.ts";
import { countView, leaf, lessButton, pizzaButtons, shopPizzasView } from "./pizzas-view.ts";
import { foundCount, itemsFound } from "./search.ts";
import type { State } from "./state.ts";
import { canOrder, needsLink } from "./step.ts";
import { hyphenated } from "./text-views.ts";
import { visitsView } from "./visits-view.ts";

export function menuView(state: State): readonly Child[] {
  const { isLoaded, menu } = state;
  const hasMenu = menu.pizzasizes.length > 0;
  return [
    hero(state),
    visitsView(state),
    shopNotice(state),
    needsLink(state) && linkNotice(),
    hasMenu ? choices(state) : h("p", { class: "soft", role: "status" },
      isLoaded ? t("The menu is being made. Come back soon.")
        : t("Loading…")),
  ];
}

/** A phone begins with sizes and pizzas: what is drawn large comes with the first choice. */
function hero(state: State): View {
  const isBare = !isStarted(state.basket);
  const order = currentOrder(state);
  const size = itemOf(state.menu, "pizzasizes", order.pizzaSize.id);
  const measured = joined(order.pizzaSize.name, size === undefined ? "" : notesOn(size));
  return h("div", { class: classes("hero", isBare && "bare") },
    h("div", {},
      h("h1", { id: "title", tabindex: -1 }, t("Your pizza, your way")),
      !isBare && h("p", { class: "soft line" }, order.pizza !== ""
        ? joined(order.pizza, measured)
        : measured + comma + t("{count} toppings", { count: order.toppings.length }))),
    !isBare && h("div", { class: "plate" }, pictureOf(order, false)));
}

function shopNotice({ menu: { shop: { isOpen, notice } } }: State): Child {
  return (!isOpen || notice !== "") && h("section", {
    key: "notice", class: classes("card notice", !isOpen && "closed"), role: "status",
  },
    !isOpen && h("h2", {}, t("Closed right now")),
    notice !== "" && h("p", { dir: "auto" }, notice));
}

function linkNotice(): View {
  return h("section", {
    key: "access", id: "access", class: "card notice", tabindex: -1, "aria-labelledby": "link",
  },
    h("h2", { id: "link" }, t("A link is needed to order")),
    h("p", {}, t("To order, ask the shop for its order link and open it on this device.")));
}

function choices(state: State): View {
  return h("div", { key: "choices", id: "choices" },
    pizzaButtons(state),
    sizes(state),
    finder(state),
    h("div", { key: "lists", class: "lists" },
      shopPizzasView(state),
      list(state, "toppings", t("Toppings"), toppingsHint(state)),
      list(state, "beverages", t("Drinks"), ""),
      foundCount(state) === 0
        && h("p", { role: "status" }, t("Nothing on the menu has that name."))));
}

function sizes(state: State): View {
  const all = state.menu.pizzasizes.toSorted((a, b) => a.diameterInInches - b.diameterInInches);
  const largest = all.at(-1)?.diameterInInches ?? 1;
  return h("section", { key: "sizes", "aria-labelledby": "sizes" },
    h("h2", { id: "sizes" }, t("Size")),
    h("div", { class: "sizes", role: "radiogroup", "aria-labelledby": "sizes" },
      ...all.map((size) => sizeTile(state, size, largest))));
}

function sizeTile(state: State, size: PizzaSize, largest: number): View {
  const { basket, menu } = state;
  const { id, name, diameterInInches, description } = size;
  const isOut = isSoldOut(menu, "pizzasizes", id);
  const isChosen = currentPizza(basket).size === id;
  return h("label", { key: id, class: classes("tile", isChosen && "chosen", isOut && "sold-out") },
    h("input", {
      type: "radio", name: "size", checked: isChosen,
      oninput: () => { pickSize(id); }, disabled: !canOrder(state, "pizzasizes", id),
    }),
    h("span", { class: "table" },
      h("span", { class: "disc", style: { "--share": diameterInInches / largest } })),
    h("span", { class: "name" }, name),
    h("span", { class: isOut && isChosen ? "tag" : "soft small" },
      isOut ? t("sold out") : notesOn(size)),
    description !== undefined && h("span", { class: "soft small" }, description));
}

function finder({ search, diet }: State): View {
  const filter = (wanted: Diet, mark: string, text: string): View =>
    h("button", {
      key: wanted, class: "round", "aria-pressed": `${wanted === diet}`,
      onclick: () => { filterBy(wanted); },
    }, h("span", { class: "leaf" }, icon(mark)), text);
  return h("div", { key: "finder", class: "finder", role: "search" },
    h("label", { class: "search" }, icon("search"), unseen(t("Search")), h("input", {
      id: "search", type: "search", value: search, autocomplete: "off", spellcheck: "false",
      placeholder: t("Search"),
      oninput: ({ currentTarget }) => { searchFor(currentTarget.value); },
    })),
    filter("isVegetarian", "vegetarian", t("Vegetarian")),
    filter("isVegan", "vegan", t("Vegan")));
}

function toppingsHint(state: State): string {
  const order = currentOrder(state);
  return order.pizza === "" ? t("Tap again for double") : pizzaTitle(order);
}

function list(state: State, kind: ExtraKind, title: string, hint: string): Child {
  const items = itemsFound(state, kind);
  return items.length > 0 && h("section", { key: kind, "aria-labelledby": kind },
    h("div", { class: "head" }, h("h2", { id: kind, tabindex: -1 }, title),
      hint !== "" && h("p", { class: "soft small" }, hint)),
    h("ul", { class: classes("tiles", kind) }, ...items.map((item) => tile(state, kind, item))));
}

/** A press on the tile adds one. */
function tile(state: State, kind: ExtraKind, item: MenuItem): View {
  const { basket, menu } = state;
  const { id, name } = item;
  const count = countOf(chosenOf(basket, kind), id);
  const isOut = isSoldOut(menu, kind, id);
  const isChosen = count > 0;
  return h("li", { key: id, class: classes("tile", isChosen && "chosen", isOut && "sold-out") },
    h("button", {
      class: "plain more", onclick: canOrder(state, kind, id) && (() => { addItem(kind, id); }),
    },
      kind === "toppings" && toppingPicture(name),
      h("span", { class: "name" },
        unseen(`${t("Add")} `), h("bdi", {}, hyphenated(name)), " ", leaf(item), " ",
        isOut && h("span", { class: isChosen ? "tag" : "soft small" }, t("sold out")),
        kind === "beverages" && !isOut && h("span", { class: "soft small" }, notesOn(item)),
        item.description !== undefined && h("span", { class: "soft small" }, item.description)),
      countView(count, isOut)),
    isChosen && lessButton(name, () => { removeItem(kind, id); }, `less-${kind}-${id}`));
}
