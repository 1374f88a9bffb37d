/** The bar of the search in the open orders, and how the search begins and ends. */

import { type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { nothingView } from "./contents.ts";
import { drawNow, searchFor, state } from "./store.ts";
import { lookInDone } from "./tabs.ts";

function openSearch(): void {
  searchFor("");
  drawNow();
  document.querySelector<HTMLInputElement>("#search")?.focus();
}

function endSearch(): void {
  if (state().search === undefined) return;
  searchFor(undefined);
  drawNow();
  document.querySelector<HTMLElement>("#open-search")?.focus();
}

/** Escape ends the search. */
export function listenForSearch(): void {
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && document.querySelector("dialog") === null) endSearch();
  });
}

export function searchButton(): View {
  return h("button", {
    key: "search", id: "open-search", class: "round", "aria-label": t("Search"),
    onclick: openSearch,
  }, icon("search"), h("span", { class: "wide" }, t("Search")));
}

export function searchBar(search: string, count: number): View {
  return h("section", { key: "search", class: "orders-bar searching line", role: "search" },
    h("label", { class: "search" }, icon("search"), unseen(t("Search the open orders")),
      h("input", {
        id: "search", type: "search", value: search, autocomplete: "off", spellcheck: "false",
        oninput: ({ currentTarget: { value } }) => { searchFor(value); },
      }),
      h("button", { class: "plain tight soft", "aria-label": t("All orders"), onclick: endSearch },
        icon("cross"))),
    h("p", { role: "status" }, h("b", {}, t("{count} found", { count }))),
    h("p", { class: "about soft small" },
      t("By number, table, name, note or pizza. The other orders are hidden meanwhile.")));
}

export function nothingFound(search: string): Child {
  return nothingView(t("No open order matches"), [t("It may be done already.")],
    h("button", { onclick: () => { lookInDone(search); } }, t("Look in Done")),
    h("button", { onclick: endSearch }, t("All orders")));
}
