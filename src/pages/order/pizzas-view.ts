/** The shop's pizzas as elements. */

import { pictureOf } from "../drawing/pizza.ts";
import { type Child, h, unseen, type View } from "../shared/dom.ts";
import { descriptionsOf, toppingsOf } from "../shared/menu.ts";
import type { ShopPizza } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import { countOfPizza } from "./basket.ts";
import {
  addShopPizza, buildOwn, changeShopPizza, removeShopPizza,
} from "./basket-actions.ts";
import { isSizeMissing, soldOutToppings } from "./obstacles.ts";
import { sizeQuestion } from "./rows-view.ts";
import { pizzasFound } from "./search.ts";
import type { State } from "./state.ts";
import { leaf, namesView } from "./text-views.ts";
import { tileView } from "./tile-view.ts";

export function shopPizzasView(state: State): Child {
  const pizzas = pizzasFound(state);
  return pizzas.length > 0 && h("section", { key: "named", "aria-labelledby": "named" },
    h("div", { class: "section-head spread wrap" },
      h("h2", { id: "named", tabindex: -1 }, t("Pizzas")),
      h("button", { class: "plain link", onclick: buildOwn }, t("Build your own"))),
    h("ul", { class: "shop-pizzas" }, ...pizzas.map((pizza) => shopPizzaTile(state, pizza))));
}

/** A press on the tile adds a pizza. The tile asks for its size, if none was chosen. */
function shopPizzaTile(state: State, pizza: ShopPizza): View {
  const { basket, menu } = state;
  const { name } = pizza;
  const toppings = toppingsOf(menu, pizza);
  const descriptions = descriptionsOf(toppings);
  const count = countOfPizza(basket, name);
  const out = soldOutToppings(state, pizza.toppings);
  const unsized = basket.rows.find((row) => row.pizza === name && isSizeMissing(state, row));
  return tileView({
    key: name, name, count, isOut: out.length > 0,
    add: out.length === 0 && (() => { addShopPizza(pizza); }),
    remove: () => { removeShopPizza(name); },
  }, pictureOf({ pizza: name, toppings }), [
    h("span", { class: "display" }, unseen(`${t("Add")} `), h("bdi", {}, name)),
    leaf(...toppings), " ",
    h("span", { class: "soft small" }, ...namesView(toppings)), " ",
    descriptions.length > 0 && h("span", { class: "soft small" }, descriptions.join(" · ")),
    out.length > 0
      && h("strong", { class: "small" }, t("sold out: {names}", { names: listed(out) })),
  ],
    unsized !== undefined && sizeQuestion(state, unsized),
    count > 0 && unsized === undefined && h("button", {
      key: "change", class: "plain link", onclick: () => { changeShopPizza(name); },
    }, t("Change"), unseen(` ${name}`)));
}
