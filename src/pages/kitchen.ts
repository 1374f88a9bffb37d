/**
 * The open orders and their cards in the columns. An update touches only its own card, and an
 * older state never takes the place of a newer one. Dispatches "change" once after any number
 * of changes in one go.
 */

import { isRefusal, read } from "./api.ts";
import { makeCard } from "./card.ts";
import type { Card } from "./card.ts";
import { move } from "./moves.ts";
import { holdsTheSame, openStatuses, orderPath, parts } from "./order.ts";
import type { Order, Status } from "./order.ts";

export const kitchen = new EventTarget();

const openOrders = `api/orders?embed=names&${openStatuses
  .map((status) => `status=${encodeURIComponent(status)}`).join("&")}`;
const cards = new Map<string, Card>();
/** Orders whose names are being asked for; a later word on the same order takes its place. */
const asking = new Map<string, object>();
const lists = [...document.querySelectorAll(".column > ol")];
let telling = false;
let loads = 0;
/** What has been told of since the last load began. */
const told = new Set<string>();

export function ordersShown(): Order[] {
  return [...cards.values()].map((card) => card.order());
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
  for (const card of cards.values()) card.showItems();
  tell();
}

/** Shows an order as a plain answer or an event has it. */
export async function takeOrder(order: Order): Promise<void> {
  const { id } = order;
  const known = cards.get(id)?.order();
  if (known !== undefined && order.updatedAt < known.updatedAt) return;
  told.add(id);
  const mine = {};
  asking.set(id, mine);
  if (columnOf(order.status) < 0) removeOrder(id);
  else if (known !== undefined && holdsTheSame(known, order)) {
    const { pizzaSize, toppings, beverages } = known;
    show({ ...order, pizzaSize, toppings, beverages });
  } else {
    const named = await read<Order>(`${orderPath(id)}?embed=names`).catch(missing);
    if (named !== undefined && asking.get(id) === mine) show(named.data);
  }
}

/** Moves an order on, and shows what came of it. */
export function moveOrder(order: Order, to: Status): Promise<unknown> {
  return move(order, to, takeOrder);
}

export function removeOrder(id: string): void {
  asking.delete(id);
  const element = cards.get(id)?.element;
  cards.delete(id);
  if (element !== undefined) keepFocus(element, () => { element.remove(); });
  tell();
}

/** Greys and ungreys one item wherever it stands. */
export function showItem(id: string): void {
  for (const card of cards.values()) {
    if (parts(card.order()).flat().some((reference) => reference.id === id)) card.showItems();
  }
}

export function showAges(): void {
  for (const card of cards.values()) card.showAge();
}

function show(order: Order, isCertain = false): void {
  const list = lists[columnOf(order.status)];
  if (list === undefined) return removeOrder(order.id);
  const card = cards.get(order.id) ?? makeCard(order, moveOrder);
  if (!isCertain && order.updatedAt < card.order().updatedAt) return;
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
    kitchen.dispatchEvent(new Event("change"));
  });
}

/** Deleted since: the event that says so is on its way. */
function missing(fault: unknown): undefined {
  if (!isRefusal(fault, 404)) throw fault;
}

function columnOf(status: Status): number {
  return openStatuses.findIndex((open) => open === status);
}

/** The first card placed later than this one. New orders come last, so the walk starts there. */
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
  const target = next?.querySelector("button") ?? card.closest(".column")?.querySelector("h2");
  act();
  if (focused && !card.contains(document.activeElement)) target?.focus();
}
