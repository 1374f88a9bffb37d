/** The search in the open orders and in Done. Pure values. */

import { numberOf, shortNumber } from "../shared/orders.ts";
import type { Order } from "../shared/types.ts";
import { normalize } from "../shared/words.ts";
import { type Card, ordersOn } from "./cards.ts";

/** Whether each word begins a word of the order's number, table, name, note or pizza. */
export function isFound(order: Order, search: string): boolean {
  const number = numberOf(order);
  const numbers = wordsOf(readNumber(`${number} ${shortNumber(number)} ${order.id}`));
  const words = wordsOf([order.table, order.name, order.note, order.pizza].join(" "));
  return wordsOf(search).every((word) => words.some((text) => begins(text, word))
    || numbers.some((number) => begins(number, readNumber(word))));
}

export function isFoundCard(card: Card, search: string | undefined): boolean {
  return search === undefined || ordersOn(card).some(({ order }) => isFound(order, search));
}

/** The orders on the cards that are found, as the heads of the columns count them. */
export function foundCount(cards: readonly Card[], search: string | undefined): number {
  return cards.filter((card) => isFoundCard(card, search)).flatMap(ordersOn).length;
}

function wordsOf(text: string): readonly string[] {
  return normalize(text).split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** Who looks for table 3 does not mean table 31. */
function begins(word: string, start: string): boolean {
  return /^\p{N}+$/u.test(start) ? word === start : word.startsWith(start);
}

/** In a number that was read out, O, I and L are figures. */
function readNumber(text: string): string {
  return text.toLowerCase().replaceAll("o", "0").replaceAll(/[il]/g, "1");
}
