/** The menu: what is sold out, the shop's own pizzas, and whether the shop takes orders. */

import { longestText } from "../../resources/limits.ts";
import { type Child, classes, h, submitted, type View } from "../shared/dom.ts";
import {
  isComplete, isSoldOut, itemsInOrder, type MenuItem, notesOn, toppingsOf,
} from "../shared/menu.ts";
import type { MenuKind, ShopPizza } from "../shared/types.ts";
import { comma, listed, t, timeText } from "../shared/words.ts";
import { actionsDialog } from "./dialog-frame.ts";
import type { MenuRowDialog, OpeningDialog } from "./dialog-state.ts";
import { checkbox, formDialog, newerText, takeWhole } from "./forms.ts";
import { addTitles, openItemForm } from "./item-form.ts";
import { moreButton } from "./parts.ts";
import { openPizzaForm } from "./pizza-form.ts";
import {
  closeShop, notifyFailure, openShop, removeItem, removePizza, reorderItem, reorderPizza,
  saveNotice, saveOpening, setSoldOut, soldOutNames, typeNotice,
} from "./shop-writes.ts";
import { canAct, type State } from "./state.ts";
import { openDialog } from "./store.ts";

const titles: Readonly<Record<MenuKind, string>> = {
  pizzasizes: t("Sizes"), toppings: t("Toppings"), beverages: t("Drinks"),
};

const sixInTheEvening = new Date(2026, 0, 1, 18);

export function menuTab(state: State): View {
  const { toppings, pizzasizes, beverages, shop: { pizzas, menuOrder } } = state.menu;
  // Whatever comes, goes or changes moves the rows.
  const pressKey = JSON.stringify([toppings, pizzasizes, beverages, pizzas, menuOrder]);
  return h("main", { key: "menu", id: "menu" },
    noticeForm(state),
    // The longest first: on a wide screen the others stand beside it.
    h("div", { class: "menu-kinds", pressKey },
      kindSection(state, "toppings"), pizzasSection(state),
      kindSection(state, "pizzasizes"), kindSection(state, "beverages")));
}

function noticeForm(state: State): View {
  const { menu: { shop: { isOpen, name, notice } }, typedNotice } = state;
  const isActive = canAct(state);
  const value = typedNotice?.text ?? notice;
  const turn = (): void => { notifyFailure(isOpen ? closeShop() : openShop(), name); };
  return h("form", {
    class: "notice-form wrap", onsubmit: submitted(() => { notifyFailure(saveNotice(), name); }),
  },
    h("h2", {}, isOpen ? t("The shop is open.") : t("The shop is closed.")),
    isActive && h("button", { key: String(isOpen), pressKey: String(isOpen), onclick: turn },
      isOpen ? t("Close the shop") : t("Open the shop")),
    // Save stays beside its field.
    h("div", { class: "wrap" },
      h("label", { class: "wrap" }, h("span", { class: "soft" }, t("Notice")), h("input", {
        name: "notice", value, autocomplete: "off", readonly: !isActive,
        placeholder: t("Back at {time}", { time: timeText(sixInTheEvening) }),
        oninput: takeWhole(value, longestText, typeNotice),
      }), newerText({ newer: newerNotice(state) })),
      isActive && h("button", { type: "submit" }, t("Save"))));
}

/** The notice that somebody else has written while one is typed here. */
function newerNotice({ menu: { shop: { notice } }, typedNotice }: State): string | undefined {
  return typedNotice === undefined || notice === typedNotice.before || notice === typedNotice.text
    ? undefined : notice;
}

/** The form before the shop opens: the notice and what is sold out stay, unless it says so. */
export function openingForm({ menu: { shop } }: State, dialog: OpeningDialog): View {
  const soldOut = soldOutNames();
  return formDialog(dialog, {
    title: t("Open the shop?"), isTyped: false, saveLabel: t("Open the shop"),
    leaveLabel: t("Keep it closed"), save: () => saveOpening(dialog),
  },
    soldOut.length > 0 && checkbox(dialog, {
      name: "soldOut", first: "false",
      label: t("Sell everything again: {names}", { names: listed(soldOut) }),
    }),
    shop.notice !== "" && checkbox(dialog, {
      name: "notice", first: "false",
      label: t("Take the notice away: “{notice}”", { notice: shop.notice }),
    }));
}

interface MenuSection {
  readonly name: string;
  readonly title: string;
  readonly addTitle: string;
  readonly add: () => void;
}

function menuSection(
  state: State, { name, title, addTitle, add }: MenuSection, rows: readonly View[],
): View {
  return h("section", { key: name, class: `panel ${name}`, "aria-labelledby": `title-${name}` },
    h("div", { class: "panel-head spread wrap" }, h("h2", { id: `title-${name}` }, title),
      canAct(state) && h("button", { class: "plain strong leafy", onclick: add }, addTitle)),
    h("ul", { class: "rows" }, ...rows));
}

function kindSection(state: State, kind: MenuKind): View {
  const items: readonly MenuItem[] = itemsInOrder(state.menu, kind);
  return menuSection(state, {
    name: kind, title: titles[kind], addTitle: addTitles[kind],
    add: () => { openItemForm(kind); },
  }, items.map((item) => itemRow(state, kind, item)));
}

function itemRow(state: State, kind: MenuKind, item: MenuItem): View {
  const { id, name, description = "" } = item;
  const isOut = isSoldOut(state.menu, kind, id);
  const turn = (): void => { notifyFailure(setSoldOut(kind, id, !isOut), name); };
  return h("li", { key: id, pressKey: String(isOut) },
    nameAndNotes(name, [notesOn(item), description]),
    h("button", {
      class: classes("plain switch", isOut ? "amber" : "soft"), role: "switch",
      "aria-checked": String(!isOut), onclick: canAct(state) && turn,
      "aria-label": `${isOut ? t("Sold out") : t("Available")}: ${name}`,
    },
      // Both words share a cell, so that the switch is as wide as the longer in any language.
      h("span", { class: "switch-label" },
        h("span", { class: classes(isOut && "unused") }, t("Available")),
        h("span", { class: classes("strong", !isOut && "unused") }, t("Sold out"))),
      h("i", { class: "switch-track" })),
    moreButton(state, name, () => { openDialog({ type: "menu-row", kind, id }); }));
}

function pizzasSection(state: State): View {
  return menuSection(state, {
    name: "pizzas", title: t("Pizzas"), addTitle: t("Add a pizza"), add: () => { openPizzaForm(); },
  }, state.menu.shop.pizzas.map((pizza, index) => shopPizzaRow(state, pizza, index)));
}

function shopPizzaRow(state: State, pizza: ShopPizza, index: number): View {
  const { name } = pizza;
  const toppings = toppingsOf(state.menu, pizza);
  return h("li", { key: index },
    nameAndNotes(name, [toppings.map((topping) => topping.name).join(comma)],
      !isComplete(state.menu, pizza) && h("span", { key: "lacks", class: "tag remark" },
        t("A topping is missing. It is not offered."))),
    moreButton(state, name, () => { openDialog({ type: "menu-row", kind: "pizzas", id: name }); }));
}

function nameAndNotes(name: string, notes: readonly string[], remark: Child = undefined): Child {
  return h("p", {}, h("bdi", {}, name),
    ...notes.filter((note) => note !== "").map((note, index) =>
      h("span", { key: index, class: "soft small" }, note)), remark);
}

/** Undefined: the row has left. */
export function menuRowDialog({ menu }: State, { kind, id }: MenuRowDialog): Child {
  if (kind === "pizzas") {
    const { pizzas } = menu.shop;
    const index = pizzas.findIndex(({ name }) => name === id);
    const pizza = pizzas[index];
    return pizza && actionsOfRow(id, index, pizzas.length, {
      change: () => { openPizzaForm(pizza); },
      reorder: (by) => reorderPizza(id, by),
      remove: () => removePizza(pizza),
    });
  }
  const items: readonly MenuItem[] = itemsInOrder(menu, kind);
  const index = items.findIndex((item) => item.id === id);
  const item = items[index];
  return item && actionsOfRow(item.name, index, items.length, {
    change: () => { openItemForm(kind, item); },
    reorder: (by) => reorderItem(kind, id, by),
    remove: () => removeItem(kind, id),
  });
}

interface MenuRowActions {
  readonly change: () => void;
  readonly reorder: (by: -1 | 1) => Promise<void>;
  readonly remove: () => Promise<void>;
}

function actionsOfRow(
  name: string, index: number, count: number, { change, reorder, remove }: MenuRowActions,
): View {
  const reorderBy = (by: -1 | 1) => (): void => { notifyFailure(reorder(by), name); };
  // The dialog stays open: a row goes several places further by as many presses.
  return actionsDialog(name, [], [
    { symbol: "pen", label: t("Change"), act: change },
    { symbol: "up", label: t("Move up"), act: index > 0 && reorderBy(-1), stays: true },
    { symbol: "down", label: t("Move down"), act: index < count - 1 && reorderBy(1), stays: true },
  ], { symbol: "cross", label: t("Remove"), act: () => { notifyFailure(remove(), name); } });
}
