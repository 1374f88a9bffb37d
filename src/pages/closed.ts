/**
 * The orders closed recently, each with a way back: for the mis-tap noticed after the ten
 * seconds.
 */

import { explain, read } from "./api.ts";
import { button, el, part, unseen } from "./dom.ts";
import { moveOrder } from "./kitchen.ts";
import { parts, tally } from "./order.ts";
import type { Order } from "./order.ts";

/** Placed recently: of these the ones that were closed last are shown. */
const closedOrders =
  "api/orders?embed=names&status=Delivered&status=Cancelled&sort=newest&limit=300";
const maxShown = 30;

export async function showClosed(): Promise<void> {
  const lines = await read<Order[]>(closedOrders)
    .then(({ data }) => latest(data).map(line), sayWhy);
  part("closed-list").replaceChildren(...lines.length > 0 ? lines : [el("li", {}, "None yet.")]);
}

function latest(orders: readonly Order[]): Order[] {
  return [...orders].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, maxShown);
}

function line(order: Order): HTMLElement {
  const to = order.status === "Delivered" ? "Ready" : "Pending";
  const back = () => {
    void moveOrder(order, to).then(showClosed).then(() => {
      if (document.activeElement === document.body) part("show-closed").focus();
    });
  };
  const text = parts(order).flatMap(tally).map((one) => one.text).join("\u200e, ");
  return el("li", {}, el("b", {}, order.id), el("span", {}, `${order.status}: ${text}`),
    button("staff", back, `Back to ${to}`, unseen(` ${order.id}`)));
}

function sayWhy(fault: unknown): HTMLElement[] {
  return [el("li", {}, explain(fault))];
}
