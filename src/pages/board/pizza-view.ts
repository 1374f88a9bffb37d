/** Pizzas and drinks of an order, as cards, rows and dialogs show them. */

import { type Child, h, icon } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import type { PizzaRow } from "../shared/orders.ts";
import type { Reference } from "../shared/types.ts";
import { comma, numberText, t } from "../shared/words.ts";
import { rowParts, soldOutIn } from "./cards.ts";
import type { Pizza } from "./known-orders.ts";
import type { State } from "./state.ts";

export function noteView(note: string): Child {
  return note !== "" && h("p", { key: "note", class: "note" }, icon("note"), h("bdi", {}, note));
}

/** The pizza of a row: name and size, what differs from the recipe, what is on it, its note. */
export function pizzaView({ menu, settings }: State, row: PizzaRow<Pizza>): readonly Child[] {
  const { name, size, differences, toppings, note } = rowParts(menu, row, settings.toppings);
  const [pizza] = row;
  const { without = [], added = [] } = differences ?? {};
  const sign = row.length > 1 && `${numberText(row.length)} × `;
  return [
    h("p", { key: "pizza", class: "pizza-name" },
      sign, h("bdi", {}, name || t("Own pizza")), comma, h("span", { class: "size" }, size)),
    ...without.map(({ id, text }) => h("p", { key: `without ${id}`, class: "without" },
      t("without"), " ", h("bdi", {}, text))),
    ...added.map(({ id, text }) => h("p", { key: `added ${id}`, class: "added" },
      "+ ", h("bdi", {}, text))),
    toppings.length > 0 && h("p", { key: "toppings", class: "soft mid running" },
      ...withCommas(toppings.map(({ text }) => text))),
    ...soldOutIn(menu, pizza).map((text) => h("p", { key: `out ${text}` },
      h("span", { class: "tag remark" }, t("sold out: {name}", { name: text })))),
    noteView(note),
  ];
}

function withCommas(texts: readonly string[]): readonly Child[] {
  return texts.flatMap((text, index) => [index > 0 && comma, h("bdi", {}, text)]);
}

/** The drinks of the whole order. */
export function drinksView(drinks: readonly Reference[]): Child {
  return drinks.length > 0 && h("p", { key: "drinks", class: "drinks" },
    ...withCommas(tally(drinks).map(({ name, count }) =>
      count > 1 ? `${numberText(count)} ${name}` : name)));
}

/** "1 of 2", where several have that title. */
export function whichText(titles: readonly string[], index: number): readonly Child[] {
  const same = titles.flatMap((title, position) => title === titles[index] ? [position] : []);
  const [number, total] = [same.indexOf(index) + 1, same.length];
  return total < 2 ? []
    : [" ", h("span", { class: "soft" }, t("{number} of {total}", { number, total }))];
}
