/** The bar of the search in the open orders, and how the search begins and ends. */

import { serverNow } from "../shared/api.ts";
import { type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import type { Columns } from "./cards.ts";
import { readDay, today } from "./reading.ts";
import { foundCount } from "./search.ts";
import { drawNow, set, state } from "./store.ts";

/** After two minutes without a press the board shows all orders again. */
const endsAfterMs = 2 * 60_000;

/** How far the columns were scrolled before the search, and when somebody last pressed. */
const last = { scrolled: [] as readonly number[], pressedAt: 0 };

function lists(): readonly Element[] {
  return [...document.querySelectorAll(".cards")];
}

function openSearch(): void {
  last.scrolled = lists().map(({ scrollTop }) => scrollTop);
  set({ search: "", isToMakeOpen: false });
  drawNow();
  document.querySelector<HTMLInputElement>("#search")?.focus();
}

/** The columns are scrolled as before. */
function endSearch(): void {
  if (state().search === undefined) return;
  set({ search: undefined });
  drawNow();
  for (const [index, list] of lists().entries()) list.scrollTop = last.scrolled[index] ?? 0;
  document.querySelector<HTMLElement>("#open-search")?.focus();
}

/** Escape ends the search. */
export function listenForSearch(): void {
  const press = (): void => { last.pressedAt = serverNow(); };
  for (const event of ["pointerdown", "keydown"]) addEventListener(event, press);
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && document.querySelector("dialog") === null) endSearch();
  });
}

export function endOldSearch(): void {
  if (serverNow() - last.pressedAt > endsAfterMs) endSearch();
}

export function searchButton(): View {
  return h("button", {
    key: "search", id: "open-search", class: "round", "aria-label": t("Search"),
    onclick: openSearch,
  }, icon("search"), h("span", { class: "wide" }, t("Search")));
}

export function searchBar(search: string, columns: Columns): View {
  const count = foundCount([...columns.values()].flat(), search);
  return h("section", { key: "search", class: "sums searching", role: "search" },
    h("label", { class: "search" }, icon("search"), unseen(t("Search the open orders")),
      h("input", {
        id: "search", type: "search", value: search, autocomplete: "off", spellcheck: "false",
        oninput: ({ currentTarget: { value } }) => { set({ search: value }); },
      }),
      h("button", { class: "plain", "aria-label": t("All orders"), onclick: endSearch },
        icon("cross"))),
    h("p", { role: "status" }, h("b", {}, t("{count} found", { count }))),
    h("p", { class: "soft about" },
      t("By number, table, name, note or pizza. The other orders are hidden meanwhile.")));
}

export function nothingFound(search: string): Child {
  const lookInDone = (): void => {
    set({ tab: "done", search: undefined });
    void readDay(today(), search);
  };
  return h("div", { key: "empty", class: "nothing" },
    h("h2", {}, t("No open order matches")),
    h("p", {}, t("It may be done already.")),
    h("p", { class: "actions" },
      h("button", { onclick: lookInDone }, t("Look in Done")),
      h("button", { onclick: endSearch }, t("All orders"))));
}

/** News of hidden cards. A press shows all of them. */
export function hiddenNews(text: string, className: string): View {
  return h("button", { class: "plain news", onclick: endSearch },
    h("b", { class: `hint ${className}` }, text));
}
