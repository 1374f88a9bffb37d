/** The shop's pizzas as elements. */

import { pictureOf } from "../drawing/pizza.ts";
import { type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { descriptionsOf, toppingsOf } from "../shared/menu.ts";
import type { ShopPizza } from "../shared/types.ts";
import { listed, t } from "../shared/words.ts";
import { countOfPizza } from "./basket.ts";
import {
  addShopPizza, buildOwn, changeShopPizza, removeShopPizza,
} from "./basket-actions.ts";
import { sizeQuestion } from "./rows-view.ts";
import { pizzasFound } from "./search.ts";
import type { State } from "./state.ts";
import { isSizeMissing, soldOutToppings } from "./obstacles.ts";
import { leaf, namesView } from "./text-views.ts";
import { countView, lessButton } from "./tile-view.ts";

export function shopPizzasView(state: State): Child {
  const pizzas = pizzasFound(state);
  return pizzas.length > 0 && h("section", { key: "named", "aria-labelledby": "named" },
    h("div", { class: "head spread wrap" },
      h("h2", { id: "named", tabindex: -1 }, t("Pizzas")),
      h("button", { class: "plain link", onclick: buildOwn }, t("Build your own"))),
    h("ul", { class: "named" }, ...pizzas.map((pizza) => shopPizzaTile(state, pizza))));
}

/** A press on the tile adds one. It asks for its size, since a pizza is finished where it is. */
function shopPizzaTile(state: State, pizza: ShopPizza): View {
  const { basket, menu } = state;
  const { name } = pizza;
  const toppings = toppingsOf(menu, pizza);
  const count = countOfPizza(basket, name);
  const out = soldOutToppings(state, pizza.toppings);
  const rows = basket.rows.filter((row) => row.pizza === name);
  const unsized = rows.find((row) => isSizeMissing(state, row));
  return h("li", {
    key: name, class: classes("tile", count > 0 && "chosen", out.length > 0 && "sold-out"),
  },
    h("button", {
      class: "plain more", onclick: out.length === 0 && (() => { addShopPizza(pizza); }),
    },
      pictureOf({ pizza: name, toppings }),
      h("span", { class: "name" },
        h("span", { class: "display" }, unseen(`${t("Add")} `), h("bdi", {}, name)),
        leaf(...toppings), " ",
        h("span", { class: "soft small" }, ...namesView(toppings)), " ",
        descriptions(toppings),
        out.length > 0 && h("strong", { class: "small" },
          t("sold out: {names}", { names: listed(out) }))),
      countView(count, out.length > 0)),
    count > 0 && lessButton(name, () => { removeShopPizza(name); }),
    unsized !== undefined && sizeQuestion(state, unsized),
    count > 0 && unsized === undefined && h("button", {
      key: "change", class: "plain link", onclick: () => { changeShopPizza(name); },
    }, t("Change"), unseen(` ${name}`)));
}

function descriptions(toppings: Parameters<typeof descriptionsOf>[0]): Child {
  const texts = descriptionsOf(toppings);
  return texts.length > 0 && h("span", { class: "soft small" }, texts.join(" · "));
}
