/** The order page as elements, from its state: the menu, what is chosen, and the frame of both. */

import { type Child, h, icon, logo, unseen, type View } from "../shared/dom.ts";
import {
  dietOf, isSoldOut, itemOf, type Menu, type MenuItem, notesOn, tally,
} from "../shared/menu.ts";
import { pizzaPicture, toppingPicture } from "../shared/pizza.ts";
import type { MenuKind, PizzaSize } from "../shared/types.ts";
import { number, plain, t } from "../shared/words.ts";
import {
  chosenOf, currentPizza, type ExtraKind, isBegun, isSending, mostPizzas, type Pizza,
} from "./basket.ts";
import { addressOf, canOrder, forName, listed, needsLink, type State, whyClosed } from "./state.ts";
import { ticketView } from "./ticket.ts";

export function view(state: State): readonly Child[] {
  const { menu, ids } = state;
  return [
    h("header", { key: "top", class: "top" },
      h("img", { src: logo, alt: "", width: 32, height: 32 }),
      h("p", { class: "display shop-name" }, menu?.shop.name ?? "")),
    lostBar(state),
    ids.length > 0 ? ticketView(state) : h("main", { key: "shop", class: "shop" },
      h("a", { class: "button skip", href: "#place" }, t("Go to your order")),
      h("div", { class: "menu" },
        hero(state),
        ...notices(state),
        menu === undefined ? h("p", { class: "soft", role: "status" }, t("Loading the menu…"))
          : menu.pizzasizes.length === 0
            ? h("p", { role: "status" }, t("Nothing is on the menu right now. Come back later."))
            : choices(state, menu)),
      menu !== undefined && menu.pizzasizes.length > 0 && order(state, menu)),
    h("p", { key: "said", class: "unseen", role: "status" }, state.said),
  ];
}

function lostBar({ lostSince }: State): Child {
  if (lostSince === undefined) return undefined;
  const seconds = Math.round((Date.now() - lostSince) / 1000);
  const age = seconds < 120 ? t("Last update {seconds} s ago", { seconds })
    : t("Last update {minutes} min ago", { minutes: Math.round(seconds / 60) });
  // The age ticks outside the alert, which is announced once.
  return h("div", { key: "lost", class: "lost" },
    h("strong", { role: "alert" }, t("Connection lost. Reconnecting…")), " ", h("span", {}, age));
}

function hero(state: State): View {
  const { basket, menu } = state;
  const pizza = currentPizza(basket);
  const line = !isBegun(pizza) ? t("Pick a size, then add what you like.")
    : [
      basket.pizzas.length > 1 ? `${t("Pizza {number}", { number: basket.current + 1 })}: ` : "",
      sizeText(menu, pizza), ", ", t("{count} toppings", { count: pizza.toppings.length }),
    ].join("");
  return h("div", { class: "hero" },
    h("div", {},
      h("h1", {}, t("Your pizza, your way")),
      forName !== "" && h("p", { class: "for round" }, t("For {name}", { name: forName })),
      h("p", { class: "soft line" }, line)),
    h("div", { class: "plate" }, pizzaOf(menu, pizza)));
}

function notices(state: State): readonly Child[] {
  const { menu, visits } = state;
  const { isOpen = true, notice = "" } = menu?.shop ?? {};
  return [
    visits.length > 0 && h("nav", { key: "visits", class: "visits", "aria-labelledby": "visits" },
      h("h2", { id: "visits", class: "soft small" }, t("Your orders today")),
      h("ul", { class: "actions" }, ...visits.map(({ ids }) => h("li", { key: ids.join(" ") },
        h("a", { class: "button", href: addressOf(ids) },
          h("bdi", { class: "display" }, ids.join(", "))))))),
    (!isOpen || notice !== "") && h("section", {
      key: "notice", class: isOpen ? "card notice" : "card notice closed", role: "status",
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

function choices(state: State, menu: Menu): View {
  const { basket } = state;
  const isStarted = basket.pizzas.length > 1 || basket.pizzas.some(({ size }) => size !== "");
  const sizes = [...menu.pizzasizes].sort((a, b) => a.diameterInInches - b.diameterInInches);
  const found = (["toppings", "beverages"] as const).flatMap((kind) => {
    const wanted = menu[kind].filter((item) => isFound(state, item));
    return wanted.length === 0 ? [] : [extras(state, menu, kind, wanted)];
  });
  return h("fieldset", { key: "choices", id: "choices", disabled: isSending(basket) },
    h("legend", { class: "unseen" }, t("Menu")),
    isStarted && pizzas(state, menu),
    h("section", { key: "sizes", "aria-labelledby": "sizes" },
      h("h2", { id: "sizes", tabindex: -1 }, t("Size")),
      h("div", { class: "sizes", role: "radiogroup", "aria-labelledby": "sizes" },
        ...sizes.map((size) => sizeTile(state, menu, size, sizes.at(-1)?.diameterInInches ?? 1)))),
    finder(state),
    h("div", { key: "lists", class: "lists" }, ...found,
      found.length === 0 && h("p", { role: "status" }, t("Nothing on the menu has that name."))));
}

/** One button for each pizza, and one for another. */
function pizzas({ basket }: State, menu: Menu): View {
  return h("ul", { key: "pizzas", class: "pizzas", "aria-label": t("Your pizzas") },
    ...basket.pizzas.map((pizza, at) => h("li", { key: `${at}` },
      h("button", {
        type: "button", class: at === basket.current ? "chosen" : "",
        "aria-current": at === basket.current, "data-do": "turn", "data-of": at,
      },
      pizzaOf(menu, pizza),
      h("span", {},
        h("span", {}, unseen(`${t("Pizza {number}", { number: at + 1 })}: `),
          itemOf(menu, "pizzasizes", pizza.size)?.name ?? t("No size yet")),
        h("span", { class: "soft small" },
          t("{count} toppings", { count: pizza.toppings.length })))))),
    basket.pizzas.length < mostPizzas && h("li", { key: "another" },
      h("button", {
        type: "button", class: "another", "data-do": "another", "aria-label": t("Another pizza"),
      }, icon("plus"))));
}

function sizeTile({ basket }: State, menu: Menu, size: PizzaSize, largest: number): View {
  const { id, name, diameterInInches } = size;
  const [isOut, isChosen] = [isSoldOut(menu, "pizzasizes", id), currentPizza(basket).size === id];
  return h("label", {
    key: id, class: ["tile", isChosen ? "chosen" : "", isOut ? "sold-out" : ""].join(" "),
  },
  h("input", {
    type: "radio", name: "size", checked: isChosen, "data-do": "size", "data-of": id,
    disabled: !canOrder(menu, "pizzasizes", id),
  }),
  h("span", { class: "table" },
    h("span", { class: "disc", style: { "--part": `${diameterInInches / largest}` } })),
  h("span", { class: "name" }, name),
  h("span", { class: "soft small" }, isOut ? t("sold out") : notesOn(size)));
}

function finder({ search, diets }: State): View {
  const filter = (diet: State["diets"][number], mark: string, text: string): View =>
    h("button", {
      key: diet, type: "button", class: "round", "data-do": "diet", "data-of": diet,
      "aria-pressed": `${diets.includes(diet)}`,
    }, h("span", { class: "leaf" }, icon(mark)), text);
  return h("div", { key: "finder", class: "finder", role: "search" },
    h("div", { class: "search" }, icon("search"),
      h("input", {
        type: "search", class: "round", autocomplete: "off", spellcheck: "false",
        enterkeyhint: "search", placeholder: t("Search"), value: search, "data-do": "search",
        "aria-label": t("Search toppings and drinks"),
      })),
    filter("isVegetarian", "vegetarian", t("Vegetarian")),
    filter("isVegan", "vegan", t("Vegan")));
}

/** Whether the search and the two filters leave it over. */
function isFound({ search, diets }: State, item: MenuItem): boolean {
  return plain(search).split(/\s+/).every((word) => plain(item.name).includes(word))
    && diets.every((diet) => !(diet in item) || item[diet as keyof MenuItem]);
}

export function foundCount(state: State): number {
  const { toppings = [], beverages = [] } = state.menu ?? {};
  return [...toppings, ...beverages].filter((item) => isFound(state, item)).length;
}

function extras(
  state: State, menu: Menu, kind: ExtraKind, items: readonly MenuItem[],
): View {
  const isTopping = kind === "toppings";
  return h("section", { key: kind, "aria-labelledby": kind },
    h("div", { class: "head" },
      h("h2", { id: kind }, isTopping ? t("Toppings") : t("Drinks")),
      isTopping && h("p", { class: "soft small" }, t("Tap again for double"))),
    h("ul", { class: "tiles" }, ...items.map((item) => tile(state, menu, kind, item))));
}

/** All of it adds one; what is chosen has − where its picture was, and the count where + was. */
function tile({ basket }: State, menu: Menu, kind: ExtraKind, item: MenuItem): View {
  const { id, name } = item;
  const count = chosenOf(basket, kind).filter((one) => one === id).length;
  const isOut = isSoldOut(menu, kind, id);
  const diet = dietOf(item);
  const of = `${kind} ${id}`;
  const note = isOut ? t("sold out") : kind === "beverages" ? notesOn(item) : "";
  return h("li", {
    key: id, class: ["tile", count > 0 ? "chosen" : "", isOut ? "sold-out" : ""].join(" "),
  },
  h("button", {
    type: "button", class: "more", "data-do": "add", "data-of": of,
    "aria-disabled": canOrder(menu, kind, id) ? undefined : "true",
  },
  kind === "beverages" ? icon("glass") : toppingPicture(name),
  h("span", { class: "name" },
    unseen(`${t("Add")} `), name,
    diet !== undefined && !isOut && h("span", { class: "leaf" }, icon(diet), unseen(notesOn(item))),
    note !== "" && h("span", { class: "soft small" }, note)),
  count > 0 ? h("span", { key: "count", class: "count display round" }, number(count))
    : !isOut && icon("plus")),
  count > 0 && h("button", {
    key: "less", type: "button", class: "less guard", "data-do": "take", "data-of": of,
    "aria-label": t("One {name} less", { name }),
  }, h("span", { class: "round" }, icon("minus"))));
}

/** The bar on a phone, which unfolds; the panel where there is room. */
function order(state: State, menu: Menu): View {
  const { basket, isUnfolded } = state;
  const { pizzas, beverages } = basket;
  const begun = pizzas.filter(isBegun);
  const isOff = isSending(basket) || whyClosed(state) !== ""
    || pizzas.some(({ size }) => size === "");
  const counts = [
    ...begun.length > 0 ? [t("{count} pizzas", { count: begun.length })] : [],
    ...beverages.length > 0 ? [t("{count} drinks", { count: beverages.length })] : [],
  ];
  const sizes = tally(begun.map(({ size }) => referenceTo(menu, "pizzasizes", size)));
  return h("aside", {
    key: "order", class: isUnfolded ? "order unfolded" : "order", "aria-labelledby": "order",
  },
  h("h2", { id: "order" }, t("Your order")),
  h("div", { class: "plate" }, pizzaOf(menu, currentPizza(basket))),
  h("fieldset", { id: "chosen", class: "list", disabled: isSending(basket) },
    h("legend", { class: "unseen" }, t("Your order")),
    ...pizzas.map((pizza, at) => pizzaEntry(state, menu, pizza, at)),
    beverages.length > 0 && h("section", { key: "drinks" },
      h("div", { class: "head" },
        h("h3", {}, t("{count} drinks", { count: beverages.length }))),
      h("p", { class: "soft" }, namesText(menu, "beverages", beverages)))),
  h("p", { class: "note", id: "note", role: "status" }, state.note || whyClosed(state)),
  h("div", { class: "bar" },
    pizzaOf(menu, currentPizza(basket)),
    h("button", {
      type: "button", class: "unfold", "data-do": "unfold", "aria-expanded": `${isUnfolded}`,
      "aria-controls": "chosen",
    },
    h("span", {},
      h("strong", {}, counts.length === 0 ? t("Start with a size") : counts.join(", ")),
      h("span", { class: "soft small" }, begun.length === 0 ? t("Nothing chosen yet")
        : listed(sizes.map(({ text }) => text)))),
    icon(isUnfolded ? "down" : "up")),
    h("button", {
      type: "button", id: "place", class: isOff ? "" : "act", "data-do": "place",
      "aria-disabled": isOff ? "true" : undefined, "aria-describedby": "note",
    }, t("Place order"))));
}

function pizzaEntry({ basket }: State, menu: Menu, pizza: Pizza, at: number): View {
  const total = basket.pizzas.length;
  const place = { number: at + 1, total };
  const label = unseen(` ${t("Pizza {number}", place)}`);
  return h("section", { key: `pizza ${at}` },
    h("div", { class: "head" },
      h("h3", {}, itemOf(menu, "pizzasizes", pizza.size)?.name ?? t("No size yet")),
      total > 1 && h("p", {},
        at === basket.current
          ? h("span", { class: "soft small" }, t("pizza {number} of {total}", place))
          : h("button", { type: "button", class: "link", "data-do": "turn", "data-of": at },
            t("Change"), label),
        h("button", { type: "button", class: "link", "data-do": "remove", "data-of": at },
          t("Remove"), label))),
    h("p", { class: "soft" }, pizza.toppings.length === 0 ? t("No toppings yet")
      : namesText(menu, "toppings", pizza.toppings)));
}

function sizeText(menu: Menu | undefined, { size }: Pizza): string {
  const item = menu === undefined ? undefined : itemOf(menu, "pizzasizes", size);
  return item === undefined ? t("No size yet")
    : t("{name}, {note}", { name: item.name, note: notesOn(item) });
}

function referenceTo(menu: Menu, kind: MenuKind, id: string): { id: string; name: string } {
  return { id, name: itemOf(menu, kind, id)?.name ?? (id === "" ? t("No size yet") : id) };
}

/** "2× Mozzarella, Basil". */
function namesText(menu: Menu, kind: MenuKind, ids: readonly string[]): string {
  return tally(ids.map((id) => referenceTo(menu, kind, id))).map(({ text }) => text).join(", ");
}

function pizzaOf(menu: Menu | undefined, { toppings }: Pizza): View {
  return pizzaPicture(menu === undefined ? []
    : toppings.map((id) => itemOf(menu, "toppings", id)?.name ?? id));
}
