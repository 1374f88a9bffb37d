/**
 * The open orders and their cards in the columns. An update touches only its own card, an older
 * state never takes the place of a newer one, and what comes into a column comes last: nothing
 * there moves. Dispatches "change" once after any number of changes in one go.
 */

import { isRefusal, read } from "./api.ts";
import { makeCard } from "./card.ts";
import type { Card } from "./card.ts";
import { move } from "./moves.ts";
import { holdsTheSame, openStatuses, orderPath, parts } from "./order.ts";
import type { Order, Status } from "./order.ts";
import { t } from "./words.ts";

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
/** The numbers of orders placed together: "K7QX3M-2", its first part as the order page makes it. */
const together = /^(.*[0-9A-HJKMNP-TV-Z]{6})-([1-9]\d?)$/;
/** How many were placed together, as far as is known, by the first part. */
let groups = new Map<string, number>();

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
  await countClosedOnes();
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

/** After a change of the menu or of what is sold out: `id` is the item's; without it, of any. */
export function showItems(id?: string): void {
  for (const card of cards.values()) {
    if (id === undefined || parts(card.order()).flat().some((one) => one.id === id)) {
      card.showItems();
    }
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
    showGroups();
    kitchen.dispatchEvent(new Event("change"));
  });
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
