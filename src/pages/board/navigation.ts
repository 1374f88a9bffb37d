/**
 * Where somebody goes on the board: to a tab, and into a search of the open orders. On a phone the
 * page opens with the last tab.
 */

import { readDay, today } from "./reading.ts";
import type { Tab } from "./state.ts";
import { drawNow, saveSettings, searchFor, set, state } from "./store.ts";

export function openTab(tab: Tab): void {
  const isOpen = state().tab === tab;
  set({ tab, search: undefined });
  if (!isOpen) saveSettings({ tab });
  // Begins with today, whatever day was shown before.
  if (tab === "done") void readDay(today());
  if (isOpen && tab === "orders") showFirstNew();
}

/** Takes the words of the search along. */
export function lookInDone(search: string): void {
  set({ tab: "done", search: undefined });
  void readDay(today(), search);
}

function showFirstNew(): void {
  set({ shownList: "make" });
  drawNow();
  const card = document.querySelector(".card.is-new");
  card?.scrollIntoView({ block: "nearest" });
  card?.querySelector<HTMLElement>(".move-button")?.focus({ preventScroll: true });
}

export function openSearch(): void {
  searchFor("");
  drawNow();
  document.querySelector<HTMLInputElement>("#search")?.focus();
}

export function endSearch(): void {
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
