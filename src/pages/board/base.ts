/** The base of nearly every pizza, told in one line. */

import { sauceAndCheese } from "../shared/cheeses.ts";
import { normalize } from "../shared/words.ts";

const basePatterns = sauceAndCheese.map(([stems]) => new RegExp(normalize(stems)));

/** Drawn as tomato sauce or mozzarella: a cook looks for the rest. */
export function isBase(name: string): boolean {
  const text = normalize(name);
  const row = sauceAndCheese[basePatterns.findIndex((pattern) => pattern.test(text))];
  return row !== undefined && (row[1] === "sauce" || row === sauceAndCheese.at(-1));
}
