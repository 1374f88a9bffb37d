/** The board's device: keeps the screen on, shows dialogs and the title. */

import { t } from "../shared/words.ts";
import { pendingCount, state } from "./state.ts";

/** The lock ends when the page is hidden, and a browser may refuse it: the board works on. */
export function stayAwake(): void {
  if (document.visibilityState !== "visible") return;
  navigator.wakeLock?.request("screen").catch(() => undefined);
}

/** The button that opened the first of the dialogs. */
const opener: { button: HTMLElement | undefined } = { button: undefined };

/** Opens the dialog that was drawn: it takes the focus, and the last one gives it back. */
export function showDialog(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.form");
  if (dialog !== null && !dialog.open) {
    opener.button ??= document.activeElement as HTMLElement;
    dialog.showModal();
  } else if (dialog === null && opener.button !== undefined) {
    opener.button.focus({ preventScroll: true });
    opener.button = undefined;
  }
}

export function showTitle(): void {
  const { menu } = state();
  const pending = pendingCount(state());
  const title = t("{shop}: kitchen", { shop: menu.shop.name });
  document.title = pending > 0 ? `(${pending}) ${title}` : title;
}
