/** Dialogs: those that a page's state draws, and questions that a promise answers. */

import { h, patch } from "./dom.ts";

/** The element that had the focus before the first of the dialogs opened. */
const opener: { element: HTMLElement | undefined } = { element: undefined };

/**
 * Called after each draw: opens the dialog that was drawn. It takes the focus; the last of several,
 * one after the other, gives it back.
 */
export function showDialog(page: Element): void {
  const dialog = page.querySelector("dialog");
  if (dialog !== null && !dialog.open) {
    opener.element ??= document.activeElement as HTMLElement;
    dialog.showModal();
  } else if (dialog === null && opener.element !== undefined) {
    opener.element.focus({ preventScroll: true });
    opener.element = undefined;
  }
}

interface Question {
  readonly detail?: string;
  /** A class of the button that says yes: "act", which is red, unless told otherwise. */
  readonly className?: string;
}

/** Resolves to whether the person said yes. Escape is a no, and so is closing the dialog. */
export function ask(
  question: string, yes: string | undefined, no: string,
  { detail, className = "act" }: Question = {},
): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.className = "ask";
  dialog.ariaLabel = question;
  patch(dialog, [h("form", { method: "dialog" },
    h("p", { class: "display" }, question),
    detail !== undefined && h("p", { class: "soft" }, detail),
    h("div", { class: "actions" },
      h("button", { type: "submit", value: "", autofocus: true }, no),
      yes !== undefined && h("button", { type: "submit", class: className, value: "yes" }, yes)))]);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
