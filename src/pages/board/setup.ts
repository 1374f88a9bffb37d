/** A new shop: nothing can be ordered while its menu has no size, no topping, or no pizza. */

import { h, type View } from "../shared/dom.ts";
import { isComplete, type Menu } from "../shared/menu.ts";
import { t } from "../shared/words.ts";
import { openTab } from "./tabs.ts";

/** Undefined: the menu has some of each. */
export function setupView(menu: Menu): View | undefined {
  const { pizzasizes, toppings, shop: { pizzas } } = menu;
  const hasAll = pizzasizes.length > 0 && toppings.length > 0
    && pizzas.some((pizza) => isComplete(menu, pizza));
  return hasAll ? undefined : h("div", { key: "setup", class: "nothing" },
    h("h2", {}, t("The menu is not complete")),
    h("p", {}, t("Add sizes, toppings and pizzas. Then guests can order.")),
    h("p", { class: "actions" },
      h("button", { class: "go", onclick: () => { openTab("menu"); } }, t("Open the menu"))));
}
