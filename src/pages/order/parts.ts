/** Names, notes and times, as several views of the order page show them. */

import { serverNow } from "../shared/api.ts";
import { type Child, h, icon, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import type { Reference } from "../shared/types.ts";
import { comma, dayText, t, timeText } from "../shared/words.ts";

/** "2× Mozzarella, Basil": a name keeps its own direction, and its count beside it. */
export function namesView(references: readonly Reference[]): readonly Child[] {
  return tally(references).flatMap(({ text }, index) =>
    [index > 0 && comma, h("bdi", {}, text.replace("× ", "×\u00a0"))]);
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
  return day === dayText(serverNow()) ? time : t("{day}, {time}", { day, time });
}

/** The note of an order: never cut off, and in its own direction. */
export function noteView(note: string): View {
  return h("p", { class: "note" }, icon("note"), h("bdi", {}, note));
}
