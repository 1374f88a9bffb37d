/**
 * The printed pages. They stay until the next press: Safari says `afterprint` before its dialog is
 * open, and would print the board in their place.
 */

import type { View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { drawNow, notify, set, state } from "./store.ts";

/** `sized`: called once the pages are laid out, and may set their size. */
export function printPages(
  className: string, pages: readonly View[], sized = (): void => undefined,
): void {
  // A web view, such as that of an app, cannot print.
  if (typeof print !== "function") return notify(t("This browser can’t print."));
  set({ paper: { className, pages } });
  drawNow();
  sized();
  print();
}

export function clearPaperAtPress(): void {
  for (const event of ["pointerdown", "keydown"]) {
    addEventListener(event, () => { if (state().paper !== undefined) set({ paper: undefined }); });
  }
}
