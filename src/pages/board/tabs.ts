/** Opens a tab. On a phone the page opens with the last one. */

import { readDay, today } from "./reading.ts";
import type { Tab } from "./state.ts";
import { drawNow, saveSettings, set, state } from "./store.ts";

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
  set({ part: "make" });
  drawNow();
  const card = document.querySelector(".card.is-new");
  card?.scrollIntoView({ block: "nearest" });
  card?.querySelector<HTMLElement>(".main")?.focus({ preventScroll: true });
}
