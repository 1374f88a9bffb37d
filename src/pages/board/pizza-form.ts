/** The form of a pizza that the shop names: its name, and how often each topping is on it. */

import { h, icon, type View } from "../shared/dom.ts";
import type { Menu } from "../shared/menu.ts";
import { orderTitle } from "../shared/orders.ts";
import type { Shop, ShopPizza } from "../shared/types.ts";
import { numberText, t } from "../shared/words.ts";
import type { PizzaDialog } from "./dialog-types.ts";
import { freshForm, openDialog, updateDialog } from "./dialogs.ts";
import { formDialog, saveOnce, textField, textIn } from "./forms.ts";
import { notify } from "./notices.ts";
import { changeShop, indexOfPizza } from "./shop-writes.ts";
import { isOpen } from "./statuses.ts";
import { state } from "./store.ts";

const maxToppings = 50;

/** Without a pizza a new one. */
export function openPizzaForm(before?: ShopPizza): void {
  openDialog({ type: "pizza", before, toppings: before?.toppings ?? [], ...freshForm });
}

function savePizza(
  dialog: PizzaDialog, form: HTMLFormElement, isAnother: boolean,
): Promise<void> {
  const { before, toppings } = dialog;
  const name = textIn(form, "name");
  const isTaken = state().menu.shop.pizzas.some((pizza) => pizza.name === name)
    && name !== before?.name;
  const faults = {
    ...name === "" ? { name: t("It needs a name.") }
      : isTaken ? { name: t("Another pizza has that name.") } : {},
    ...toppings.length === 0 && { toppings: t("It needs a topping.") },
  };
  const next = { ...dialog, ...freshForm, toppings: [], saved: t("{name} saved", { name }) };
  return saveOnce(dialog, form, faults, async () => {
    await changeShop((shop) => ({ pizzas: withPizza(shop, before, { name, toppings }) }));
    if (before !== undefined) notifyOpenOrders(before.name, name);
  }, isAnother ? next : undefined);
}

/** Open orders with such a pizza are compared with its new toppings from now on. */
function notifyOpenOrders(...names: readonly string[]): void {
  const open = [...state().orders.values()].filter((order) =>
    isOpen(order) && order.pizza !== undefined && names.includes(order.pizza));
  const numbers = [...new Set(open.map(orderTitle))].join(", ");
  if (open.length > 0) {
    notify(t("{count} open orders have this pizza: {numbers}", { count: open.length, numbers }));
  }
}

/** A pizza that another device has changed or removed meanwhile is added. */
function withPizza(
  shop: Shop, before: ShopPizza | undefined, pizza: ShopPizza,
): readonly ShopPizza[] {
  const { pizzas } = shop;
  const index = before === undefined ? -1 : indexOfPizza(shop, before);
  return index < 0 ? [...pizzas, pizza] : pizzas.with(index, pizza);
}

export function pizzaForm(menu: Menu, dialog: PizzaDialog): View {
  const { before, faults, toppings } = dialog;
  const title = before === undefined ? t("Add a pizza")
    : t("Change {name}", { name: before.name });
  return formDialog(title, dialog, before === undefined, (form, isAnother) =>
    savePizza(dialog, form, isAnother),
    textField("name", t("Name"), before?.name ?? "", faults["name"]),
    h("fieldset", {
      key: "toppings", tabindex: -1, "aria-invalid": faults["toppings"] !== undefined && "true",
      "aria-describedby": "fault-toppings",
    },
      h("legend", {}, t("Toppings")),
      h("p", { class: "fault", id: "fault-toppings" }, faults["toppings"] ?? ""),
      h("ul", { class: "counters rows" },
        ...menu.toppings.map(({ id, name }) => counter(id, name, toppings)))));
}

function counter(id: string, name: string, toppings: readonly string[]): View {
  const count = toppings.filter((topping) => topping === id).length;
  const add = (): void => { updateDialog("pizza", { toppings: [...toppings, id] }); };
  const remove = (): void => {
    updateDialog("pizza", { toppings: toppings.toSpliced(toppings.lastIndexOf(id), 1) });
  };
  const isFull = toppings.length >= maxToppings;
  return h("li", { key: id },
    // For a finger: the keyboard has the button with the plus.
    h("button", { key: "name", class: "plain name", tabindex: -1, onclick: !isFull && add },
      h("bdi", {}, name)),
    h("button", {
      key: "less", class: "plain", "aria-label": t("One {name} less", { name }),
      onclick: count > 0 && remove,
    }, icon("minus")),
    h("b", { role: "status", "aria-label": name }, numberText(count)),
    h("button", {
      key: "more", class: "plain", "aria-label": t("One {name} more", { name }),
      onclick: !isFull && add,
    }, icon("plus")));
}
