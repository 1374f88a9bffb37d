/** The form of a pizza that the shop names: its name, and how often each topping is on it. */

import { h, icon, type View } from "../shared/dom.ts";
import { itemOf, itemsInOrder, type Menu } from "../shared/menu.ts";
import { isOpen, wholeOrders } from "../shared/orders.ts";
import type { Shop, ShopPizza } from "../shared/types.ts";
import { numberText, t } from "../shared/words.ts";
import { freshForm, type PizzaDialog } from "./dialog-state.ts";
import { addAnother, formDialog, saveForm, textField, textIn } from "./forms.ts";
import { changeShop, indexOfPizza } from "./shop-writes.ts";
import { closeDialog, notify, openDialog, state, updateDialog } from "./store.ts";

const maxToppings = 50;

/** Opens the form of a pizza, or of a new one. */
export function openPizzaForm(before?: ShopPizza): void {
  openDialog({ type: "pizza", before, toppings: before?.toppings ?? [], ...freshForm });
}

function save(dialog: PizzaDialog): Promise<void> {
  const { before, toppings } = dialog;
  const { menu } = state();
  const name = textIn(dialog, "name", before?.name ?? "").trim();
  const isTaken = name !== before?.name && menu.shop.pizzas.some((pizza) => pizza.name === name);
  const faults = {
    ...name === "" ? { name: t("It needs a name.") }
      : isTaken ? { name: t("Another pizza has that name.") } : {},
    ...!toppings.some((id) => isOnMenu(menu, id)) && { toppings: t("It needs a topping.") },
  };
  return saveForm(dialog, faults, async () => {
    await changeShop((shop) => ({ pizzas: withPizza(shop, before, { name, toppings }) }));
    if (before !== undefined) notifyOpenOrders(before.name, name);
    return "";
  }, before === undefined ? () => { addAnother({ ...dialog, toppings: [] }, name); } : closeDialog);
}

/** Open orders with such a pizza are compared with its new toppings from now on. */
function notifyOpenOrders(...names: readonly string[]): void {
  const open = [...state().orders.values()].filter((order) =>
    isOpen(order) && order.pizza !== undefined && names.includes(order.pizza));
  const titles = wholeOrders(open).map(({ title }) => title);
  const [count, numbers] = [titles.length, titles.join(", ")];
  if (count > 0) notify(t("{count} open orders have this pizza: {numbers}", { count, numbers }));
}

/** A pizza that another device has changed or removed meanwhile is added. */
function withPizza(
  shop: Shop, before: ShopPizza | undefined, pizza: ShopPizza,
): readonly ShopPizza[] {
  const { pizzas } = shop;
  const index = before === undefined ? -1 : indexOfPizza(shop, before);
  return index < 0 ? [...pizzas, pizza] : pizzas.with(index, pizza);
}

function isOnMenu(menu: Menu, id: string): boolean {
  return itemOf(menu, "toppings", id) !== undefined;
}

export function pizzaForm(menu: Menu, dialog: PizzaDialog): View {
  const { before, faults, toppings } = dialog;
  const first = before?.name ?? "";
  const missing = new Set(toppings.filter((id) => !isOnMenu(menu, id)));
  return formDialog(dialog, {
    title: before === undefined ? t("Add a pizza") : t("Change {name}", { name: first }),
    isTyped: textIn(dialog, "name", first).trim() !== first
      || toppings.join(" ") !== (before?.toppings ?? []).join(" "),
    leaveLabel: before && t("Don’t change"),
    save: () => save(dialog),
  },
    textField(dialog, { name: "name", label: t("Name"), first }),
    h("fieldset", {
      key: "toppings", tabindex: -1, "aria-invalid": faults["toppings"] !== undefined && "true",
      "aria-describedby": "fault-toppings",
    },
      h("legend", {}, t("Toppings")),
      h("p", { class: "fault", id: "fault-toppings" }, faults["toppings"] ?? ""),
      h("ul", { class: "counters rows" },
        ...[...missing].map((id) => missingTopping(id, toppings)),
        ...itemsInOrder(menu, "toppings").map(({ id, name }) => counter(id, name, toppings)))));
}

function changeToppings(toppings: readonly string[]): void {
  updateDialog("pizza", { toppings });
}

/** The shop has removed it: nobody can order the pizza until it is taken off. */
function missingTopping(id: string, toppings: readonly string[]): View {
  const takeOff = (): void => { changeToppings(toppings.filter((other) => other !== id)); };
  return h("li", { key: `missing ${id}` },
    h("span", { class: "row-button fault" }, t("No longer on the menu: {name}", { name: id })),
    h("button", {
      class: "plain", "aria-label": t("Take off {name}", { name: id }), onclick: takeOff,
    }, icon("cross")));
}

function counter(id: string, name: string, toppings: readonly string[]): View {
  const count = toppings.filter((topping) => topping === id).length;
  const add = (): void => { changeToppings([...toppings, id]); };
  const remove = (): void => { changeToppings(toppings.toSpliced(toppings.lastIndexOf(id), 1)); };
  // The service counts those that are missing, too.
  const isFull = toppings.length >= maxToppings;
  return h("li", { key: id },
    // For a finger: the keyboard has the button with the plus.
    h("button", { key: "name", class: "plain row-button", tabindex: -1, onclick: !isFull && add },
      h("bdi", {}, name)),
    h("button", {
      key: "less", class: "plain", "aria-label": t("One {name} less", { name }),
      onclick: count > 0 && remove,
    }, icon("minus")),
    h("b", { class: "display", role: "status", "aria-label": name }, numberText(count)),
    h("button", {
      key: "more", class: "plain", "aria-label": t("One {name} more", { name }),
      onclick: !isFull && add,
    }, icon("plus")));
}
