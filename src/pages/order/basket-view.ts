/** The basket as elements: a bar that unfolds on a phone, a panel where there is room. */

import { pictureOf } from "../drawing/pizza.ts";
import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { itemName } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { comma, listed, t } from "../shared/words.ts";
import { drawnRow, isEmpty, pizzaCount } from "./basket.ts";
import { bringBack, removeSoldOut } from "./basket-actions.ts";
import { orderOf } from "./basket-orders.ts";
import { closeBasket, openBasket } from "./navigation.ts";
import { isRemovable, placeButton, soldOutItems } from "./obstacles.ts";
import { placeActions } from "./order-actions.ts";
import { drinkRows, pizzaRow } from "./rows-view.ts";
import { isStaff, type State } from "./state.ts";
import { finishTable, writeName, writeTable, writeWantedAt } from "./text-actions.ts";

/** Unfolded over the menu it is a dialog. */
export function basketView(state: State): View {
  const { isBasketOpen, basket: { rows } } = state;
  return h("section", {
    key: "order", "aria-labelledby": "order",
    ...isBasketOpen ? { role: "dialog", "aria-modal": "true" } : {},
    class: classes("order", isBasketOpen && "unfolded", rows.length > 1 && "several"),
  },
    heading(state),
    h("div", { key: "list", class: "basket-contents" },
      nameFields(state),
      // Staff have more fields, and know their pizzas.
      rows.length === 1 && state.openRow === "" && !isStaff(state) && plate(state),
      h("div", { key: "rows", id: "chosen", class: "rows" },
        ...rows.map((row, index) => pizzaRow(state, row, index)),
        ...drinkRows(state))),
    soldOutMessage(state),
    undoLine(state),
    messageView(state),
    bar(state));
}

function heading(state: State): View {
  return h("div", { key: "title", class: "basket-title spread" },
    h("h2", { id: "order", tabindex: -1 }, isStaff(state) ? t("Order") : t("Your order")),
    state.isBasketOpen && h("button", {
      class: "plain fold-button", "aria-label": t("Close"), onclick: closeBasket,
    }, icon("down")));
}

/** The pizza at hand, drawn large. */
export function plate(state: State): Child {
  const row = drawnRow(state.basket);
  return row !== undefined
    && h("div", { key: "plate", class: "plate" }, pictureOf(orderOf(state, row), false));
}

/** Guests sit where their card says, so only staff write down a table, and a time. */
function nameFields(state: State): View {
  const { basket: { name, table, wantedAt } } = state;
  const hasMore = isStaff(state);
  const isOptional = name === "" && !hasMore;
  return h("div", { key: "for-whom", class: "name-fields" },
    hasMore && field("table", [t("Table")], table, writeTable, { onblur: finishTable }),
    field("name", [t("Name"),
      isOptional && h("span", { class: "soft small" }, t("optional"))], name, writeName),
    hasMore && field("wanted", [t("Wanted at")], wantedAt, writeWantedAt,
      { type: "datetime-local", dir: false }));
}

function field(
  id: string, label: readonly Child[], value: string, write: (text: string) => void,
  more: object = {},
): View {
  return h("label", { key: id }, h("span", { class: "spread" }, ...label),
    h("input", {
      id, value, dir: value !== "" && "auto", autocomplete: "off", enterkeyhint: "done",
      oninput: ({ currentTarget }) => { write(currentTarget.value); }, ...more,
    }));
}

/** Everything that has just sold out, in one message, wherever it was chosen. */
function soldOutMessage(state: State): View {
  const items = soldOutItems(state);
  const nameIn = ([kind, id]: (typeof items)[number]): string => itemName(state.menu, kind, id);
  const names = items.map(nameIn);
  const removable = items.filter(isRemovable).map(nameIn);
  return h("div", {
    key: "out", class: "basket-alert wrap tint", role: "status", hidden: items.length === 0,
  },
    items.length > 0 && h("div", { class: "alert-text" },
      h("strong", {}, t("Just sold out")), ...names.map((name) => h("p", {}, name))),
    removable.length > 0 && h("button", { pressKey: names.join(), onclick: removeSoldOut },
      t("Take off {names}", { names: listed(removable) })));
}

function undoLine(state: State): Child {
  const { takenOff } = state;
  return takenOff !== undefined && h("div", {
    key: "undo", class: "basket-alert wrap tint", role: "status",
  },
    h("p", { class: "alert-text" }, t("Taken off: {name}", {
      name: pizzaTitle(orderOf(state, takenOff.row)),
    })),
    h("button", { pressKey: takenOff.row.key, onclick: bringBack }, t("Undo")));
}

/** The last event, and why the button does not order yet. */
function messageView(state: State): View {
  const { message } = state;
  const { reason } = placeButton(state);
  return h("div", { key: "message", class: "message", id: "message", role: "status" },
    (message || reason) && h("strong", {}, message || reason),
    message !== "" && reason !== "" && h("p", { class: "soft" }, reason));
}

function bar(state: State): View {
  const { act, text } = placeButton(state);
  const row = drawnRow(state.basket);
  return h("div", { key: "bar", class: "place-bar wrap" },
    row !== undefined && pictureOf(orderOf(state, row)),
    summary(state),
    h("button", {
      id: "place", pressKey: act, class: classes(act === "place" && "act"),
      "aria-describedby": "message", onclick: placeActions[act],
    }, text));
}

/** Opens the order, and closes it. A size alone is no pizza. */
function summary(state: State): View {
  const { basket, isBasketOpen, menu } = state;
  const count = pizzaCount(basket);
  const drinks = basket.beverages.length;
  const sizes = count === 0 ? [basket.nextSize] : basket.rows.map(({ size }) => size);
  const about = drinks > 0 ? t("{count} drinks", { count: drinks })
    : count > 2 || sizes.includes("") ? ""
      : listed([...new Set(sizes)].map((id) => itemName(menu, "pizzasizes", id)));
  // Staff see for which table it is, also while the order is folded.
  const forWhom = isStaff(state) ? basket.table.trim() || basket.name.trim() : "";
  const lines = h("span", {},
    h("strong", {}, count === 0 ? t("No pizza yet") : t("{count} pizzas", { count })),
    h("span", { class: "soft small if-any" },
      forWhom !== "" && h("bdi", {}, forWhom), forWhom !== "" && about !== "" && comma, about));
  return isEmpty(basket) ? h("div", { key: "lines", class: "unfold-button spread" }, lines)
    : h("button", {
      key: "unfold", class: "plain tight unfold-button spread", "aria-expanded": `${isBasketOpen}`,
      "aria-controls": "chosen", onclick: isBasketOpen ? closeBasket : openBasket,
    }, lines, !isBasketOpen && icon("up"));
}
