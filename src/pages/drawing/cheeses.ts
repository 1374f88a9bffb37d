/**
 * The first rows of the table in toppings.ts. The board draws no pizza, so it needs these alone, to
 * know the base of nearly every pizza.
 */

import { normalize } from "../shared/words.ts";

/** As a row of that table. */
type Row = readonly [
  stems: string,
  shape: "crumble" | "melt" | "sauce" | "shred" | "tomato",
  first: string,
  second: string,
  third?: string,
];

/** Mozzarella, with the plain cheeses, comes after those that have a name of their own. */
export const sauceAndCheese: readonly Row[] = [
  ["cherry tom|pomodorin|kirschtom|tomates? ceris|كرزية",
    "tomato", "#cf2f1c", "#ef6a4a", "#f9d894"],
  ["tomato sauce|tomatenso|sauce tom|salsa de tom|salsa di pom|passata|sugo|pomodoro|صلصة",
    "sauce", "#c0371d", "#d0502d"],
  ["tomat|طماطم|بندورة", "tomato", "#cf2f1c", "#ef6a4a", "#f9d894"],
  ["bufal|buffal|buffel|bufflon|burrat|stracciatel|جاموس",
    "melt", "#fffaf0", "#f9e6c4", "#dfb27a"],
  ["provol|scamorz|smoked cheese|raucherkase|fume|ahumad",
    "melt", "#f7dfa8", "#e2b55c", "#cf9c48"],
  ["gorgonzol|blue|blauschimm|roquefort|bleu|azul|زرقاء", "crumble", "#f1ecdf", "#6b8ba0"],
  ["goat|capra|caprin|ziegen|chevre|cabra|feta|ricott|ماعز|فيتا",
    "crumble", "#fbf6ea", "#e3d6bb"],
  ["grana|parm|pecorin|reggian|cheddar|hartkase|بارم|بيكورينو",
    "shred", "#fbe19a", "none", "#d5a343"],
  ["mozzarel|fior di|cheese|formagg|kase|fromag|queso|موتزار|موزار|جبن",
    "melt", "#fdf0d2", "#f2d08a", "#d8a65c"],
];

const patterns = sauceAndCheese.map(([stems]) => new RegExp(normalize(stems)));

/** Drawn as tomato sauce or mozzarella: a cook looks for the rest. */
export function isBase(name: string): boolean {
  const text = normalize(name);
  const row = sauceAndCheese[patterns.findIndex((pattern) => pattern.test(text))];
  return row !== undefined && (row[1] === "sauce" || row === sauceAndCheese.at(-1));
}
