/** The order as elements: a bar that unfolds on a phone, a panel where there is room. */

import { button, type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { itemOf, type Menu, nameOf, notesOn, tally } from "../shared/menu.ts";
import { namesView } from "../shared/parts.ts";
import { pizzaPicture } from "../shared/pizza.ts";
import { listed, t } from "../shared/words.ts";
import {
  currentPizza, isBegun, isSending, maxPizzas, type Pizza, pizzaNumber,
} from "./basket.ts";
import { nextStep, soldOutIn, soldOutLines, type State } from "./state.ts";

export function orderView(state: State): View {
  const { basket, isUnfolded } = state;
  const isSent = isSending(basket);
  return h("aside", {
    key: "order", "aria-labelledby": "order",
    class: classes("order", isSent ? "sending" : isUnfolded && "unfolded"),
  }, ...isSent ? sendingView(state) : chosenView(state));
}

function chosenView(state: State): readonly Child[] {
  const { basket, menu, note } = state;
  const { pizzas, beverages } = basket;
  const { why } = nextStep(state);
  return [
    h("h2", { id: "order" }, t("Your order")),
    h("div", { key: "plate", class: "plate" }, pictureOf(menu, currentPizza(basket))),
    // No field set: one that is smaller than its content does not scroll.
    h("div", { key: "list", id: "chosen", class: "list" },
      ...pizzas.map((pizza, at) => pizzaEntry(state, pizza, at)),
      beverages.length > 0 && h("section", { key: "drinks" },
        h("h3", {}, t("{count} drinks", { count: beverages.length })),
        h("p", { class: "soft" },
          ...namesView(beverages.map((id) => ({ id, name: nameOf(menu, "beverages", id) })))))),
    soldOutMessage(state),
    h("p", { key: "note", class: "note", id: "note", role: "status" }, why || note),
    bar(state),
  ];
}

function bar(state: State): View {
  const { basket, menu, isUnfolded } = state;
  const { pizzas, beverages } = basket;
  const { action, text } = nextStep(state);
  const begun = pizzas.filter(isBegun);
  const counts = [
    ...begun.length > 0 ? [t("{count} pizzas", { count: begun.length })] : [],
    ...beverages.length > 0 ? [t("{count} drinks", { count: beverages.length })] : [],
  ];
  const sizes = tally(begun.map((one) => ({ id: one.size, name: sizeName(menu, one) })));
  return h("div", { key: "bar", class: "bar" },
    pictureOf(menu, currentPizza(basket)),
    button("unfold", "", {
      class: "unfold", "aria-expanded": `${isUnfolded}`, "aria-controls": "chosen",
    },
      h("span", {},
        h("strong", {}, counts.length === 0 ? t("Start with a size") : counts.join(", ")),
        h("span", { class: "soft small" }, begun.length === 0 ? t("Nothing chosen yet")
          : listed(sizes.map((line) => line.text)))),
      icon(isUnfolded ? "down" : "up")),
    button("step", action, {
      id: "place", class: classes(action === "place" && "act"),
      "aria-disabled": action === "" && "true", "aria-describedby": "note",
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

function pizzaEntry({ basket, menu }: State, pizza: Pizza, at: number): View {
  const { placed, pizzas, current } = basket;
  const total = placed.length + pizzas.length;
  const place = { number: pizzaNumber(basket, at), total };
  const action = (name: string, text: string): View =>
    button(name, at, { key: name, class: "link" }, text, unseen(` ${t("Pizza {number}", place)}`));
  return h("section", { key: `pizza ${at}` },
    h("div", { class: "head" },
      h("h3", {}, sizeName(menu, pizza)),
      total > 1 && h("p", { class: "soft small" },
        at === current ? t("pizza {number} of {total}", place) : t("Pizza {number}", place))),
    h("p", { class: "soft" }, ...pizza.toppings.length === 0 ? [t("No toppings yet")]
      : namesView(pizza.toppings.map((id) => ({ id, name: nameOf(menu, "toppings", id) })))),
    h("div", { class: "links" },
      at !== current && action("turn", t("Change")),
      isBegun(pizza) && total < maxPizzas && action("copy-pizza", t("Another like this")),
      pizzas.length > 1 && action("remove", t("Remove"))));
}

/** Each pizza, and whether it is placed. */
function sendingView(state: State): readonly Child[] {
  const { basket, menu, note } = state;
  const { placed, pizzas } = basket;
  const total = placed.length + pizzas.length;
  return [
    h("h2", { id: "order", tabindex: -1 }, total === 1 ? t("Sending your pizza")
      : t("{number} of {total} placed", { number: placed.length, total })),
    total > 1 && h("div", { key: "meter", class: "meter", "aria-hidden": "true" },
      ...[...placed, ...pizzas].map((_, at) =>
        h("span", { key: at, class: classes(at < placed.length && "done") }))),
    h("ol", { key: "rows", class: "rows" }, ...[...placed, ...pizzas].map((pizza, at) => {
      const size = itemOf(menu, "pizzasizes", pizza.size);
      return h("li", { key: at },
        pictureOf(menu, pizza),
        h("span", {},
          h("span", {}, t("Pizza {number}", { number: at + 1 })),
          size !== undefined && h("span", { class: "soft small" },
            t("{name}, {note}", { name: size.name, note: notesOn(size) }))),
        at < placed.length ? h("strong", { class: "placed" }, icon("check"), t("Placed"))
          : at === placed.length ? h("strong", {}, t("Sending"))
            : h("span", { class: "soft" }, t("Waiting")));
    })),
    h("div", { key: "foot", class: "foot" },
      h("p", { class: "soft", id: "note", role: "status" }, note
        || (placed.length > 0 ? t("Keep this page open. Each pizza is sent once.")
          : t("No answer from the shop yet."))),
      placed.length === 0 && button("stop", "", { key: "stop" }, t("Don’t send"))),
  ];
}

export function sizeName(menu: Menu, { size }: Pizza): string {
  return itemOf(menu, "pizzasizes", size)?.name ?? t("No size yet");
}

export function pictureOf(menu: Menu, { toppings }: Pizza): View {
  return pizzaPicture(toppings.map((id) => nameOf(menu, "toppings", id)));
}
