/** The form of a pizza that the shop names: its name, and how often each topping is on it. */

import { h, icon, type View } from "../shared/dom.ts";
import type { Menu } from "../shared/menu.ts";
import type { NamedPizza, Shop } from "../shared/types.ts";
import { number, t } from "../shared/words.ts";
import type { PizzaDialog } from "./dialog-types.ts";
import { openDialog, untried, updateDialog } from "./dialogs.ts";
import { formDialog, saveOnce, textField, textIn } from "./form-parts.ts";
import { changeShop, indexOfPizza } from "./shop-writes.ts";

const mostToppings = 50;

/** Without a pizza a new one. */
export function openPizzaForm(before?: NamedPizza): void {
  openDialog({ type: "pizza", before, toppings: before?.toppings ?? [], ...untried });
}

function savePizza(dialog: PizzaDialog, form: HTMLFormElement): Promise<void> {
  const { before, toppings } = dialog;
  const name = textIn(form, "name");
  const faults = { ...name === "" && { name: t("It needs a name.") } };
  return saveOnce(dialog, form, faults, () =>
    changeShop((shop) => ({ pizzas: saved(shop, before, { name, toppings }) })));
}

/** A pizza that another device has changed or removed meanwhile is added. */
function saved(
  shop: Shop, before: NamedPizza | undefined, pizza: NamedPizza,
): readonly NamedPizza[] {
  const { pizzas } = shop;
  const index = before === undefined ? -1 : indexOfPizza(shop, before);
  return index < 0 ? [...pizzas, pizza] : pizzas.with(index, pizza);
}

export function pizzaForm(menu: Menu, dialog: PizzaDialog): View {
  const { before, faults, toppings } = dialog;
  const title = before === undefined ? t("Add a pizza")
    : t("Change {name}", { name: before.name });
  return formDialog(title, dialog, (form) => savePizza(dialog, form),
    textField("name", t("Name"), before?.name ?? "", faults["name"]),
    h("fieldset", { key: "toppings" }, h("legend", {}, t("Toppings")),
      h("ul", { class: "counters rows" },
        ...menu.toppings.map(({ id, name }) => counter(id, name, toppings)))));
}

function counter(id: string, name: string, toppings: readonly string[]): View {
  const count = toppings.filter((one) => one === id).length;
  const add = (): void => { updateDialog("pizza", { toppings: [...toppings, id] }); };
  const remove = (): void => {
    updateDialog("pizza", { toppings: toppings.toSpliced(toppings.lastIndexOf(id), 1) });
  };
  return h("li", { key: id },
    h("bdi", {}, name),
    h("button", {
      key: "less", class: "plain", "aria-label": t("One {name} less", { name }),
      onclick: count > 0 && remove,
    }, icon("minus")),
    h("b", { role: "status", "aria-label": name }, number(count)),
    h("button", {
      key: "more", class: "plain", "aria-label": t("One {name} more", { name }),
      onclick: toppings.length < mostToppings && add,
    }, icon("plus")));
}
