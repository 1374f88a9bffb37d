/** Names, notes and times, as several views of the order page show them. */

import { serverNow } from "../shared/api.ts";
import { type Child, h, icon } from "../shared/dom.ts";
import { type Menu, tally } from "../shared/menu.ts";
import { differenceLines, type OrderedPizza } from "../shared/pizza-text.ts";
import type { Reference } from "../shared/types.ts";
import { comma, dayText, joined, t, timeText } from "../shared/words.ts";

/** "2× Mozzarella, Basil": a name keeps its own direction, and its count beside it. */
export function namesView(references: readonly Reference[]): readonly Child[] {
  return tally(references).flatMap(({ text }, index) =>
    [index > 0 && comma, h("bdi", {}, unbrokenCount(text))]);
}

/** A count stays on the line of its name. */
function unbrokenCount(text: string): string {
  return text.replace("× ", "×\u00a0");
}

const vowel = "aeiouyäöüàâéèêëîïíóôòúù";
/** The end of a syllable: a vowel, and consonants up to the one that the next begins with. */
const syllable = new RegExp(
  `([${vowel}][^${vowel}]*?)(?=(?:s?ch|[pt]h|qu|ck|gn|[^${vowel}])[${vowel}]\\p{L})`, "giu",
);

/** A name whose long words may end a line within, with a hyphen: "Büffel-mozzarella". */
export function hyphenated(name: string): string {
  return name.replaceAll(/(\p{L})(\p{L}{9,})/gu, (_, first: string, rest: string) =>
    first + rest.replaceAll(syllable, "$1\u00ad"));
}

/** "7:31 PM"; with the day, if it is not today. */
export function momentText(moment: string | number | undefined): string {
  if (moment === undefined) return "";
  const date = new Date(moment);
  const [day, time] = [dayText(date), timeText(date)];
  return day === dayText(serverNow()) ? time : joined(day, time);
}

/** A pizza under its heading: its note, how it differs from the shop's, and what is on it. */
export function pizzaLines(menu: Menu, order: OrderedPizza): readonly Child[] {
  const { note = "", toppings } = order;
  const difference = differencesText(menu, order);
  return [
    note !== "" && h("p", { key: "note", class: "note" }, icon("note"), h("bdi", {}, note)),
    difference !== "" && h("p", { key: "difference" }, difference),
    h("p", { class: "soft" },
      ...toppings.length === 0 ? [t("No toppings yet")] : namesView(toppings)),
  ];
}

/** "without Basil, + Rocket". "": as the shop makes it, or no pizza of the shop. */
function differencesText(menu: Menu, order: OrderedPizza): string {
  const { without = [], added = [] } = differenceLines(menu, order) ?? {};
  return [
    ...without.map(({ text }) => t("without {name}", { name: text })),
    ...added.map(({ text }) => t("+ {name}", { name: text })),
  ].join(comma);
}

/** "2× Margherita, Large". */
export function counted(count: number, name: string): string {
  return count === 1 ? name : unbrokenCount(t("{number}× {name}", { number: count, name }));
}
