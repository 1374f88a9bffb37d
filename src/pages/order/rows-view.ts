/** The rows of the order as elements. A pizza is finished where it is listed. */

import { pictureOf } from "../drawing/pizza.ts";
import { classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { descriptionsOf, itemsInOrder, toppingsOf } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { listed, numberText, t } from "../shared/words.ts";
import { type BasketRow, countOf } from "./basket.ts";
import {
  addDrink, addTopping, addToRow, changeRow, pickRowSize, removeDrink, removeOne, removeTopping,
  splitRow,
} from "./basket-actions.ts";
import { orderOf } from "./basket-orders.ts";
import { canOrder, isSizeMissing, soldOutOfRow } from "./obstacles.ts";
import type { State } from "./state.ts";
import { finishNote, openNote, writeNote } from "./text-actions.ts";
import { counted, leaf, pizzaDetails } from "./text-views.ts";
import { itemTile } from "./tile-view.ts";
import { roomIn } from "./typed-text.ts";

export function pizzaRow(state: State, row: BasketRow, index: number): View {
  const { key, count } = row;
  const order = orderOf(state, row);
  const name = pizzaTitle(order);
  const isWritten = state.noteRow === key;
  const isOpen = state.openRow === key;
  const out = soldOutOfRow(state, row);
  const link = (id: string, text: string, onclick: () => void): View =>
    h("button", { key: id, id: `${id}-${key}`, class: "plain link", onclick },
      text, unseen(` ${name}`));
  return h("section", {
    key, id: `row-${key}`, class: classes(state.basket.current === key && "current"),
  },
    pictureOf(order),
    h("h3", {}, counted(count, name), " ", leaf(...toppingsOf(state.menu, row))),
    out.length > 0
      && h("p", { key: "out", class: "tag amber" }, t("sold out: {names}", { names: listed(out) })),
    ...pizzaDetails(state.menu, isWritten ? { ...order, note: "" } : order),
    isWritten && noteField(state, row),
    (isOpen || isSizeMissing(state, row)) && sizeQuestion(state, row),
    isOpen && h("ul", { key: "tiles", class: "tiles", "aria-label": t("Toppings") },
      ...itemsInOrder(state.menu, "toppings").map((item) =>
        itemTile(state, "toppings", item, row.toppings,
          (id) => { addTopping(key, id); }, (id) => { removeTopping(key, id); }))),
    h("div", { key: "links", class: "row-links wrap", pressKey: `${index}` },
      link("change", isOpen ? t("Done") : t("Change"), () => { changeRow(key); }),
      !isWritten && link("note", t("Note"), () => { openNote(key); }),
      count > 1 && link("split", t("Split"), () => { splitRow(key); }),
      stepper(name, count, () => { removeOne(key); }, () => { addToRow(key); })));
}

/** The sizes, for a pizza that has none yet, or whose size is being changed. */
export function sizeQuestion(state: State, { key, size, pizza }: BasketRow): View {
  return h("div", {
    key: "size", class: "sizes-here wrap", role: "radiogroup",
    "aria-label": pizza === "" ? t("Size") : t("{name}: {text}", { name: pizza, text: t("Size") }),
  },
    ...itemsInOrder(state.menu, "pizzasizes").map(({ id, name }) =>
      h("button", {
        key: id, class: classes("round slim", id === size && "chosen"), role: "radio",
        "aria-checked": `${id === size}`,
        onclick: canOrder(state, "pizzasizes", id) && (() => { pickRowSize(key, id); }),
      }, name)));
}

/** − count +. They depend on the place of their row. */
function stepper(name: string, count: number, less: () => void, more: () => void): View {
  const button = (sign: string, label: string, onclick: () => void): View =>
    h("button", { class: `plain tight ${sign}`, "aria-label": label, onclick },
      h("span", { class: "round center" }, icon(sign === "less" ? "minus" : "plus")));
  return h("div", { key: "stepper", class: "stepper spread" },
    button("less", t("One {name} less", { name }), less),
    h("strong", {}, numberText(count)),
    button("more", t("One {name} more", { name }), more));
}

/** With so little room the hint says how many letters are left. */
const littleRoom = 100;

function noteField({ basket: { rows } }: State, { note }: BasketRow): View {
  const room = roomIn(note);
  return h("div", { key: "note-field", class: "stack note-field" },
    h("label", { for: "note-text" }, t("Note for this pizza")),
    // The field is as high as this text, which lies below it.
    h("div", { class: "growing-field", "data-text": note },
      h("textarea", {
        id: "note-text", rows: 1, value: note,
        // An empty field would be one for left to right.
        dir: note !== "" && "auto", autocomplete: "off", enterkeyhint: "done",
        "aria-describedby": "note-hint",
        oninput: ({ currentTarget: { value } }) => { writeNote(value); }, onblur: finishNote,
      })),
    h("p", { id: "note-hint", class: "soft small" },
      room <= littleRoom ? t("{number} left", { number: room })
        : rows.length > 1 && t("An allergy? Write it on each pizza.")));
}

export function drinkRows({ basket: { beverages }, menu }: State): readonly View[] {
  const drinks = itemsInOrder(menu, "beverages").filter(({ id }) => beverages.includes(id));
  return drinks.map((drink) =>
    h("section", { key: drink.id, class: "drink spread wrap" },
      h("div", {}, h("h3", {}, h("bdi", {}, drink.name)),
        h("p", { class: "soft small" },
          [drink.sizeOptions.join(", "), ...descriptionsOf([drink])].join(" · "))),
      h("div", { class: "row-links wrap", pressKey: drink.id },
        stepper(drink.name, countOf(beverages, drink.id),
          () => { removeDrink(drink.id); }, () => { addDrink(drink.id); }))));
}
