/** Pizzas as elements: the row of those in the basket, and the list of those of the shop. */

import { pictureOf } from "../drawing/pizza.ts";
import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { dietOf, type MenuItem, toppingsOf } from "../shared/menu.ts";
import type { ShopPizza } from "../shared/types.ts";
import { listed, numberText, t } from "../shared/words.ts";
import { addPizza, addShopPizza, changeSize, changeToppings, removeShopPizza } from "./actions.ts";
import { countOf, currentPizza, isStarted, maxPizzas } from "./basket.ts";
import { type Row, rowsOf } from "./basket-orders.ts";
import { pizzasFound } from "./search.ts";
import { pizzaCount, type State } from "./state.ts";
import { soldOutIn, soldOutOn } from "./step.ts";
import { counted, hyphenated, namesView } from "./text-views.ts";

/** A button for each row of the basket, and one for another pizza. */
export function pizzaButtons(state: State): Child {
  const rows = rowsOf(state);
  // From three on each has its number in place of the words.
  const isNarrow = rows.length > 2;
  return isStarted(state.basket) && h("ul", {
    key: "pizzas", class: classes("pizzas", isNarrow && "narrow"), "aria-label": t("Your pizzas"),
  },
    ...rows.map((row, index) => pizzaButton(state, row, index, isNarrow)),
    pizzaCount(state) < maxPizzas && h("li", { key: "another" },
      h("button", {
        class: "another", "aria-label": t("Another pizza"), onclick: addPizza,
      }, icon("plus"))));
}

function pizzaButton(state: State, { order, ids }: Row, index: number, isNarrow: boolean): View {
  const { id, pizza, pizzaSize, toppings } = order;
  const outCount = soldOutIn(state, order).length;
  const second = pizza !== "" ? pizzaSize.name
    : t("{count} toppings", { count: toppings.length });
  const isCurrent = ids.includes(currentPizza(state.basket).id);
  return h("li", { key: id },
    h("button", {
      class: classes(isCurrent && "chosen", outCount > 0 && "has-out"),
      "aria-current": isCurrent && "true", onclick: () => { changeSize(ids); },
    },
      pictureOf(order),
      h("span", { class: isNarrow ? "unseen" : "words" },
        h("span", {}, unseen(`${t("Pizza {number}", { number: index + 1 })} `),
          counted(ids.length, pizza || pizzaSize.name)), " ",
        h("span", { class: outCount > 0 ? "tag" : "soft small" },
          outCount > 0 ? t("{count} sold out", { count: outCount }) : second)),
      h("span", { class: "index round", "aria-hidden": "true" },
        outCount > 0 ? "!" : numberText(index + 1))));
}

export function shopPizzasView(state: State): Child {
  const pizzas = pizzasFound(state);
  return pizzas.length > 0 && h("section", { key: "named", "aria-labelledby": "named" },
    h("h2", { id: "named" }, t("Pizzas")),
    h("ul", { class: "named" }, ...pizzas.map((pizza) => shopPizzaTile(state, pizza))));
}

/** A press on the row adds one. */
function shopPizzaTile(state: State, pizza: ShopPizza): View {
  const { basket, menu } = state;
  const { name } = pizza;
  const toppings = toppingsOf(menu, pizza);
  const count = countOf(basket.pizzas.map((chosen) => chosen.name), name);
  const out = soldOutOn(state, pizza.toppings);
  return h("li", {
    key: name, class: classes("tile", count > 0 && "chosen", out.length > 0 && "sold-out"),
  },
    h("button", {
      class: "plain more", onclick: out.length === 0 && (() => { addShopPizza(pizza); }),
    },
      pictureOf({ toppings }),
      h("span", { class: "name" },
        h("span", { class: "display" }, unseen(`${t("Add")} `), h("bdi", {}, hyphenated(name))),
        leaf(...toppings), " ",
        h("span", { class: "soft small" }, ...namesView(toppings)), " ",
        descriptions(toppings),
        out.length > 0 && h("strong", { class: "small" },
          t("sold out: {names}", { names: listed(out) }))),
      countView(count, out.length > 0)),
    count > 0 && lessButton(name, () => { removeShopPizza(name); }),
    count > 0 && h("button", {
      key: "change", class: "plain link", onclick: () => { changeToppings(name); },
    }, t("Change toppings"), unseen(` ${name}`)));
}

/** How many there are, in place of +. */
export function countView(count: number, isOut: boolean): Child {
  return count > 0 ? h("span", { key: "count", class: "count display round" }, numberText(count))
    : !isOut && icon("plus");
}

/** − takes the place of the picture. */
export function lessButton(name: string, onclick: () => void, id?: string): View {
  return h("button", {
    key: "less", id, class: "plain less", "aria-label": t("One {name} less", { name }), onclick,
  }, h("span", { class: "round" }, icon("minus")));
}

/** Marks what is vegan or vegetarian. */
export function leaf(...toppings: readonly MenuItem[]): Child {
  const diet = dietOf(...toppings);
  return diet !== undefined && h("span", { class: "leaf" }, icon(diet),
    unseen(diet === "vegan" ? t("vegan") : t("vegetarian")));
}

/** The descriptions of the toppings, each text once. */
function descriptions(toppings: readonly MenuItem[]): Child {
  const texts = new Set(toppings.flatMap(({ description }) => description ?? []));
  return texts.size > 0 && h("span", { class: "soft small" }, [...texts].join(" · "));
}
