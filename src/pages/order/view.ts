/** The order page as elements, from its state: the menu, what is chosen, and the frame of both. */

import { button, type Child, classes, h, icon, logo, unseen, type View } from "../shared/dom.ts";
import {
  dietOf, isSoldOut, itemOf, listText, type Menu, type MenuItem, nameOf, notesOn, tally,
} from "../shared/menu.ts";
import { isFoundBy, lostBar, searchField } from "../shared/parts.ts";
import { drinkPicture, pizzaPicture, toppingPicture } from "../shared/pizza.ts";
import type { PizzaSize } from "../shared/types.ts";
import { listed, number, t } from "../shared/words.ts";
import {
  chosenOf, currentPizza, type ExtraKind, isBegun, isSending, mostPizzas, type Pizza,
} from "./basket.ts";
import {
  addressOf, canOrder, type Diet, forName, needsLink, type State, whyClosed,
} from "./state.ts";
import { stageName, ticketView } from "./ticket.ts";

export function titleOf({ ids, orders, menu: { shop } }: State): string {
  const [id] = ids;
  if (id === undefined) {
    return shop.name === "" ? t("Order a pizza") : t("{shop}: order a pizza", { shop: shop.name });
  }
  const order = orders[id];
  return typeof order === "object" ? `${stageName(order.status)}: ${id}` : id;
}

export function view(state: State): readonly Child[] {
  const { isLoaded, menu, ids } = state;
  const canChoose = menu.pizzasizes.length > 0;
  return [
    h("header", { key: "top", class: "top" },
      h("img", { src: logo, alt: "", width: 32, height: 32 }),
      h("p", { class: "display shop-name" }, menu.shop.name)),
    lostBar(state.lostAt),
    ids.length > 0 ? ticketView(state) : h("main", { key: "shop", class: "shop" },
      h("a", { class: "button skip", href: "#place" }, t("Go to your order")),
      h("div", { class: "menu" },
        hero(state),
        ...notices(state),
        canChoose ? choices(state) : h("p", { class: "soft", role: "status" },
          isLoaded ? t("Nothing is on the menu right now. Come back later.")
            : t("Loading the menu…"))),
      canChoose && order(state)),
    h("p", { key: "announcement", class: "unseen", role: "status" }, state.announcement),
  ];
}

function hero({ basket, menu }: State): View {
  const pizza = currentPizza(basket);
  const size = itemOf(menu, "pizzasizes", pizza.size);
  const parts = [
    size === undefined ? t("No size yet")
      : t("{name}, {note}", { name: size.name, note: notesOn(size) }),
    t("{count} toppings", { count: pizza.toppings.length }),
  ].join(", ");
  return h("div", { class: "hero" },
    h("div", {},
      h("h1", {}, t("Your pizza, your way")),
      forName !== "" && h("p", { class: "for round" }, t("For {name}", { name: forName })),
      h("p", { class: "soft line" },
        !isBegun(pizza) ? t("Pick a size, then add what you like.")
          : basket.pizzas.length === 1 ? parts
            : `${t("Pizza {number}", { number: basket.current + 1 })}: ${parts}`)),
    h("div", { class: "plate" }, pictureOf(menu, pizza)));
}

function notices(state: State): readonly Child[] {
  const { visits, menu: { shop: { isOpen, notice } } } = state;
  return [
    visits.length > 0 && h("nav", { key: "visits", class: "visits", "aria-labelledby": "visits" },
      h("h2", { id: "visits", class: "soft small" }, t("Your orders today")),
      h("ul", { class: "actions" }, ...visits.map(({ ids }) => h("li", { key: ids.join(" ") },
        h("a", { class: "button", href: addressOf(ids) },
          h("bdi", { class: "display" }, ids.join(", "))))))),
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
  return h("div", { key: "choices", id: "choices", inert: isSending(basket) },
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
function pizzas({ basket, menu }: State): View {
  return h("ul", { key: "pizzas", class: "pizzas", "aria-label": t("Your pizzas") },
    ...basket.pizzas.map((pizza, at) => h("li", { key: at },
      button("turn", at, {
        class: classes(at === basket.current && "chosen"), "aria-current": at === basket.current,
      },
        pictureOf(menu, pizza),
        h("span", {},
          h("span", {}, unseen(`${t("Pizza {number}", { number: at + 1 })}: `),
            sizeName(menu, pizza)),
          h("span", { class: "soft small" },
            t("{count} toppings", { count: pizza.toppings.length })))))),
    basket.pizzas.length < mostPizzas && h("li", { key: "another" },
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
    h("span", { class: "soft small" }, isOut ? t("sold out") : notesOn(size)));
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

/** The whole tile adds one. Once chosen, − takes the place of the picture, the count that of +. */
function tile({ basket, menu }: State, kind: ExtraKind, item: MenuItem): View {
  const { id, name } = item;
  const count = chosenOf(basket, kind).filter((one) => one === id).length;
  const isOut = isSoldOut(menu, kind, id);
  const diet = dietOf(item);
  const of = `${kind} ${id}`;
  const note = isOut ? t("sold out") : kind === "beverages" ? notesOn(item) : "";
  return h("li", { key: id, class: classes("tile", count > 0 && "chosen", isOut && "sold-out") },
    button("add", of, { class: "more", "aria-disabled": !canOrder(menu, kind, id) && "true" },
      kind === "beverages" ? drinkPicture(name) : toppingPicture(name),
      h("span", { class: "name" },
        unseen(`${t("Add")} `), name,
        diet !== undefined && !isOut
          && h("span", { class: "leaf" }, icon(diet), unseen(notesOn(item))),
        note !== "" && h("span", { class: "soft small" }, note)),
      count > 0 ? h("span", { key: "count", class: "count display round" }, number(count))
        : !isOut && icon("plus")),
    count > 0 && button("take", of, {
      key: "less", class: "less", "aria-label": t("One {name} less", { name }),
    }, h("span", { class: "round" }, icon("minus"))));
}

/** The bar on a phone, which unfolds; the panel where there is room. */
function order(state: State): View {
  const { basket, menu, isUnfolded, note } = state;
  const { pizzas, beverages } = basket;
  const begun = pizzas.filter(isBegun);
  const why = whyClosed(state);
  const isOff = isSending(basket) || why !== "" || begun.length === 0
    || begun.some(({ size }) => size === "");
  const drinks = t("{count} drinks", { count: beverages.length });
  const counts = [
    ...begun.length > 0 ? [t("{count} pizzas", { count: begun.length })] : [],
    ...beverages.length > 0 ? [drinks] : [],
  ];
  const sizes = tally(begun.map((one) => ({ id: one.size, name: sizeName(menu, one) })));
  return h("aside", {
    key: "order", class: classes("order", isUnfolded && "unfolded"), "aria-labelledby": "order",
  },
    h("h2", { id: "order" }, t("Your order")),
    h("div", { class: "plate" }, pictureOf(menu, currentPizza(basket))),
    // No field set: one that is smaller than its content does not scroll.
    h("div", { id: "chosen", class: "list", inert: isSending(basket) },
      ...pizzas.map((pizza, at) => pizzaEntry(state, pizza, at)),
      beverages.length > 0 && h("section", { key: "drinks" },
        h("div", { class: "head" }, h("h3", {}, drinks)),
        h("p", { class: "soft" }, namesText(menu, "beverages", beverages)))),
    h("p", { class: "note", id: "note", role: "status" }, note || why),
    h("div", { class: "bar" },
      pictureOf(menu, currentPizza(basket)),
      button("unfold", "", {
        class: "unfold", "aria-expanded": `${isUnfolded}`, "aria-controls": "chosen",
      },
        h("span", {},
          h("strong", {}, counts.length === 0 ? t("Start with a size") : counts.join(", ")),
          h("span", { class: "soft small" }, begun.length === 0 ? t("Nothing chosen yet")
            : listed(sizes.map(({ text }) => text)))),
        icon(isUnfolded ? "down" : "up")),
      button("place", "", {
        id: "place", class: classes(!isOff && "act"), "aria-disabled": isOff && "true",
        "aria-describedby": "note",
      }, t("Place order"))));
}

function pizzaEntry({ basket, menu }: State, pizza: Pizza, at: number): View {
  const total = basket.pizzas.length;
  const place = { number: at + 1, total };
  const action = (name: string, text: string): View =>
    button(name, at, { class: "link" }, text, unseen(` ${t("Pizza {number}", place)}`));
  return h("section", { key: `pizza ${at}` },
    h("div", { class: "head" },
      h("h3", {}, sizeName(menu, pizza)),
      total > 1 && h("p", {},
        at !== basket.current ? action("turn", t("Change"))
          : h("span", { class: "soft small" }, t("pizza {number} of {total}", place)),
        action("remove", t("Remove")))),
    h("p", { class: "soft" }, pizza.toppings.length === 0 ? t("No toppings yet")
      : namesText(menu, "toppings", pizza.toppings)));
}

function sizeName(menu: Menu, { size }: Pizza): string {
  return itemOf(menu, "pizzasizes", size)?.name ?? t("No size yet");
}

/** "2× Mozzarella, Basil". */
function namesText(menu: Menu, kind: ExtraKind, ids: readonly string[]): string {
  return listText(ids.map((id) => ({ id, name: nameOf(menu, kind, id) })));
}

function pictureOf(menu: Menu, { toppings }: Pizza): View {
  return pizzaPicture(toppings.map((id) => nameOf(menu, "toppings", id)));
}
