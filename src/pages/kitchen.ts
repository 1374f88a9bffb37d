/**
 * The open orders and their cards in the columns. An update touches only its own card, an older
 * state never takes the place of a newer one, and what comes into a column comes last: nothing
 * there moves.
 */

import { isRefusal, read, serverNow } from "./api.ts";
import { lateAfterMinutes } from "./device.ts";
import { button, el, part, setChildren, setText, unseen } from "./dom.ts";
import {
  holdsTheSame, isSoldOut, menu, menuKinds, openStatuses, orderPath, parts, stages, tally,
} from "./model.ts";
import type { Order, Status } from "./model.ts";
import { moveOrder } from "./moves.ts";
import { clock, t } from "./words.ts";

/** Dispatches "change", once after any number of changes in one go. */
export const kitchen = new EventTarget();

const openOrders = `api/orders?embed=names&${openStatuses
  .map((status) => `status=${encodeURIComponent(status)}`).join("&")}`;
const cards = new Map<string, Card>();
const lists = [...document.querySelectorAll(".column > ol")];
let telling = false;
let loads = 0;
/** The last word on each order that was told of since the last load began. */
const told = new Map<string, object>();
/** New orders, until they are announced; those of the first load never are. */
let arrived: string[] = [];
let isFirstLoad = true;
/** The numbers of orders placed together: "K7QX3M-2", its first part as the order page makes it. */
const together = /^(.*[0-9A-HJKMNP-TV-Z]{6})-([1-9]\d?)$/;
/** How many were placed together, as far as is known, by the first part. */
let groups = new Map<string, number>();

export function ordersShown(): Order[] {
  return [...cards.values()].map((card) => card.order);
}

export async function loadOrders(): Promise<void> {
  loads += 1;
  const mine = loads;
  told.clear();
  const { data } = await read<Order[]>(openOrders);
  // A later one has begun, which may have been answered first: this answer may be the older one.
  if (mine !== loads) return;
  const ids = new Set(data.map(({ id }) => id));
  // Otherwise the list is right even where it has older states: a backup may have been restored.
  for (const id of cards.keys()) if (!ids.has(id) && !told.has(id)) removeOrder(id);
  for (const order of data) if (!told.has(order.id)) show(order, true);
  if (isFirstLoad) arrived = [];
  isFirstLoad = false;
  tell();
  await countClosedOnes();
}

/** Shows an order as a plain answer or an event has it. */
export async function takeOrder(order: Order): Promise<void> {
  const { id } = order;
  const known = cards.get(id)?.order;
  if (known !== undefined && order.updatedAt < known.updatedAt) return;
  told.set(id, order);
  if (columnOf(order.status) < 0) removeOrder(id);
  else if (known !== undefined && holdsTheSame(known, order)) {
    const { pizzaSize, toppings, beverages } = known;
    show({ ...order, pizzaSize, toppings, beverages });
  } else {
    const named = await read<Order>(`${orderPath(id)}?embed=names`).catch(missing);
    if (named !== undefined && told.get(id) === order) show(named.data);
  }
}

export function removeOrder(id: string): void {
  told.set(id, {});
  const element = cards.get(id)?.element;
  cards.delete(id);
  if (element !== undefined) keepFocus(element, () => { element.remove(); });
  tell();
}

/** After a change of the menu or of what is sold out. */
export function showItems(): void {
  for (const card of cards.values()) card.showItems();
}

export function showAges(): void {
  for (const card of cards.values()) card.showAge();
}

function show(order: Order, isCertain = false): void {
  const list = lists[columnOf(order.status)];
  if (list === undefined) return removeOrder(order.id);
  const known = cards.get(order.id);
  // One that comes back to the board has been changed.
  if (known === undefined && order.placedAt === order.updatedAt) arrived.push(order.id);
  const card = known ?? new Card(order);
  if (!isCertain && order.updatedAt < card.order.updatedAt) return;
  cards.set(order.id, card);
  const { element } = card;
  keepFocus(element, () => {
    card.show(order);
    if (element.parentElement !== list) list.insertBefore(element, firstAfter(list, element));
  });
  tell();
}

function tell(): void {
  if (telling) return;
  telling = true;
  queueMicrotask(() => {
    telling = false;
    showGroups();
    announce();
    kitchen.dispatchEvent(new Event("change"));
  });
}

/** For those who hear the board. */
function announce(): void {
  const [count, numbers] = [arrived.length, arrived.join(", ")];
  if (count > 0) setText(part("arrived"), t("{count} new orders: {numbers}", { count, numbers }));
  arrived = [];
}

/** "2 of 3" on the cards of orders that were placed together. */
function showGroups(): void {
  const known = groups;
  groups = new Map();
  for (const id of cards.keys()) {
    const [, first, number] = together.exec(id) ?? [];
    if (first === undefined) continue;
    groups.set(first, Math.max(groups.get(first) ?? known.get(first) ?? 0, Number(number)));
  }
  for (const [id, card] of cards) {
    const [, first = "", number = ""] = together.exec(id) ?? [];
    const total = groups.get(first) ?? 1;
    card.showGroup(total > 1 ? t("{number} of {total}", { number, total }) : "");
  }
}

/** Some of those placed together may be closed: asks for the next number until there is none. */
async function countClosedOnes(): Promise<void> {
  showGroups();
  for (let asked = [...groups.keys()]; asked.length > 0;) {
    const ids = asked.map((first) => `id=${encodeURIComponent(`${first}-${next(first)}`)}`);
    const { data } = await read<Order[]>(`api/orders?${ids.join("&")}`);
    const found = new Set(data.map(({ id }) => id));
    asked = asked.filter((first) => found.has(`${first}-${next(first)}`));
    for (const first of asked) groups.set(first, next(first));
  }
  showGroups();
}

function next(first: string): number {
  return (groups.get(first) ?? 0) + 1;
}

/** Deleted since: the event that says so is on its way. */
function missing(fault: unknown): undefined {
  if (!isRefusal(fault, 404)) throw fault;
}

function columnOf(status: Status): number {
  return openStatuses.findIndex((open) => open === status);
}

/** The first card that came into the column later. Walks from the end, where most belong. */
function firstAfter(list: Element, { dataset }: HTMLElement): Element | null {
  let after: Element | null = null;
  for (let at = list.lastElementChild; at !== null; at = at.previousElementSibling) {
    if ((at.getAttribute("data-key") ?? "") <= (dataset["key"] ?? "")) break;
    after = at;
  }
  return after;
}

/**
 * When a card loses the focus by what is done to it, the next one gets it: so Enter, pressed again
 * and again, works through a column.
 */
function keepFocus(card: HTMLElement, act: () => void): void {
  const focused = card.contains(document.activeElement);
  const next = card.nextElementSibling ?? card.previousElementSibling;
  const target = next?.querySelector("button")
    ?? card.closest(".column")?.querySelector<HTMLElement>("h2 button");
  act();
  if (focused && !card.contains(document.activeElement)) target?.focus();
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

/**
 * One order: all it holds by name, how long it has been in its stage, one large button on, the
 * other ways inside. Printed, the card is the order's ticket.
 */
class Card {
  readonly element: HTMLElement;
  readonly #age = el("span");
  // Not by colour alone: a sign to see, a word to hear.
  readonly #sign = el("b", { class: "sign" }, "!", unseen(t("late")));
  readonly #group = el("span", { class: "group" });
  readonly #items = el("ul");
  readonly #ways = el("div", { class: "ways" });
  #shown: Order;
  /** When it came into its stage: RFC 3339. The API tells the last change, mostly that one. */
  #since: string;
  #before: { readonly status: Status; readonly since: string } | undefined;

  constructor(order: Order) {
    const { id, placedAt, updatedAt } = order;
    this.#shown = order;
    this.#since = updatedAt;
    const title = el("h3", { class: id.length > 8 ? "long" : "" },
      unseen(t("Order")), " ", el("bdi", {}, id));
    this.element = el("li", { class: "card" },
      el("header", {}, title, el("span", { class: "age" }, this.#sign, this.#age), el("p", {},
        el("span", { class: "key", "aria-hidden": "true" }),
        el("time", { datetime: placedAt }, clock(new Date(placedAt))), this.#group)),
      this.#items, this.#ways);
    this.showItems();
    this.#showStage();
  }

  /** As shown. */
  get order(): Order {
    return this.#shown;
  }

  /** Touches only what differs from what is shown. */
  show(order: Order): void {
    const last = this.#shown;
    this.#shown = order;
    if (!holdsTheSame(last, order)) this.showItems();
    if (order.status === last.status) return;
    const isUndone = this.#before?.status === order.status
      && Date.parse(order.updatedAt) - Date.parse(this.#since) < undoneWithinMs;
    const since = isUndone ? this.#before?.since : undefined;
    this.#before = { status: last.status, since: this.#since };
    this.#since = since ?? order.updatedAt;
    this.#showStage();
  }

  /** Again when the menu or what is sold out changed: what is missing says so. */
  showItems(): void {
    setChildren(this.#items, itemsOf(this.#shown));
  }

  showAge(): void {
    const minutes = Math.max(0, Math.floor((serverNow() - Date.parse(this.#since)) / 60_000));
    const hours = Math.floor(minutes / 60);
    const limit = lateAfterMinutes(this.#shown.status);
    const isLate = minutes >= limit;
    setText(this.#age, hours > 0 ? t("{hours} h {minutes} min", { hours, minutes: minutes % 60 })
      : t("{minutes} min", { minutes }));
    this.#sign.hidden = !isLate;
    this.element.classList.toggle("late", isLate);
    this.element.classList.toggle("slow", !isLate && minutes >= limit / 2);
  }

  /** "2 of 3"; empty for an order that was placed by itself. */
  showGroup(text: string): void {
    setText(this.#group, text);
  }

  #showStage(): void {
    this.element.dataset["key"] = `${this.#since} ${this.#shown.id}`;
    const move = (to: Status) => { void moveOrder(this.#shown, to, takeOrder); };
    this.#ways.replaceChildren(...buttonsOf(this.#shown, this.element, move));
    this.showAge();
  }
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
