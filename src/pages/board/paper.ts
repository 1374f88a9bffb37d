/** The printed pages, which are drawn only while they are printed. */

import { h, type View } from "../shared/dom.ts";
import { drawNow, set } from "./store.ts";

/** `sized`: called once the pages are laid out, and may set their size. */
export function printPages(
  className: string, pages: readonly View[], sized = (): void => undefined,
): void {
  set({ paper: h("div", { key: className, class: className, "aria-hidden": "true" }, ...pages) });
  drawNow();
  sized();
  print();
}

export function listenForPrinting(): void {
  addEventListener("afterprint", () => { set({ paper: undefined }); });
}
