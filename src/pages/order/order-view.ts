/** The order as elements: a bar that unfolds on a phone, a panel where there is room. */

import { button, type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { itemOf, type Menu, nameOf, notesOn, tally } from "../shared/menu.ts";
import { namesView } from "../shared/parts.ts";
import { pizzaPicture } from "../drawing/pizza.ts";
import { listed, t } from "../shared/words.ts";
import {
  currentPizza, isBegun, isEmpty, maxNote, maxPizzas, type Pizza, pizzaNumber,
} from "./basket.ts";
import { nextStep, soldOutIn, soldOutLines, type State, tableShown } from "./state.ts";

/** The order is a panel. A bar shows no plate, and its list only unfolded: each drawing costs. */
export const panel: MediaQueryList = matchMedia("(min-width: 56.25em)");

export function orderView(state: State): View {
  const { isSending, isUnfolded } = state;
  return h("aside", {
    key: "order", "aria-labelledby": "order",
    class: classes("order", isSending ? "sending" : isUnfolded && "unfolded"),
  }, ...isSending ? sendingView(state) : chosenView(state));
}

function chosenView(state: State): readonly Child[] {
  const { basket, menu, isUnfolded } = state;
  const { pizzas, beverages } = basket;
  return [
    h("div", { key: "title", class: "title" },
      h("h2", { id: "order" }, t("Your order")),
      isUnfolded && button("unfold", "", { class: "plain fold", "aria-label": t("Close") },
        icon("down"))),
    h("div", { key: "plate", class: "plate" },
      panel.matches && pictureOf(menu, currentPizza(basket), false)),
    // No field set: one that is smaller than its content does not scroll.
    h("div", { key: "list", id: "chosen", class: "list rows" },
      noteField(state),
      ...pizzas.map((pizza, at) => pizzaEntry(state, pizza, at)),
      beverages.length > 0 && h("section", { key: "drinks" },
        h("h3", {}, t("{count} drinks", { count: beverages.length })),
        h("p", { class: "soft" },
          ...namesView(beverages.map((id) => ({ id, name: nameOf(menu, "beverages", id) })))))),
    soldOutMessage(state),
    messageView(state),
    bar(state),
  ];
}

/** From so many letters on it says how many are left. */
const longNote = 100;

function noteField(state: State): View {
  const { basket: { note } } = state;
  const left = maxNote - note.length;
  return h("div", { key: "note", class: "note-field" },
    h("div", { class: "head" },
      h("label", { for: "note-text" }, tableShown(state) === ""
        ? t("Name, or a note for the kitchen") : t("A note for the kitchen")),
      h("span", { id: "note-room", class: "soft small" }, note.length < longNote ? t("optional")
        : t("{number} left", { number: left }))),
    // The field is as high as this text, which lies below it.
    h("div", { class: "grows", "data-text": note },
      h("textarea", {
        id: "note-text", "data-do": "note", rows: 1, maxlength: maxNote, value: note,
        // An empty field would be one for left to right.
        dir: note !== "" && "auto", autocomplete: "off", enterkeyhint: "done",
        "aria-describedby": "note-room",
      })));
}

/** The last event, and why the button does not order yet. */
function messageView(state: State): View {
  const { message, basket: { unanswered } } = state;
  const { why } = nextStep(state);
  const more = message === "" ? "" : why
    || (unanswered !== "" && t("Should it have arrived after all, this page says so."));
  return h("div", { key: "message", class: "message", id: "message", role: "status" },
    (message || why) && h("strong", {}, message || why), more && h("p", { class: "soft" }, more));
}

function bar(state: State): View {
  const { basket, menu, isUnfolded } = state;
  const { pizzas, beverages } = basket;
  const { action, text } = nextStep(state);
  const begun = pizzas.filter(isBegun);
  const sizes = tally(begun.map((one) => ({ id: one.size, name: sizeName(menu, one) })));
  const more = beverages.length > 0 ? t("{count} drinks", { count: beverages.length })
    : begun.length < 3 && listed(sizes.map((line) => line.text));
  const lines = h("span", {},
    h("strong", {}, begun.length === 0 ? t("No pizza yet")
      : t("{count} pizzas", { count: begun.length })),
    more && h("span", { class: "soft small" }, more));
  return h("div", { key: "bar", class: "bar" },
    !panel.matches && pictureOf(menu, currentPizza(basket)),
    isEmpty(basket) ? h("div", { key: "lines", class: "unfold" }, lines)
      : button("unfold", "", {
        key: "unfold", class: "plain unfold", "aria-expanded": `${isUnfolded}`,
        "aria-controls": "chosen",
      }, lines, !isUnfolded && icon("up")),
    button("step", action, {
      id: "place", class: classes(action === "place" && "act"),
      "aria-disabled": action === "" && "true", "aria-describedby": "message",
    }, text));
}

/** Everything that has just sold out, in one message, wherever it was chosen. */
function soldOutMessage(state: State): View {
  const lines = soldOutLines(state);
  const canRemove = soldOutIn(state).some(([kind]) => kind !== "pizzasizes");
  return h("div", { key: "out", class: "out", role: "status", hidden: lines.length === 0 },
    lines.length > 0 && h("div", { class: "lines" },
      h("strong", {}, t("Just sold out")), ...lines.map((line) => h("p", {}, line))),
    canRemove && button("drop", "", {}, t("Remove")));
}

function pizzaEntry({ basket, menu, isUnfolded }: State, pizza: Pizza, at: number): View {
  const { placed, pizzas, current } = basket;
  const total = placed.length + pizzas.length;
  const name = t("Pizza {number}", { number: pizzaNumber(basket, at) });
  const action = (action: string, text: string): View =>
    button(action, at, { key: action, class: "plain link" }, text, unseen(` ${name}`));
  return h("section", { key: `pizza ${at}` },
    (isUnfolded || panel.matches) && pictureOf(menu, pizza),
    h("h3", {}, total > 1 ? `${name}: ${sizeName(menu, pizza)}` : sizeName(menu, pizza)),
    h("p", { class: "soft" }, ...pizza.toppings.length === 0 ? [t("No toppings yet")]
      : namesView(pizza.toppings.map((id) => ({ id, name: nameOf(menu, "toppings", id) })))),
    h("div", { class: "links" },
      at !== current && action("turn", t("Change")),
      isBegun(pizza) && total < maxPizzas && action("copy-pizza", t("Another like this")),
      pizzas.length > 1 && action("remove", t("Remove"))));
}

/**
 * Each pizza, and whether it is placed. The button that stops the rest is above them, far from the
 * place of the order's button, so a second tap there hits nothing.
 */
function sendingView(state: State): readonly Child[] {
  const { basket, menu, isOffline } = state;
  const { placed, pizzas } = basket;
  const all = [...placed, ...pizzas];
  const isAlone = all.length === 1;
  const holdUp = isOffline ? t("You’re offline.") : state.holdUp;
  return [
    h("h2", { id: "order", tabindex: -1 }, isAlone ? t("Sending your pizza")
      : t("{number} of {total} placed", { number: placed.length, total: all.length })),
    !isAlone && h("div", { key: "meter", class: "meter", "aria-hidden": "true" },
      ...all.map((_, at) => h("span", { key: at, class: classes(at < placed.length && "done") }))),
    h("div", { key: "hold-up", class: classes("hold-up", holdUp !== "" && "waits") },
      h("p", { role: "status" }, holdUp || t("Sending your order to the shop.")),
      button("stop", "", {}, placed.length === 0 ? t("Don’t send")
        : t("Keep the other {count} for later", { count: pizzas.length }))),
    h("ol", { key: "rows", class: "rows" }, ...all.map((pizza, at) =>
      h("li", { key: at },
        pictureOf(menu, pizza),
        h("span", {},
          h("span", {}, isAlone ? t("Pizza") : t("Pizza {number}", { number: at + 1 })),
          h("span", { class: "soft small" }, sizeText(menu, pizza))),
        at < placed.length ? h("strong", { class: "placed" }, icon("check"), t("Placed"))
          : at > placed.length ? h("span", { class: "soft" }, t("Waiting"))
            : h("strong", {}, isOffline ? t("No answer yet") : t("Sending"))))),
    h("p", { key: "foot", class: "foot soft" }, isOffline
      ? t("It goes on by itself once you’re online.")
      : isAlone ? t("Keep this page open. It is sent once.")
        : t("Keep this page open. Each pizza is sent once.")),
  ];
}

export function sizeName(menu: Menu, { size }: Pizza): string {
  return itemOf(menu, "pizzasizes", size)?.name ?? t("No size yet");
}

/** "Large, 14.5 in". */
export function sizeText(menu: Menu, pizza: Pizza): string {
  const size = itemOf(menu, "pizzasizes", pizza.size);
  const name = sizeName(menu, pizza);
  return size === undefined ? name : t("{name}, {note}", { name, note: notesOn(size) });
}

export function pictureOf(menu: Menu, { toppings }: Pizza, isSmall = true): View {
  return pizzaPicture(toppings.map((id) => nameOf(menu, "toppings", id)), isSmall);
}
