/** A ticket for each order, 80 mm wide; a printer for 58 mm prints it smaller. */

import { type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { type Line, tally } from "../shared/menu.ts";
import { numberOf, orderTitle, shortNumber, together, togetherKey } from "../shared/orders.ts";
import { differenceLines, pizzaTitle } from "../shared/pizza-text.ts";
import type { Order } from "../shared/types.ts";
import { comma, dayText, joined, t, timeText } from "../shared/words.ts";
import { longNote } from "./contents.ts";
import { printPages } from "./paper.ts";
import { state } from "./store.ts";

const widthMm = 80;

export function printTickets(orders: readonly Order[]): void {
  printPages("tickets", orders.map(ticket), sizePages);
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

function ticket(order: Order, index: number): View {
  const { id, table, name = "", note = "", placedAt, beverages } = order;
  const placed = new Date(placedAt);
  // Cancelled ones count: no pizza changes its number.
  const ids = (together(state().orders.values()).get(togetherKey(order)) ?? [order])
    .map((member) => member.id);
  return h("article", { key: id, class: "ticket", style: { page: `ticket-${index}` } },
    h("h3", { class: classes(table !== undefined && "table") },
      unseen(t("Order")), " ", h("bdi", {}, orderTitle(order))),
    table !== undefined && h("bdi", { class: "number" }, shortNumber(numberOf(order))),
    name !== "" && h("p", { class: "name" }, h("bdi", {}, name)),
    note !== "" && h("p", { class: classes("note", [...note].length > longNote && "long") },
      h("bdi", {}, note)),
    h("p", { class: "placed" },
      joined(dayText(placed), timeText(placed)),
      ids.length > 1 && h("b", {}, t("Pizza {number} of {total}", {
        number: ids.indexOf(id) + 1, total: ids.length,
      }))),
    ...pizzaLines(order),
    items("beverages", tally(beverages)));
}

/** The name with what differs, and all that is on it; or the size and a list of toppings. */
function pizzaLines(order: Order): readonly View[] {
  const [toppings, differs] = [tally(order.toppings), differenceLines(state().menu, order)];
  const head = h("li", { key: "title", class: "display" }, h("bdi", {}, pizzaTitle(order)));
  if (differs === undefined) return [h("ul", { key: "size" }, head), items("toppings", toppings)];
  const line = (text: string, ...before: readonly Child[]): View =>
    h("li", { key: text, class: "strong" }, ...before, h("bdi", {}, text));
  return [h("ul", { key: "size" }, head,
    ...differs.without.map(({ text }) => line(text, `${t("without")} `)),
    ...differs.added.map(({ text }) => line(text, "+ ")),
    h("li", { key: "running" }, toppings.map(({ text }) => text).join(comma)))];
}

function items(name: string, lines: readonly Line[]): View {
  return h("ul", { key: name }, ...lines.map(({ id, text, count }) =>
    h("li", { key: id, class: classes(count > 1 && "strong") }, h("bdi", {}, text))));
}
