/** The basket as elements: a bar that unfolds on a phone, a panel where there is room. */

import { pizzaPicture } from "../drawing/pizza.ts";
import { classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { itemOf, type Menu, nameOf, notesOn, tally } from "../shared/menu.ts";
import { listed, t } from "../shared/words.ts";
import {
  addAnotherLike, closeOrder, openOrder, removePizza, removeSoldOut, steps, turnToSizes, writeNote,
} from "./actions.ts";
import {
  currentPizza, isBegun, isEmpty, maxNote, maxPizzas, type Pizza,
} from "./basket.ts";
import { namesView } from "./parts.ts";
import { pizzaCount, pizzaNumber, type State, table } from "./state.ts";
import { nextStep, soldOutExtras, soldOutLines } from "./step.ts";
import { withNote } from "./tracker.ts";

export function basketView(state: State): View {
  const { isOrderOpen } = state;
  return h("aside", {
    key: "order", "aria-labelledby": "order", class: classes("order", isOrderOpen && "unfolded"),
  },
    heading(isOrderOpen),
    h("div", { key: "plate", class: "plate" },
      pictureOf(state.menu, currentPizza(state.basket), false)),
    list(state),
    soldOutMessage(state),
    messageView(state),
    bar(state));
}

function heading(isOrderOpen: boolean): View {
  return h("div", { key: "title", class: "title" },
    h("h2", { id: "order", tabindex: -1 }, t("Your order")),
    isOrderOpen && h("button", {
      class: "plain fold", "aria-label": t("Close"), onclick: closeOrder,
    }, icon("down")));
}

/** No field set: one that is smaller than its content does not scroll. */
function list(state: State): View {
  const { basket: { pizzas, beverages }, menu } = state;
  return h("div", { key: "list", id: "chosen", class: "list rows" },
    noteField(state),
    ...pizzas.map((pizza, index) => pizzaEntry(state, pizza, index)),
    beverages.length > 0 && h("section", { key: "drinks" },
      h("h3", {}, t("{count} drinks", { count: beverages.length })),
      h("p", { class: "soft" },
        ...namesView(beverages.map((id) => ({ id, name: nameOf(menu, "beverages", id) }))))));
}

/** From so many letters on it says how many are left. */
const longNote = 100;

function noteField({ basket: { note } }: State): View {
  return h("div", { key: "note", class: "note-field" },
    h("div", { class: "head" },
      h("label", { for: "note-text" }, table === "" ? t("Name, or a note for the kitchen")
        : t("A note for the kitchen")),
      h("span", { id: "note-room", class: "soft small" }, 
        note.length < longNote ? t("optional")
          : t("{number} left", { number: maxNote - note.length }))),
    // The field is as high as this text, which lies below it.
    h("div", { class: "grows", "data-text": note },
      h("textarea", {
        id: "note-text", rows: 1, maxlength: maxNote, value: note,
        // An empty field would be one for left to right.
        dir: note !== "" && "auto", autocomplete: "off", enterkeyhint: "done",
        "aria-describedby": "note-room",
        oninput: ({ currentTarget }) => { writeNote(currentTarget.value); },
      })));
}

function pizzaEntry(state: State, pizza: Pizza, index: number): View {
  const { basket: { pizzas, current }, menu } = state;
  const name = t("Pizza {number}", { number: pizzaNumber(state, index) });
  const title = pizzaTitle(menu, pizza);
  const link = (key: string, text: string, onclick: () => void): View =>
    h("button", { key, class: "plain link", onclick }, text, unseen(` ${name}`));
  return h("section", { key: pizza.id },
    pictureOf(menu, pizza),
    h("h3", {}, pizzaCount(state) > 1 ? t("{name}: {text}", { name, text: title }) : title),
    h("p", { class: "soft" }, ...pizza.toppings.length === 0 ? [t("No toppings yet")]
      : namesView(pizza.toppings.map((id) => ({ id, name: nameOf(menu, "toppings", id) })))),
    h("div", { class: "links" },
      index !== current && link("turn", t("Change"), () => { turnToSizes(index); }),
      isBegun(pizza) && pizzaCount(state) < maxPizzas
        && link("copy", t("Another like this"), () => { addAnotherLike(index); }),
      pizzas.length > 1 && link("remove", t("Remove"), () => void removePizza(index))));
}

/** Everything that has just sold out, in one message, wherever it was chosen. */
function soldOutMessage(state: State): View {
  const lines = soldOutLines(state);
  return h("div", { key: "out", class: "out", role: "status", hidden: lines.length === 0 },
    lines.length > 0 && h("div", { class: "lines" },
      h("strong", {}, t("Just sold out")), ...lines.map((line) => h("p", {}, line))),
    soldOutExtras(state).length > 0
      && h("button", { guard: lines.join(), onclick: removeSoldOut }, t("Remove")));
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
  const { basket, menu } = state;
  const { act, text } = nextStep(state);
  return h("div", { key: "bar", class: "bar" },
    pictureOf(menu, currentPizza(basket)),
    summary(state),
    h("button", {
      id: "place", guard: act, class: classes(act === "place" && "act"),
      "aria-describedby": "message", onclick: steps[act],
    }, text));
}

/** Opens the order, and closes it. */
function summary({ basket, menu, isOrderOpen }: State): View {
  const { pizzas, beverages } = basket;
  const begun = pizzas.filter(isBegun);
  const sizes = tally(begun.map((pizza) => ({ id: pizza.size, name: sizeName(menu, pizza) })));
  const second = beverages.length > 0 ? t("{count} drinks", { count: beverages.length })
    : begun.length < 3 && listed(sizes.map((line) => line.text));
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

export function sizeName(menu: Menu, { size }: Pick<Pizza, "size">): string {
  return itemOf(menu, "pizzasizes", size)?.name ?? t("No size yet");
}

/** "Large, 14.5 in". */
export function sizeText(menu: Menu, pizza: Pick<Pizza, "size">): string {
  const size = itemOf(menu, "pizzasizes", pizza.size);
  return withNote(sizeName(menu, pizza), size === undefined ? "" : notesOn(size));
}

/** "Margherita, Large", or only "Large". */
export function pizzaTitle(menu: Menu, pizza: Pick<Pizza, "name" | "size">): string {
  return withNote(pizza.name, sizeName(menu, pizza));
}

export function pictureOf(menu: Menu, { toppings }: Pick<Pizza, "toppings">, isSmall = true): View {
  return pizzaPicture(toppings.map((id) => nameOf(menu, "toppings", id)), isSmall);
}
