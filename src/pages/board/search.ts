/** The search in the open orders and in Done. Pure values. */

import { numberOf, shortNumber } from "../shared/orders.ts";
import type { Order } from "../shared/types.ts";
import { normalize } from "../shared/words.ts";

/**
 * Whether each word begins a word of the number, table, name, notes or pizzas of an order. Where a
 * language has no spaces it may stand anywhere.
 */
export function isFound(pizzas: readonly Order[], search: string): boolean {
  const texts = pizzas.flatMap(({ table, name, note, pizza }) => [table, name, note, pizza]);
  const words = wordsOf(texts.join(" "));
  const numbers = pizzas.flatMap((order) => {
    const number = numberOf(order);
    return wordsOf(readNumber(`${number} ${shortNumber(number)} ${order.id}`));
  });
  return wordsOf(search).every((word) => words.some((text) => begins(text, word))
    || numbers.some((number) => begins(number, readNumber(word))));
}

function wordsOf(text: string): readonly string[] {
  return normalize(text).split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== "");
}

const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Who looks for table 3 does not mean table 31. */
function begins(word: string, start: string): boolean {
  if (unspaced.test(start)) return word.includes(start);
  return /^\p{N}+$/u.test(start) ? word === start : word.startsWith(start);
}

/** In a number that was read out, O, I and L are figures. */
function readNumber(text: string): string {
  return text.toLowerCase().replaceAll("o", "0").replaceAll(/[il]/g, "1");
}
