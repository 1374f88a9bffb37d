/** The basket as elements: a bar that unfolds on a phone, a panel where there is room. */

import { pictureOf } from "../drawing/pizza.ts";
import { classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { nameOf, tally } from "../shared/menu.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { listed, numberText, t } from "../shared/words.ts";
import {
  addItem, addToRow, changeSize, closeOrder, leaveNote, leaveTable, openNote, openOrder,
  removeDrink, removeFromRow, removeSoldOut, stepActions, writeName, writeNote, writeTable,
} from "./actions.ts";
import { countOf, isEmpty, isStarted } from "./basket.ts";
import { currentOrder, isBegun, ordersOf, type Row, rowsOf } from "./basket-orders.ts";
import { isStaff, type State } from "./state.ts";
import { isRemovable, nextStep, soldOutIn, soldOutItems } from "./step.ts";
import { pizzaLines } from "./text-views.ts";
import { longestText } from "./typed-text.ts";

export function basketView(state: State): View {
  const { isOrderOpen, basket } = state;
  const rows = rowsOf(state).filter(({ order }) => isBegun(order));
  return h("aside", {
    key: "order", "aria-labelledby": "order",
    class: classes("order", isOrderOpen && "unfolded", rows.length > 1 && "several"),
  },
    heading(state),
    h("div", { key: "list", class: "list" },
      nameFields(state),
      isStarted(basket) && rows.length < 2 && h("div", { key: "plate", class: "plate" },
        pictureOf(currentOrder(state), false)),
      h("div", { key: "rows", id: "chosen", class: "rows" },
        ...rows.map((row, index) => pizzaRow(state, row, index)),
        ...drinkRows(state, rows.length))),
    soldOutMessage(state),
    messageView(state),
    bar(state));
}

function heading(state: State): View {
  return h("div", { key: "title", class: "title" },
    h("h2", { id: "order", tabindex: -1 }, isStaff(state) ? t("Order") : t("Your order")),
    state.isOrderOpen && h("button", {
      class: "plain fold", "aria-label": t("Close"), onclick: closeOrder,
    }, icon("down")));
}

/** Guests sit where their card says, so only staff write down a table. */
function nameFields(state: State): View {
  const { basket: { name, table } } = state;
  return h("div", { key: "for-whom", class: "for-whom" },
    isStaff(state) && h("label", { key: "table" }, h("span", {}, t("Table")), h("input", {
      id: "table", value: table, dir: "auto", autocomplete: "off", enterkeyhint: "done",
      oninput: ({ currentTarget: { value } }) => { writeTable(value); }, onblur: leaveTable,
    })),
    h("label", { key: "name" },
      h("span", {}, t("Name"),
        name === "" && !isStaff(state) && h("span", { class: "soft small" }, t("optional"))),
      h("input", {
        id: "name", value: name, dir: name !== "" && "auto", autocomplete: "off",
        enterkeyhint: "done",
        oninput: ({ currentTarget: { value } }) => { writeName(value); },
      })));
}

function pizzaRow(state: State, row: Row, index: number): View {
  const { order, ids } = row;
  const name = pizzaTitle(order);
  const isWritten = state.noteOpenFor.includes(order.id);
  const out = soldOutIn(state, order);
  const link = (key: string, text: string, onclick: () => void): View =>
    h("button", { key, class: "plain link", onclick }, text, unseen(` ${name}`));
  const isCurrent = ids.includes(currentOrder(state).id);
  return h("section", { key: order.id, class: classes(isCurrent && "current") },
    pictureOf(order),
    h("h3", {}, name),
    out.length > 0
      && h("p", { key: "out", class: "tag" }, t("sold out: {names}", { names: listed(out) })),
    ...pizzaLines(state.menu, isWritten ? { ...order, note: "" } : order),
    isWritten && noteField(state, order.id),
    h("div", { key: "links", class: "links", pressKey: `${index}` },
      link("change", t("Change"), () => { changeSize(ids); }),
      !isWritten && link("note", t("Note"), () => { openNote(ids); }),
      stepper(name, ids.length,
        () => void removeFromRow(row, index), () => { addToRow(row); })));
}

/** − count +. Their press key is the place of their row. */
function stepper(name: string, count: number, less: () => void, more: () => void): View {
  const button = (sign: string, label: string, onclick: () => void): View =>
    h("button", { class: `plain ${sign}`, "aria-label": label, onclick },
      h("span", { class: "round" }, icon(sign === "less" ? "minus" : "plus")));
  return h("div", { key: "stepper", class: "stepper" },
    button("less", t("One {name} less", { name }), less),
    h("strong", {}, numberText(count)),
    button("more", t("One {name} more", { name }), more));
}

/** From so many letters on it says how many are left. */
const longNote = 100;

function noteField({ basket: { pizzas } }: State, id: string): View {
  const note = pizzas.find((pizza) => pizza.id === id)?.note ?? "";
  return h("div", { key: "note-field", class: "note-field" },
    h("label", { for: "note-text" }, t("Note for this pizza")),
    // The field is as high as this text, which lies below it.
    h("div", { class: "grows", "data-text": note },
      h("textarea", {
        id: "note-text", rows: 1, value: note,
        // An empty field would be one for left to right.
        dir: note !== "" && "auto", autocomplete: "off", enterkeyhint: "done",
        "aria-describedby": "note-hint",
        oninput: ({ currentTarget: { value } }) => { writeNote(value); }, onblur: leaveNote,
      })),
    h("p", { id: "note-hint", class: "soft small" },
      note.length >= longNote ? t("{number} left", { number: longestText - note.length })
        : pizzas.length > 1 && t("An allergy? Write it on each pizza.")));
}

/** `rowsAbove`: how many rows of pizzas stand above. */
function drinkRows({ basket: { beverages }, menu }: State, rowsAbove: number): readonly View[] {
  const drinks = menu.beverages.filter(({ id }) => beverages.includes(id));
  return drinks.map(({ id, name, sizeOptions }, index) =>
    h("section", { key: id, class: "drink" },
      h("div", {}, h("h3", {}, h("bdi", {}, name)),
        h("p", { class: "soft small" }, sizeOptions.join(", "))),
      h("div", { class: "links", pressKey: id },
        stepper(name, countOf(beverages, id),
          () => { removeDrink(id, rowsAbove + index); }, () => { addItem("beverages", id); }))));
}

/** Everything that has just sold out, in one message, wherever it was chosen. */
function soldOutMessage(state: State): View {
  const items = soldOutItems(state);
  const names = items.map(([kind, id]) => nameOf(state.menu, kind, id));
  return h("div", { key: "out", class: "out", role: "status", hidden: items.length === 0 },
    items.length > 0 && h("div", { class: "lines" },
      h("strong", {}, t("Just sold out")), ...names.map((name) => h("p", {}, name))),
    items.some(isRemovable)
      && h("button", { pressKey: names.join(), onclick: removeSoldOut }, t("Remove")));
}

/** The last event, and why the button does not order yet. */
function messageView(state: State): View {
  const { message, placing } = state;
  const { reason } = nextStep(state);
  const more = message === "" ? "" : reason || (placing === "in doubt"
    && t("Should it have arrived after all, this page says so."));
  return h("div", { key: "message", class: "message", id: "message", role: "status" },
    (message || reason) && h("strong", {}, message || reason),
    more && h("p", { class: "soft" }, more));
}

function bar(state: State): View {
  const { act, text } = nextStep(state);
  return h("div", { key: "bar", class: "bar" },
    isStarted(state.basket) && pictureOf(currentOrder(state)),
    summary(state),
    h("button", {
      id: "place", pressKey: act, class: classes(act === "place" && "act"),
      "aria-describedby": "message", onclick: stepActions[act],
    }, text));
}

/** Opens the order, and closes it. */
function summary(state: State): View {
  const { basket, isOrderOpen } = state;
  const begun = ordersOf(state).filter(isBegun);
  const second = basket.beverages.length > 0
    ? t("{count} drinks", { count: basket.beverages.length })
    : begun.length < 3
      && listed(tally(begun.map(({ pizzaSize }) => pizzaSize)).map((line) => line.text));
  const lines = h("span", {},
    h("strong", {}, begun.length === 0 ? t("No pizza yet")
      : t("{count} pizzas", { count: begun.length })),
    second && h("span", { class: "soft small" }, second));
  return isEmpty(basket) ? h("div", { key: "lines", class: "unfold" }, lines)
    : h("button", {
      key: "unfold", class: "plain unfold", "aria-expanded": `${isOrderOpen}`,
      "aria-controls": "chosen", onclick: isOrderOpen ? closeOrder : openOrder,
    }, lines, !isOrderOpen && icon("up"));
}
