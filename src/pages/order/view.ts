/** The order page as elements, from its state: the frame, and the menu to choose from. */

import {
  button, type Child, classes, h, icon, logo, unseen, type View,
} from "../shared/dom.ts";
import { dietOf, isSoldOut, type MenuItem, notesOn } from "../shared/menu.ts";
import { isFoundBy, momentText, searchField } from "../shared/parts.ts";
import { drinkPicture, toppingPicture } from "../drawing/pizza.ts";
import { numberOf } from "../shared/table.ts";
import type { PizzaSize } from "../shared/types.ts";
import { comma, number, t } from "../shared/words.ts";
import {
  chosenOf, currentPizza, type ExtraKind, isBegun, maxPizzas, pizzaNumber,
} from "./basket.ts";
import { orderView, panel, pictureOf, sizeName, sizeText } from "./order-view.ts";
import {
  canOrder, type Diet, needsLink, soldOutIn, type State, tableShown,
} from "./state.ts";
import { stageName, ticketView, visitsView } from "./ticket.ts";

export function titleOf(state: State): string {
  const { ids: [id], orders, menu: { shop } } = state;
  if (id === undefined) {
    return shop.name === "" ? t("Order a pizza") : t("{shop}: order a pizza", { shop: shop.name });
  }
  const [order, [name]] = [orders[id], numberOf(id)];
  return typeof order === "object" ? `${stageName(order.status, state)}: ${name}` : name;
}

export function view(state: State): readonly Child[] {
  const { isLoaded, menu, ids, isSending, isUnfolded } = state;
  const canChoose = menu.pizzasizes.length > 0;
  const table = tableShown(state);
  return [
    h("header", { key: "top", class: "top", inert: isSending },
      h("img", { src: logo, alt: "", width: 32, height: 32 }),
      h("p", { class: "display shop-name" }, menu.shop.name),
      table !== "" ? h("p", { key: "table", class: "display round table-chip" }, icon("table"),
        h("bdi", {}, table)) : canChoose && ids.length === 0 && noteButton(state)),
    connectionBar(state),
    ids.length > 0 ? ticketView(state) : h("main", { key: "shop", class: "shop" },
      canChoose && !isSending
        && h("a", { key: "skip", class: "button skip", href: "#place" }, t("Go to your order")),
      h("div", { class: "menu", inert: isSending },
        hero(state),
        ...notices(state),
        canChoose ? choices(state) : h("p", { class: "soft", role: "status" },
          isLoaded ? t("Nothing is on the menu right now. Come back later.")
            : t("Loading the menu…"))),
      canChoose && isSending && h("div", { key: "scrim", class: "scrim" }),
      canChoose && isUnfolded && !isSending
        && h("div", { key: "way-out", class: "scrim way-out", "data-do": "unfold" }),
      canChoose && orderView(state)),
    h("p", { key: "announcement", class: "unseen", role: "status" }, state.announcement),
  ];
}

/** Says also to those who never unfold the order that a name can be given. */
function noteButton({ basket: { note } }: State): View {
  const name = t("Name or note");
  const isEmpty = note.trim() === "";
  return button("write-note", "", { key: "note", class: "round note-button" }, icon("pen"),
    isEmpty ? name : unseen(`${name}: `), !isEmpty && h("bdi", {}, note));
}

/** Says that the device is offline, or else that the shop does not answer. */
function connectionBar({ isOffline, lostAt, ids, basket }: State): View {
  const kept = basket.pizzas.length === 1 ? t("Your pizza is kept.") : t("Your pizzas are kept.");
  return h("aside", { key: "lost", class: "lost", hidden: !isOffline && lostAt === undefined },
    icon("offline"),
    h("p", {},
      h("strong", { role: "status" }, isOffline ? t("You’re offline.")
        : lostAt === undefined ? "" : t("The shop doesn’t answer.")), " ",
      ids.length === 0 ? kept
        : lostAt !== undefined && t("Last update {time}", { time: momentText(lostAt) })));
}

function hero(state: State): View {
  const { basket, menu } = state;
  return h("div", { class: "hero" },
    h("div", {},
      h("h1", {}, t("Your pizza, your way")),
      h("p", { class: "soft line" }, lineOf(state))),
    h("div", { class: "plate" }, !panel.matches && pictureOf(menu, currentPizza(basket), false)));
}

/** The current pizza in words; at the start, how much there is to choose from. */
function lineOf({ basket, menu }: State): string {
  const pizza = currentPizza(basket);
  const isAlone = basket.pizzas.length === 1;
  if (isAlone && !isBegun(pizza)) {
    const counts = [
      menu.toppings.length > 0 && t("{count} toppings", { count: menu.toppings.length }),
      menu.beverages.length > 0 && t("{count} drinks", { count: menu.beverages.length }),
    ].filter(Boolean);
    return counts.length > 0 ? `${counts.join(comma)}.` : "";
  }
  const toppings = t("{count} toppings", { count: pizza.toppings.length });
  const text = sizeText(menu, pizza) + comma + toppings;
  const place = { number: pizzaNumber(basket, basket.current) };
  return isAlone ? text : `${t("Pizza {number}", place)}: ${text}`;
}

function notices(state: State): readonly Child[] {
  const { menu: { shop: { isOpen, notice } } } = state;
  return [
    visitsView(state),
    (!isOpen || notice !== "") && h("section", {
      key: "notice", class: classes("card notice", !isOpen && "closed"), role: "status",
    },
      !isOpen && h("h2", {}, t("Closed right now")),
      notice !== "" && h("p", { dir: "auto" }, notice)),
    needsLink(state) && h("section", {
      key: "access", id: "access", class: "card notice", tabindex: -1, "aria-labelledby": "link",
    },
      h("h2", { id: "link" }, t("A link is needed to order")),
      h("p", {}, t("To order, ask the shop for its order link and open it on this device."))),
  ];
}

function choices(state: State): View {
  const { basket, menu } = state;
  const isStarted = basket.pizzas.length > 1 || basket.pizzas.some(({ size }) => size !== "");
  const sizes = menu.pizzasizes.toSorted((a, b) => a.diameterInInches - b.diameterInInches);
  const largest = sizes.at(-1)?.diameterInInches ?? 1;
  return h("div", { key: "choices", id: "choices" },
    isStarted && pizzas(state),
    h("section", { key: "sizes", "aria-labelledby": "sizes" },
      h("h2", { id: "sizes" }, t("Size")),
      h("div", { class: "sizes", role: "radiogroup", "aria-labelledby": "sizes" },
        ...sizes.map((size) => sizeTile(state, size, largest)))),
    finder(state),
    h("div", { key: "lists", class: "lists" },
      extras(state, "toppings", t("Toppings")), extras(state, "beverages", t("Drinks")),
      foundCount(state) === 0
        && h("p", { role: "status" }, t("Nothing on the menu has that name."))));
}

/** One button for each pizza, and one for another. */
function pizzas(state: State): View {
  const { basket, menu } = state;
  const { placed, current } = basket;
  const out = soldOutIn(state).map(([, id]) => id);
  // From three on each has its number in place of the words.
  const isNarrow = basket.pizzas.length > 2;
  return h("ul", {
    key: "pizzas", class: classes("pizzas", isNarrow && "narrow"),
    "aria-label": t("Your pizzas"),
  },
    ...basket.pizzas.map((pizza, at) => {
      const { size, toppings } = pizza;
      const outCount = out.filter((id) => size === id || toppings.includes(id)).length;
      return h("li", { key: at },
        button("turn", at, {
          class: classes(at === current && "chosen", outCount > 0 && "has-out"),
          "aria-current": at === current && "true",
        },
          pictureOf(menu, pizza),
          h("span", { class: isNarrow ? "unseen" : "words" },
            h("span", {}, unseen(`${t("Pizza {number}", { number: pizzaNumber(basket, at) })}: `),
              sizeName(menu, pizza)),
            h("span", { class: outCount > 0 ? "tag" : "soft small" },
              outCount > 0 ? t("{count} sold out", { count: outCount })
                : t("{count} toppings", { count: toppings.length }))),
          h("span", { class: "place round", "aria-hidden": "true" },
            outCount > 0 ? "!" : number(pizzaNumber(basket, at)))));
    }),
    placed.length + basket.pizzas.length < maxPizzas && h("li", { key: "another" },
      button("another", "", { class: "another", "aria-label": t("Another pizza") }, icon("plus"))));
}

function sizeTile({ basket, menu }: State, size: PizzaSize, largest: number): View {
  const { id, name, diameterInInches } = size;
  const isOut = isSoldOut(menu, "pizzasizes", id);
  const isChosen = currentPizza(basket).size === id;
  return h("label", { key: id, class: classes("tile", isChosen && "chosen", isOut && "sold-out") },
    h("input", {
      type: "radio", name: "size", checked: isChosen, "data-do": "size", "data-of": id,
      disabled: !canOrder(menu, "pizzasizes", id),
    }),
    h("span", { class: "table" },
      h("span", { class: "disc", style: { "--part": diameterInInches / largest } })),
    h("span", { class: "name" }, name),
    h("span", { class: isOut && isChosen ? "tag" : "soft small" },
      isOut ? t("sold out") : notesOn(size)));
}

function finder({ search, diet }: State): View {
  const filter = (of: Diet, mark: string, text: string): View =>
    button("diet", of, { key: of, class: "round", "aria-pressed": `${of === diet}` },
      h("span", { class: "leaf" }, icon(mark)), text);
  return h("div", { key: "finder", class: "finder", role: "search" },
    searchField("search", search, t("Search toppings and drinks"), t("Search")),
    filter("isVegetarian", "vegetarian", t("Vegetarian")),
    filter("isVegan", "vegan", t("Vegan")));
}

/** Whether the search and the filter leave it over. */
function isFound({ search, diet }: State, item: MenuItem): boolean {
  return isFoundBy(search, item.name) && (diet === "" || !("isVegan" in item) || item[diet]);
}

export function foundCount(state: State): number {
  const { toppings, beverages } = state.menu;
  return [...toppings, ...beverages].filter((item) => isFound(state, item)).length;
}

function extras(state: State, kind: ExtraKind, title: string): Child {
  const items = state.menu[kind].filter((item) => isFound(state, item));
  return items.length > 0 && h("section", { key: kind, "aria-labelledby": kind },
    h("div", { class: "head" },
      h("h2", { id: kind }, title),
      kind === "toppings" && h("p", { class: "soft small" }, t("Tap again for double"))),
    h("ul", { class: "tiles" }, ...items.map((item) => tile(state, kind, item))));
}

/** The tile adds one. Once chosen, − takes the place of the picture, and the count that of +. */
function tile({ basket, menu }: State, kind: ExtraKind, item: MenuItem): View {
  const { id, name } = item;
  const count = chosenOf(basket, kind).filter((one) => one === id).length;
  const isOut = isSoldOut(menu, kind, id);
  const isChosen = count > 0;
  const diet = dietOf(item);
  const of = `${kind} ${id}`;
  const note = isOut ? t("sold out") : kind === "beverages" ? notesOn(item) : "";
  return h("li", { key: id, class: classes("tile", isChosen && "chosen", isOut && "sold-out") },
    button("add", of, { class: "plain more", "aria-disabled": !canOrder(menu, kind, id) && "true" },
      kind === "beverages" ? drinkPicture(name) : toppingPicture(name),
      h("span", { class: "name" },
        unseen(`${t("Add")} `), h("bdi", {}, name),
        diet !== undefined && h("span", { class: "leaf" }, icon(diet), unseen(notesOn(item))),
        note !== "" && h("span", { class: isOut && isChosen ? "tag" : "soft small" }, note)),
      isChosen ? h("span", { key: "count", class: "count display round" }, number(count))
        : !isOut && icon("plus")),
    isChosen && button("take", of, {
      key: "less", class: "plain less", "aria-label": t("One {name} less", { name }),
    }, h("span", { class: "round" }, icon("minus"))));
}
