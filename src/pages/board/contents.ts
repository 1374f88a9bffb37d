/** The contents of orders on their card: the note, then the pizza and its toppings, then drinks. */

import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { isSoldOut, type Line, type Menu, tally } from "../shared/menu.ts";
import { differenceLines, pizzaTitle } from "../shared/pizza-text.ts";
import type { MenuKind, Order } from "../shared/types.ts";
import { comma, t } from "../shared/words.ts";
import { isChanged, isKept, type Row } from "./cards.ts";
import { isToMake } from "./statuses.ts";

/** From here on a note is smaller, and flows around the button. */
export const longNote = 40;

export function tag(text: string, className = ""): View {
  return h("b", { class: `tag ${className}` }, text);
}

/** Says that somebody else has changed the text before it. */
export function changedTag(isShown: boolean): readonly Child[] {
  return isShown ? [" ", tag(t("Changed"), "changed")] : [];
}

/** "1 of 2", where several have that title. */
export function whichText(titles: readonly string[], index: number): readonly Child[] {
  const same = titles.flatMap((title, position) => title === titles[index] ? [position] : []);
  const [number, total] = [same.indexOf(index) + 1, same.length];
  return total < 2 ? []
    : [" ", h("span", { class: "soft" }, t("{number} of {total}", { number, total }))];
}

/** A note that was taken away leaves its tag. */
export function noteView(note: string, ...more: readonly Child[]): Child {
  return (note !== "" || more.length > 0) && h("p", {
    key: "note", class: classes("note", [...note].length > longNote && "long"),
  }, icon("note"), h("bdi", {}, note), ...more);
}

export function rowNote(row: Row): Child {
  const [{ order: { note = "" } }] = row;
  return noteView(note, ...changedTag(isChanged(row, "note")));
}

/**
 * A row's pizza: its name with what differs, and then all that is on it in running text. For an
 * order alone the head of the card says that it was cancelled.
 */
export function pizzaView(menu: Menu, row: Row, isOfGroup: boolean): View {
  const [{ order }] = row;
  const [toppings, differs] = [tally(order.toppings), differenceLines(menu, order)];
  const count = row.length;
  const isFailed = row.some(({ mark }) => mark?.type === "failed");
  return h("ul", { class: "contents" },
    isFailed && h("li", { key: "failed", class: "failed" },
      h("span", { role: "alert" }, t("Not sent. Press again."))),
    h("li", { key: "pizza", class: "size" },
      count > 1 && t("{number}× {name}", { number: count, name: "" }),
      h("bdi", {}, pizzaTitle(order)), ...soldOut(menu, order, "pizzasizes", order.pizzaSize.id),
      ...changedTag(isChanged(row, "pizza")),
      ...!isOfGroup || row.some(isKept) ? [] : [" ", tag(t("Cancelled"))]),
    ...differs === undefined ? toppings.map((line) => toppingLine(menu, order, line)) : [
      ...differs.without.map(({ id, text }) => h("li", { key: `without ${id}`, class: "differs" },
        tag(t("without")), " ", h("bdi", {}, text))),
      ...differs.added.map(({ id, text }) => h("li", { key: `added ${id}`, class: "differs" },
        "+ ", h("bdi", {}, text))),
      h("li", { key: "running", class: "running" }, ...toppings.flatMap((line, index) => [
        index > 0 && comma, ...lineText(menu, order, line)])),
    ]);
}

function toppingLine(menu: Menu, order: Order, line: Line): View {
  return h("li", { key: line.id, class: "topping" }, ...lineText(menu, order, line));
}

function lineText(menu: Menu, order: Order, { id, text, count }: Line): readonly Child[] {
  return [h("bdi", { class: classes(count > 1 && "strong") }, text),
    ...soldOut(menu, order, "toppings", id)];
}

/** The words that an item is sold out, while that still matters. */
function soldOut(menu: Menu, order: Order, kind: MenuKind, id: string): readonly Child[] {
  return isToMake(order) && isSoldOut(menu, kind, id)
    ? [" ", h("span", { class: "remark" }, t("sold out"))] : [];
}

/** The drinks of all of a card's orders, each once. */
export function drinksView(menu: Menu, orders: readonly Order[]): Child {
  const [first] = orders;
  const drinks = tally(orders.flatMap(({ beverages }) => beverages));
  return first !== undefined && drinks.length > 0
    && h("ul", { key: "drinks", class: "drinks" }, ...drinks.map(({ id, text, count }) =>
      h("li", { key: id, class: classes(count > 1 && "strong") },
        h("bdi", {}, text), ...soldOut(menu, first, "beverages", id))));
}
