/** The menu: what is sold out, the shop's own pizzas, and whether the shop takes orders. */

import { type Child, classes, h, submitted, type View } from "../shared/dom.ts";
import { isComplete, isSoldOut, type MenuItem, notesOn, toppingsOf } from "../shared/menu.ts";
import type { MenuKind, ShopPizza } from "../shared/types.ts";
import { comma, t, timeText } from "../shared/words.ts";
import { actionsDialog } from "./dialog-frame.ts";
import type { RowDialog } from "./dialog-types.ts";
import { openDialog } from "./dialogs.ts";
import { addTitles, changeItem, openItemForm } from "./item-form.ts";
import { openPizzaForm } from "./pizza-form.ts";
import {
  notifyFailure, openOrCloseShop, removeItem, removePizza, saveNotice, setSoldOut,
} from "./shop-writes.ts";
import { canAct, type State } from "./state.ts";

const titles: Readonly<Record<MenuKind, string>> = {
  pizzasizes: t("Sizes"), toppings: t("Toppings"), beverages: t("Drinks"),
};

const sixInTheEvening = new Date(2026, 0, 1, 18);

export function menuTab(state: State): View {
  const { toppings, pizzasizes, beverages, shop: { pizzas } } = state.menu;
  // Whatever comes, goes or changes moves the rows.
  const guard = JSON.stringify([toppings, pizzasizes, beverages, pizzas]);
  return h("main", { key: "menu", id: "menu" },
    noticeForm(state),
    // The longest first: on a wide screen the others stand beside it.
    h("div", { class: "kinds", guard }, kindSection(state, "toppings"), pizzasSection(state),
      kindSection(state, "pizzasizes"), kindSection(state, "beverages")));
}

function noticeForm(state: State): View {
  const { shop: { isOpen, name, notice } } = state.menu;
  const isActive = canAct(state);
  const turn = (): void => {
    const form = document.querySelector<HTMLFormElement>(".shop");
    if (form !== null) notifyFailure(openOrCloseShop(form), name);
  };
  return h("form", {
    class: "shop", onsubmit: submitted((form) => { notifyFailure(saveNotice(form), name); }),
  },
    h("h2", {}, isOpen ? t("The shop is open.") : t("The shop is closed.")),
    isActive && h("button", { key: String(isOpen), guard: String(isOpen), onclick: turn },
      isOpen ? t("Close the shop") : t("Open the shop")),
    // Save stays beside its field.
    h("div", {},
      h("label", {}, h("span", { class: "soft" }, t("Notice")), h("input", {
        name: "notice", value: notice, autocomplete: "off", readonly: !isActive, maxlength: 500,
        placeholder: t("Back at {time}", { time: timeText(sixInTheEvening) }),
      })),
      isActive && h("button", { type: "submit" }, t("Save"))));
}

interface Section {
  readonly name: string;
  readonly title: string;
  readonly addTitle: string;
  readonly add: () => void;
}

function section(
  state: State, { name, title, addTitle, add }: Section, rows: readonly View[],
): View {
  return h("section", { key: name, class: `panel ${name}`, "aria-labelledby": `title-${name}` },
    h("div", { class: "panel-head" }, h("h2", { id: `title-${name}` }, title),
      canAct(state) && h("button", { class: "plain", onclick: add }, addTitle)),
    h("ul", { class: "rows" }, ...rows));
}

function kindSection(state: State, kind: MenuKind): View {
  const items: readonly MenuItem[] = state.menu[kind];
  return section(state, {
    name: kind, title: titles[kind], addTitle: addTitles[kind],
    add: () => { openItemForm(kind); },
  }, items.map((item) => itemRow(state, kind, item)));
}

function itemRow(state: State, kind: MenuKind, item: MenuItem): View {
  const { id, name, description = "" } = item;
  const isOut = isSoldOut(state.menu, kind, id);
  const turn = (): void => { notifyFailure(setSoldOut(kind, id, !isOut), name); };
  return h("li", { key: id, class: classes(isOut && "is-out"), guard: String(isOut) },
    rowText(name, [notesOn(item), description]),
    h("button", {
      class: classes("plain switch", isOut && "out"), role: "switch",
      "aria-checked": String(!isOut), onclick: canAct(state) && turn,
      "aria-label": `${isOut ? t("Sold out") : t("Available")}: ${name}`,
    },
      // Both words share a cell, so that the switch is as wide as the longer in any language.
      h("span", { class: "label" },
        h("span", { class: classes(isOut && "unused") }, t("Available")),
        h("span", { class: classes(!isOut && "unused") }, t("Sold out"))),
      h("i", { class: "track" })),
    moreButton(state, name, () => { notifyFailure(changeItem(kind, id), name); },
      () => { notifyFailure(removeItem(kind, id), name); }));
}

function pizzasSection(state: State): View {
  return section(state, {
    name: "pizzas", title: t("Pizzas"), addTitle: t("Add a pizza"), add: () => { openPizzaForm(); },
  }, state.menu.shop.pizzas.map((pizza, index) => pizzaRow(state, pizza, index)));
}

function pizzaRow(state: State, pizza: ShopPizza, index: number): View {
  const { name } = pizza;
  const toppings = toppingsOf(state.menu, pizza);
  return h("li", { key: index },
    rowText(name, [toppings.map((topping) => topping.name).join(comma)],
      !isComplete(state.menu, pizza) && h("span", { key: "lacks", class: "remark" },
        t("A topping is missing. It is not offered."))),
    moreButton(state, name, () => { openPizzaForm(pizza); },
      () => { notifyFailure(removePizza(pizza), name); }));
}

function rowText(name: string, notes: readonly string[], remark: Child = undefined): Child {
  return h("p", {}, h("bdi", {}, name),
    ...notes.filter((note) => note !== "").map((note, index) =>
      h("span", { key: index, class: "soft small" }, note)), remark);
}

function moreButton(
  state: State, name: string, change: () => void, remove: () => void,
): Child {
  return canAct(state) && h("button", {
    key: "more", class: "plain more", "aria-label": t("More for {name}", { name }),
    "aria-haspopup": "dialog",
    onclick: () => { openDialog({ type: "row", name, change, remove }); },
  }, "⋯");
}

export function rowActions({ name, change, remove }: RowDialog): View {
  return actionsDialog(name, [], [{ symbol: "pen", label: t("Change"), act: change }],
    { symbol: "cross", label: t("Remove"), act: remove });
}
