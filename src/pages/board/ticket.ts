/** A ticket for each pizza, 80 mm wide; a printer for 58 mm prints it smaller. */

import { type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { type CountedItem, tally } from "../shared/menu.ts";
import { shortNumber } from "../shared/orders.ts";
import { pizzaParts, pizzaTitle } from "../shared/pizza-text.ts";
import { clockText, comma, dayText, joined, t, timeText } from "../shared/words.ts";
import type { BoardOrder, Pizza } from "./known-orders.ts";
import { printPages } from "./paper.ts";
import { state } from "./store.ts";

const widthMm = 80;
/** From here on a note has smaller letters. */
const longNote = 40;

export function printTickets(order: BoardOrder, pizzas: readonly Pizza[]): void {
  printPages("tickets", pizzas.map((pizza, index) => ticket(order, pizza, index)), sizePages);
}

/**
 * Each ticket is a page of its own, as high as what it says. A page that were wider than high would
 * come out sideways where the printer's driver fixes the paper.
 */
function sizePages(): void {
  const pages = new CSSStyleSheet();
  const tickets = [...document.querySelectorAll<HTMLElement>(".ticket")];
  pages.replaceSync(tickets.map((element, index) => {
    const heightMm = Math.ceil(element.getBoundingClientRect().height / 96 * 25.4) + 1;
    return `@page ticket-${index} {
      size: ${widthMm}mm ${Math.max(heightMm, widthMm + 1)}mm;
      margin: 0;
    }`;
  }).join("\n"));
  document.adoptedStyleSheets = [pages];
}

/** The drinks are the whole order's: the first ticket has them. */
function ticket(order: BoardOrder, pizza: Pizza, index: number): View {
  const { table, name, title, number, pizzas, drinks, wantedAt } = order;
  const { id, note = "", placedAt } = pizza;
  const placed = new Date(placedAt);
  // Cancelled ones count: no pizza changes its number.
  const position = pizzas.findIndex((each) => each.id === id) + 1;
  return h("article", { key: id, class: "ticket", style: { page: `ticket-${index}` } },
    h("h3", { class: classes(table !== "" && "table") },
      unseen(t("Order")), " ", h("bdi", {}, title)),
    (table !== "" || name !== "")
      && h("bdi", { class: "number" }, shortNumber(number)),
    table !== "" && name !== "" && h("p", { class: "name" }, h("bdi", {}, name)),
    note !== "" && h("p", { class: classes("note", [...note].length > longNote && "long") },
      h("bdi", {}, note)),
    h("p", { class: "placed" },
      joined(dayText(placed), timeText(placed)),
      pizzas.length > 1 && h("b", {}, t("Pizza {number} of {total}", {
        number: position, total: pizzas.length,
      }))),
    wantedAt !== undefined && h("p", {},
      t("for {time}", { time: clockText(wantedAt) })),
    ...pizzaDetails(pizza),
    index === 0 && items("beverages", tally(drinks)));
}

/** The name with what differs, and all that is on it; or the size and a list of toppings. */
function pizzaDetails(pizza: Pizza): readonly View[] {
  const { differences, toppings } = pizzaParts(state().menu, pizza);
  const head = h("li", { key: "title", class: "display" }, h("bdi", {}, pizzaTitle(pizza)));
  if (differences === undefined) {
    return [h("ul", { key: "size" }, head), items("toppings", toppings)];
  }
  const line = (text: string, ...before: readonly Child[]): View =>
    h("li", { key: text }, ...before, h("bdi", {}, text));
  return [h("ul", { key: "size" }, head,
    ...differences.without.map(({ text }) => line(text, `${t("without")} `)),
    ...differences.added.map(({ text }) => line(text, "+ ")),
    h("li", { key: "running" }, toppings.map(({ text }) => text).join(comma)))];
}

function items(name: string, lines: readonly CountedItem[]): View {
  return h("ul", { key: name }, ...lines.map(({ id, text }) =>
    h("li", { key: id }, h("bdi", {}, text))));
}
