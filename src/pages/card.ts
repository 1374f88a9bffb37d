/**
 * One order on the board: all it holds by name, how long it has been in its stage, one large
 * button on, the other ways inside. Printed, the card is the order's ticket.
 */

import { serverNow } from "./api.ts";
import { lateAfterMinutes } from "./device.ts";
import { button, el, setText, unseen } from "./dom.ts";
import { isSoldOut, menu, menuKinds } from "./menu.ts";
import { holdsTheSame, parts, stages, tally } from "./order.ts";
import type { Order, Status } from "./order.ts";
import { clock, t } from "./words.ts";

export interface Card {
  readonly element: HTMLElement;
  /** As shown. */
  order(): Order;
  /** Touches only what differs from what is shown. */
  show(order: Order): void;
  /** Again when the menu or what is sold out changed: what is missing says so. */
  showItems(): void;
  showAge(): void;
  /** "2 of 3"; empty for an order that was placed by itself. */
  showGroup(text: string): void;
}

type Way = readonly [to: Status, label: string];

/** The first is the large one, and the one that a number key takes. */
const ways: Readonly<Partial<Record<Status, readonly Way[]>>> = {
  Pending: [["Preparing", t("Start")]],
  Preparing: [
    ["Ready", stages.Ready], ["Out for Delivery", t("Send out")],
    ["Pending", t("Back to {stage}", { stage: stages.Pending })],
  ],
  Ready: [
    ["Out for Delivery", t("Send out")], ["Delivered", t("Picked up")],
    ["Preparing", t("Back to {stage}", { stage: stages.Preparing })],
  ],
  "Out for Delivery": [
    ["Delivered", stages.Delivered], ["Ready", t("Back to {stage}", { stage: stages.Ready })],
  ],
};
const cancel: Way = ["Cancelled", t("Cancel order")];

/**
 * An order that comes back to a stage this soon has been undone: its time there goes on. The
 * undo's ten seconds, and what its writing takes.
 */
const undoneWithinMs = 15_000;

export function makeCard(shown: Order, move: (order: Order, to: Status) => unknown): Card {
  const { id, placedAt } = shown;
  const age = el("span");
  // Not by colour alone: a sign to see, a word to hear.
  const sign = el("b", { class: "sign" }, "!", unseen(t("late")));
  const group = el("span", { class: "group" });
  const items = el("ul");
  const waysOn = el("div", { class: "ways" });
  const title = el("h3", { class: id.length > 8 ? "long" : "" },
    unseen(t("Order")), " ", el("bdi", {}, id));
  const element = el("li", { class: "card" },
    el("header", {}, title, el("span", { class: "age" }, sign, age), el("p", {},
      el("span", { class: "key", "aria-hidden": "true" }),
      el("time", { datetime: placedAt }, clock(new Date(placedAt))), group)),
    items, waysOn);
  /** When it came into its stage: RFC 3339. The API tells the last change, mostly that one. */
  let since = shown.updatedAt;
  let before: { readonly status: Status; readonly since: string } | undefined;

  const showItems = () => {
    const now = el("ul", {}, ...itemsOf(shown));
    if (!now.isEqualNode(items)) items.replaceChildren(...now.children);
  };
  const showWays = () => {
    waysOn.replaceChildren(...buttonsOf(shown, element, (to) => { move(shown, to); }));
  };
  const showAge = () => {
    const minutes = Math.max(0, Math.floor((serverNow() - Date.parse(since)) / 60_000));
    const hours = Math.floor(minutes / 60);
    const limit = lateAfterMinutes(shown.status);
    const isLate = minutes >= limit;
    setText(age, hours > 0 ? t("{hours} h {minutes} min", { hours, minutes: minutes % 60 })
      : t("{minutes} min", { minutes }));
    sign.hidden = !isLate;
    element.classList.toggle("late", isLate);
    element.classList.toggle("slow", !isLate && minutes >= limit / 2);
  };
  const enter = (order: Order, last: Order) => {
    if (order.status === last.status) return;
    const isUndone = Date.parse(order.updatedAt) - Date.parse(since) < undoneWithinMs;
    const wentOn = isUndone && before?.status === order.status ? before.since : undefined;
    before = { status: last.status, since };
    since = wentOn ?? order.updatedAt;
    element.dataset["key"] = `${since} ${id}`;
    showWays();
    showAge();
  };
  const show = (order: Order) => {
    const last = shown;
    shown = order;
    if (!holdsTheSame(last, order)) showItems();
    enter(order, last);
  };

  element.dataset["key"] = `${since} ${id}`;
  showItems();
  showWays();
  showAge();
  const showGroup = (text: string) => { setText(group, text); };
  return { element, order: () => shown, show, showItems, showAge, showGroup };
}

function itemsOf(order: Order): HTMLElement[] {
  const lists = parts(order).map(tally);
  return menuKinds.flatMap((kind, at) => (lists[at] ?? []).map(({ id, text }) => {
    const remark = !menu[kind].has(id) ? t("off the menu")
      : isSoldOut(kind, id) ? t("sold out") : "";
    return el("li", { class: kind }, el("bdi", {}, text),
      ...remark === "" ? [] : [" ", el("span", { class: "remark" }, remark)]);
  }));
}

function buttonsOf(
  { id, status }: Order, card: HTMLElement, move: (to: Status) => void,
): HTMLElement[] {
  const all = [...ways[status] ?? [], cancel].map(([to, label], at) =>
    button(at === 0 ? "main" : "", () => { move(to); }, label, unseen(` ${id}`)));
  // Ready is the fork: sent out or picked up, both are one tap.
  const beside = status === "Ready" ? all.splice(1, 1) : [];
  const ticket = button("", () => { printOnly(card); }, t("Print ticket"), unseen(` ${id}`));
  const summary = el("summary", {}, "⋯", unseen(t("More for {number}", { number: id })));
  return [...all.splice(0, 1), ...beside, el("details", {}, summary, ...all, ticket)];
}

/** Until it has been printed or somebody does something else: printing may have been left. */
function printOnly(card: HTMLElement): void {
  const marks = [card.classList, document.body.classList] as const;
  for (const list of marks) list.add("one-ticket");
  const over = new AbortController();
  const clear = () => {
    over.abort();
    for (const list of marks) list.remove("one-ticket");
  };
  for (const end of ["afterprint", "pointerdown", "keydown"]) {
    addEventListener(end, clear, { signal: over.signal, capture: true });
  }
  print();
}
