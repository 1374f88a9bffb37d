/** Parts that both pages have. */

import { type Child, h, icon, unseen, type View } from "./dom.ts";
import { tally } from "./menu.ts";
import type { Reference } from "./types.ts";
import { listParts, normalize, t } from "./words.ts";

/** `lostAt`: the last sign of life of a stream that is lost. */
export function lostBar(lostAt: number | undefined): View {
  const isLost = lostAt !== undefined;
  const seconds = isLost ? Math.max(0, Math.round((Date.now() - lostAt) / 1000)) : 0;
  return h("div", { key: "lost", class: "offline", hidden: !isLost },
    // Said once; the age beside it ticks outside the live region.
    h("strong", { role: "alert" }, isLost ? t("Connection lost.") : ""), " ",
    h("span", {}, seconds < 120 ? t("Last update {seconds} s ago", { seconds })
      : t("Last update {minutes} min ago", { minutes: Math.round(seconds / 60) })));
}

/** `placeholder`: what is seen of the label. */
export function searchField(
  action: string, value: string, label: string, placeholder: string = label,
): View {
  return h("label", { class: "search" }, icon("search"), unseen(label), h("input", {
    type: "search", "data-do": action, value, autocomplete: "off", spellcheck: "false", placeholder,
  }));
}

/** Whether the name holds each word of the search. */
export function isFoundBy(search: string, name: string): boolean {
  return normalize(search).split(/\s+/).every((word) => normalize(name).includes(word));
}

/** "2× Mozzarella, Basil": a name keeps its own direction. */
export function namesView(references: readonly Reference[]): readonly Child[] {
  return listParts(tally(references).map(({ text }) => text)).map(({ type, value }) =>
    (type === "element" ? h("bdi", {}, value) : value));
}
