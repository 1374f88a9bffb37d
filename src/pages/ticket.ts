/** A placed order: its number large, what it holds, and how far the kitchen is with it. */

import { isRefusal, read, serverNow } from "./api.ts";
import { el, part, setText } from "./dom.ts";
import { orderPath, parts, tally } from "./order.ts";
import type { Order, Status } from "./order.ts";

/** What is said at each status, and the step it is in: Ready and on its way are both the third. */
const stages: Readonly<Record<Status, readonly [step: number, title: string, news: string]>> = {
  Pending: [0, "Received", "The kitchen has your order and starts soon."],
  Preparing: [1, "Preparing", "Your pizza is being made."],
  Ready: [2, "Ready", "Ready! Come and get it."],
  "Out for Delivery": [2, "Out for Delivery", "On its way to you."],
  Delivered: [3, "Delivered", "Delivered. Buon appetito!"],
  Cancelled: [0, "Cancelled", "This order was cancelled. Ask the shop if in doubt."],
};

/** Clears what another order left. */
export function beginTicket(id: string): void {
  const number = part("number");
  setText(number, id);
  number.classList.toggle("long", id.length > 6);
  showNoOrder("Looking for this order…");
}

/** Reads the order and shows it. Throws when there is no answer that settles it. */
export async function refreshTicket(id: string): Promise<void> {
  try {
    const { data } = await read<Order>(`${orderPath(id)}?embed=names`);
    // Another order may have been gone to in the meantime.
    if (part("number").textContent === id) show(data);
  } catch (fault) {
    if (part("number").textContent !== id) return;
    if (isRefusal(fault, 401)) {
      showNoOrder("You are not signed in: open it where you ordered, or by the shop's link.");
    } else if (isRefusal(fault, 404)) {
      showNoOrder("The shop has no order with this number, or it is not yours to see.");
    } else throw fault;
  }
}

function showNoOrder(news: string): void {
  document.title = part("number").textContent;
  setText(part("news"), news);
  for (const id of ["steps", "content", "placed-at"]) part(id).replaceChildren();
}

function show(order: Order): void {
  const [at, title, news] = stages[order.status];
  setText(part("news"), news);
  document.title = `${title}: ${order.id}`;
  const steps = order.status === "Cancelled" ? [title]
    : ["Received", "Preparing", at === 2 ? title : "Ready", "Delivered"];
  part("steps").replaceChildren(...steps.map((step, index) => index === at
    ? el("li", { class: "now", "aria-current": "step" }, step)
    : el("li", { class: index < at ? "done" : "ahead" }, step)));
  part("content").replaceChildren(
    ...parts(order).flatMap(tally).map(({ text }) => el("li", {}, text)));
  const placed = new Date(order.placedAt);
  const isToday = placed.toDateString() === new Date(serverNow()).toDateString();
  const time = placed.toLocaleTimeString([], { timeStyle: "short" });
  const day = isToday ? "" : ` on ${placed.toLocaleDateString([], { dateStyle: "medium" })}`;
  setText(part("placed-at"), `Placed${day} at ${time}`);
}
