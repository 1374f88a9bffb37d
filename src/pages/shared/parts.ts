/** Parts that both pages have. */

import { h, icon, unseen, type View } from "./dom.ts";
import { plain, t } from "./words.ts";

/** `aliveAt`: the last sign of life of the stream. Both times in milliseconds since 1970. */
export function lostBar(isLost: boolean, aliveAt: number, now: number): View {
  const seconds = Math.max(0, Math.round((now - aliveAt) / 1000));
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
  return plain(search).split(/\s+/).every((word) => plain(name).includes(word));
}
