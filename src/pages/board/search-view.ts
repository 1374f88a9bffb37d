/** The search in the open orders: its button, its bar, and what stands where it finds nothing. */

import { type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { nothingView } from "./list-parts.ts";
import { endSearch, lookInDone, openSearch } from "./navigation.ts";
import { searchFor } from "./store.ts";

export function searchButton(): View {
  return h("button", {
    key: "search", id: "open-search", class: "round", "aria-label": t("Search"),
    onclick: openSearch,
  }, icon("search"), h("span", { class: "wide" }, t("Search")));
}

export function searchBar(search: string, count: number): View {
  return h("section", { key: "search", class: "orders-bar searching", role: "search" },
    h("label", { class: "search" }, icon("search"), unseen(t("Search the open orders")),
      h("input", {
        id: "search", type: "search", value: search, autocomplete: "off", spellcheck: "false",
        oninput: ({ currentTarget: { value } }) => { searchFor(value); },
      }),
      h("button", { class: "plain", "aria-label": t("All orders"), onclick: endSearch },
        icon("cross"))),
    h("p", { role: "status" }, h("b", {}, t("{count} found", { count }))),
    h("p", { class: "soft about" },
      t("By number, table, name, note or pizza. The other orders are hidden meanwhile.")));
}

export function nothingFound(search: string): Child {
  return nothingView(t("No open order matches"), [t("It may be done already.")],
    h("button", { onclick: () => { lookInDone(search); } }, t("Look in Done")),
    h("button", { onclick: endSearch }, t("All orders")));
}
