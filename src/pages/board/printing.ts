/**
 * Prints of each order a ticket 80 mm wide, or the cards for tables. Both are drawn only while they
 * are printed.
 */

import { classes, h, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import { tableOf } from "../shared/table.ts";
import type { Order } from "../shared/types.ts";
import { dayText, t, timeText } from "../shared/words.ts";
import { longNote } from "./contents.ts";
import { groupsOf, seriesOf, stageOf } from "./orders.ts";
import { drawNow, set, state } from "./state.ts";

/** The browser's own Print command prints all open orders. */
export function listenForPrinting(): void {
  addEventListener("beforeprint", () => {
    const { orders, paper } = state();
    const open = [...orders.values()].filter(({ status }) => stageOf(status));
    if (paper === undefined) layTickets(open);
  });
  addEventListener("afterprint", () => { set({ paper: undefined }); });
}

export function printTickets(ids: readonly string[]): void {
  layTickets(ids.flatMap((id) => state().orders.get(id) ?? []));
  print();
}

export function printSheets(sheets: readonly View[]): void {
  layPaper("sheets", sheets);
  print();
}

function layPaper(look: string, pages: readonly View[]): void {
  set({ paper: h("div", { key: look, class: look, "aria-hidden": "true" }, ...pages) });
  drawNow();
}

/** Each ticket is a page of its own, as high as what it says. */
function layTickets(orders: readonly Order[]): void {
  const groups = groupsOf(state());
  layPaper("tickets", orders.map((order, index) => ticket(groups, order, index)));
  const pages = new CSSStyleSheet();
  const tickets = document.querySelectorAll<HTMLElement>(".ticket");
  pages.replaceSync([...tickets].map((ticket, index) => {
    const millimeters = Math.ceil(ticket.getBoundingClientRect().height / 96 * 25.4) + 1;
    return `@page ticket-${index} { size: 80mm ${millimeters}mm; margin: 0; }`;
  }).join("\n"));
  document.adoptedStyleSheets = [pages];
}

function ticket(groups: ReturnType<typeof groupsOf>, order: Order, index: number): View {
  const { id } = order;
  const placed = new Date(order.placedAt);
  const { note = "" } = order;
  const lines = [[order.pizzaSize], order.toppings, order.beverages].map(tally);
  const { first, number } = seriesOf(id);
  const total = groups.get(first)?.length ?? 0;
  const table = tableOf(id);
  return h("article", { key: id, class: "ticket", style: { page: `ticket-${index}` } },
    h("h3", { class: classes(table !== "" && "table") },
      unseen(t("Order")), " ", h("bdi", {}, table || first)),
    table !== "" && h("bdi", { class: "number" }, first.slice(-6)),
    note !== "" && h("p", { class: classes("note", [...note].length > longNote && "long") },
      h("bdi", {}, note)),
    h("p", { class: "placed" },
      t("{day}, {time}", { day: dayText(placed), time: timeText(placed) }),
      number > 0 && h("b", {}, t("{number} of {total}", { number, total }))),
    ...lines.map((part, at) => h("ul", { key: at }, ...part.map(({ id: item, text, count }) =>
      h("li", { key: item, class: classes(at === 0 && "display", count > 1 && "strong") },
        h("bdi", {}, text))))));
}
