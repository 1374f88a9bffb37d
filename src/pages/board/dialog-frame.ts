/** The frame of the large dialogs, and the list of actions in some of them. */

import { type Child, h, icon, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { closeDialog } from "./store.ts";

interface Frame {
  readonly name: string;
  readonly title: string;
  /** Leads to the dialog before. */
  readonly back?: () => void;
  /** For a dialog with typed text: asks before it closes. */
  readonly close?: () => void;
}

/** The dialog fills a phone. Only its middle scrolls. */
export function dialogFrame(
  { name, title, back, close = closeDialog }: Frame, middle: readonly Child[],
  foot: readonly Child[] = [],
): View {
  return h("dialog", {
    key: name, class: `form frame ${name}-frame`, "aria-labelledby": "dialog-title",
    onclose: closeDialog, oncancel: close === closeDialog ? undefined : (event: Event) => {
      event.preventDefault();
      close();
    },
  },
    h("header", { class: "line" },
      back !== undefined && h("button", {
        class: "plain tight back-button", "aria-label": t("Back"), onclick: back,
      }, icon("back")),
      h("h2", { id: "dialog-title", class: "grow", tabindex: -1, autofocus: name === "actions" },
        h("bdi", {}, title)),
      h("button", { class: "plain tight", "aria-label": t("Close"), onclick: close },
        icon("cross"))),
    h("div", { class: "dialog-middle" }, ...middle),
    foot.length > 0 && h("footer", { class: "wrap ruled" }, ...foot));
}

export interface Action {
  readonly symbol: string;
  readonly label: string;
  /** More words about it. */
  readonly detail?: string;
  /** False: it cannot be done now. */
  readonly act: (() => void) | false;
  /** The dialog stays open for another press. */
  readonly stays?: boolean;
}

/** A dialog of 28rem: a press on an action closes it, and does that. The last takes away. */
export function actionsDialog(
  title: string, about: readonly Child[], actions: readonly Action[], last: Action,
): View {
  return dialogFrame({ name: "actions", title }, [
    ...about,
    h("ul", { class: "actions-list rows" }, ...actions.map(actionRow)),
    h("ul", { class: "actions-list last" }, actionRow(last)),
  ]);
}

function actionRow({ symbol, label, detail, act, stays = false }: Action): View {
  const press = act && ((): void => {
    if (!stays) closeDialog();
    act();
  });
  return h("li", { key: label, class: symbol },
    h("button", { class: "plain row-button", onclick: press }, icon(symbol),
      h("span", {}, label,
        detail !== undefined && h("span", { class: "soft small" }, " ", detail))));
}

/** A press beside such a dialog closes it: nothing was typed there. */
export function listenBesideDialogs(): void {
  addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.matches("dialog.actions-frame")) closeDialog();
  });
}
