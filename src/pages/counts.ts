/** What is to be made, counted over all orders that are Pending or Preparing. */

import { el, part } from "./dom.ts";
import { menuKinds } from "./menu.ts";
import { parts, tally } from "./order.ts";
import type { Order } from "./order.ts";

let shown = "";

export function showCounts(orders: readonly Order[]): void {
  const toMake = orders.filter(({ status }) => status === "Pending" || status === "Preparing");
  const counts = menuKinds.map((_, at) => tally(toMake.flatMap((order) => parts(order)[at] ?? []))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name)));
  if (shown === (shown = JSON.stringify(counts))) return;
  part("to-make").replaceChildren(...menuKinds.map((kind, at) =>
    el("ul", { class: kind }, ...(counts[at] ?? []).map(({ name, count }) =>
      el("li", {}, el("b", {}, `${count}×`), ` ${name}`)))));
}
