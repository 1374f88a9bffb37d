/**
 * Another build behind the server: the board says so, and loads it anew as soon as nothing is open,
 * typed or unsent. The address of the page's own script tells one build from another; the tag of
 * the page would not, since it changes with each order.
 */

import { set, state } from "./store.ts";

const askEveryMs = 60_000;

const script = document.querySelector<HTMLScriptElement>("script[src]");

export function watchBuild(): void {
  setInterval(() => { void lookForBuild(); }, askEveryMs);
}

async function lookForBuild(): Promise<void> {
  const page = await fetch(location.pathname, { cache: "no-cache" }).then((answer) => answer.text(),
    () => "");
  const [, found] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
  if (found === undefined || new URL(found, document.baseURI).href === script?.src) return;
  set({ newBuild: found });
  loadNewBuild();
}

/** At most once for a build: behind several servers two builds may answer in turns. */
export function loadNewBuild(): void {
  const { newBuild, dialog, search, undoLines, marks } = state();
  const isUnsent = [...marks.values()].some(({ type }) => type === "sending" || type === "failed");
  const isBusy = dialog !== undefined || search !== undefined || undoLines.length > 0 || isUnsent
    || document.activeElement?.matches("input, textarea") === true;
  if (newBuild === "" || isBusy) return;
  try {
    if (sessionStorage.getItem("build") === newBuild) return;
    sessionStorage.setItem("build", newBuild);
  } catch {
    return; // Without this storage the page might load for ever.
  }
  location.reload();
}
