/** Names, notes and times, as several views of the order page show them. */

import { serverNow } from "../shared/api.ts";
import { type Child, h, icon, unseen } from "../shared/dom.ts";
import {
  countedText, descriptionsOf, dietOf, itemOf, type Menu, type MenuItem, tally,
} from "../shared/menu.ts";
import { type OrderedPizza, pizzaParts } from "../shared/pizza-text.ts";
import type { Reference } from "../shared/types.ts";
import { comma, dayText, joined, t, timeText } from "../shared/words.ts";

/** "2× Mozzarella, Basil": a name keeps its own direction, and its count beside it. */
export function namesView(references: readonly Reference[]): readonly Child[] {
  return tally(references).flatMap(({ text }, index) =>
    [index > 0 && comma, h("bdi", {}, unbrokenCount(text))]);
}

/** A count stays on the line of its name. */
function unbrokenCount(text: string): string {
  return text.replace("× ", "×\u00a0");
}

/** "7:31 PM"; with the day, if it is not today. */
export function momentText(moment: string | number | undefined): string {
  if (moment === undefined) return "";
  const date = new Date(moment);
  const [day, time] = [dayText(date), timeText(date)];
  return day === dayText(serverNow()) ? time : joined(day, time);
}

/** A pizza under its heading: its note, how it differs from the shop's, and what is on it. */
export function pizzaDetails(menu: Menu, order: OrderedPizza): readonly Child[] {
  const { note, differences } = pizzaParts(menu, order);
  const { without = [], added = [] } = differences ?? {};
  const difference = [
    ...without.map(({ text }) => t("without {name}", { name: text })),
    ...added.map(({ text }) => t("+ {name}", { name: text })),
  ].join(comma);
  const items = [order.pizzaSize, ...order.toppings].flatMap(({ id }) =>
    itemOf(menu, "toppings", id) ?? itemOf(menu, "pizzasizes", id) ?? []);
  return [
    note !== "" && h("p", { key: "note", class: "note" }, icon("note"), h("bdi", {}, note)),
    difference !== "" && h("p", { key: "difference" }, difference),
    h("p", { key: "toppings", class: "soft" },
      ...order.toppings.length === 0 ? [t("No toppings")] : namesView(order.toppings)),
    describedView(items),
  ];
}

/** The descriptions of the items, such as allergens, each once. */
export function describedView(items: readonly MenuItem[]): Child {
  const texts = descriptionsOf(items);
  return texts.length > 0 && h("p", { key: "described", class: "soft small" }, texts.join(" · "));
}

/** Marks what is vegan or vegetarian. */
export function leaf(...toppings: readonly MenuItem[]): Child {
  const diet = dietOf(...toppings);
  return diet !== undefined && h("span", { class: "leaf" }, icon(diet),
    unseen(diet === "vegan" ? t("vegan") : t("vegetarian")));
}

/** "2× Margherita, Large". */
export function counted(count: number, name: string): string {
  return unbrokenCount(countedText(count, name));
}
