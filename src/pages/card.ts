/**
 * One order on the board: all it holds by name, its age, one large button on, the other ways
 * inside.
 */

import { serverNow } from "./api.ts";
import { button, el, setText, unseen } from "./dom.ts";
import { menu, menuKinds } from "./menu.ts";
import { holdsTheSame, parts, tally } from "./order.ts";
import type { Order, Status } from "./order.ts";

type Way = readonly [to: Status, label: string];

export interface Card {
  readonly element: HTMLElement;
  /** As shown. */
  order(): Order;
  /** Touches only what differs from what is shown. */
  show(order: Order): void;
  /** Again when the menu lost or regained an item: what is off it is greyed, and said to be. */
  showItems(): void;
  showAge(): void;
}

/**
 * The first is the large one, and the one that a number key takes; most of the others are
 * inside.
 */
const ways: Readonly<Partial<Record<Status, readonly Way[]>>> = {
  Pending: [["Preparing", "Start"]],
  Preparing: [["Ready", "Ready"], ["Out for Delivery", "Send out"], ["Pending", "Back to Pending"]],
  Ready: [
    ["Out for Delivery", "Send out"], ["Delivered", "Picked up"],
    ["Preparing", "Back to Preparing"],
  ],
  "Out for Delivery": [["Delivered", "Delivered"], ["Ready", "Back to Ready"]],
};

const cancel: Way = ["Cancelled", "Cancel order"];

/** Minutes since it was placed, from which an order counts as slow, and as late. */
const slowMinutes = 10;
const lateMinutes = 20;

export function makeCard(shown: Order, move: (order: Order, to: Status) => unknown): Card {
  const { id, placedAt } = shown;
  const age = el("span", { class: "age" });
  const items = el("ul");
  const waysOn = el("div", { class: "ways" });
  const title = el("h3", { class: id.length > 8 ? "long" : "" }, unseen("Order "), id);
  const key = el("span", { class: "key", "aria-hidden": "true" });
  const element = el("li", { class: "card", "data-key": `${placedAt} ${id}` },
    el("header", {}, key, title, age), items, waysOn);

  const showItems = () => {
    const now = el("ul", {}, ...itemsOf(shown));
    if (!now.isEqualNode(items)) items.replaceChildren(...now.children);
  };
  const showWays = () => {
    waysOn.replaceChildren(...buttonsOf(shown, (to) => { move(shown, to); }));
  };
  const showAge = () => {
    const minutes = Math.max(0, Math.floor((serverNow() - Date.parse(placedAt)) / 60_000));
    const hours = Math.floor(minutes / 60);
    setText(age, hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`);
    element.classList.toggle("slow", minutes >= slowMinutes);
    element.classList.toggle("late", minutes >= lateMinutes);
  };
  const show = (order: Order) => {
    const before = shown;
    shown = order;
    if (!holdsTheSame(before, order)) showItems();
    if (before.status !== order.status) showWays();
  };

  showItems();
  showWays();
  showAge();
  return { element, order: () => shown, show, showItems, showAge };
}

function itemsOf(order: Order): HTMLElement[] {
  const lists = parts(order).map(tally);
  return menuKinds.flatMap((kind, at) => (lists[at] ?? []).map(({ id, text }) =>
    menu[kind].has(id) ? el("li", { class: kind }, text)
      : el("li", { class: `${kind} off` }, text, unseen(" (no longer on the menu)"))));
}

function buttonsOf({ id, status }: Order, move: (to: Status) => void): HTMLElement[] {
  const all = [...ways[status] ?? [], cancel].map(([to, label], at) =>
    button(at === 0 ? "main" : "", () => { move(to); }, label, unseen(` ${id}`)));
  // Ready is the fork: sent out or picked up, both are one tap.
  const beside = status === "Ready" ? all.splice(1, 1) : [];
  const summary = el("summary", {}, "⋯", unseen(`More for ${id}`));
  const more = el("details", {}, summary, ...all.splice(1));
  return [...all, more, ...beside];
}
