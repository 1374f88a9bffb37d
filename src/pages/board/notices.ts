/** Actions of this device, and the way to undo each for ten seconds. */

import { button, h, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import type { Stage } from "./orders.ts";
import { canAct, set, state, type State } from "./state.ts";

const shownForMs = 10_000;

const last = { key: 0 };

/** `stage`: the column that an order has left. */
export function notify(text: string, stage?: Stage, undo?: () => Promise<unknown>): void {
  const key = last.key += 1;
  set({ notices: [...state().notices, { key, text, stage, undo }] });
  setTimeout(() => { dropNotice(key); }, shownForMs);
}

function dropNotice(key: number): void {
  set({ notices: state().notices.filter((one) => one.key !== key) });
}

export function undoNotice(key: number): void {
  const { undo } = state().notices.find((one) => one.key === key) ?? {};
  dropNotice(key);
  void undo?.();
}

/** One row: the newest, and Undo. `stage`: undefined on other tabs. */
export function undoRow(state: State, stage: Stage | undefined): View {
  const newest = state.notices.findLast((one) => one.stage === stage);
  if (newest === undefined) return h("div", { class: "undo none" });
  return h("div", { class: "undo", "data-guard": newest.key },
    h("p", {}, newest.text),
    newest.undo !== undefined && button("undo", newest.key, {
      class: "plain", "aria-disabled": !canAct(state) && "true",
    }, t("Undo")));
}
