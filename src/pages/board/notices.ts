/** Actions of this device, and the way to undo each for ten seconds. */

import { h, type View } from "../shared/dom.ts";
import type { Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { canAct, type State } from "./state.ts";
import { set, state } from "./store.ts";

const shownForMs = 10_000;

const last = { key: 0 };

/** `column`: the column that an order has left. */
export function notify(text: string, column?: Status, undo?: () => void): void {
  const key = last.key += 1;
  set({ notices: [...state().notices, { key, text, column, undo }] });
  setTimeout(() => { drop(key); }, shownForMs);
}

function drop(key: number): void {
  set({ notices: state().notices.filter((notice) => notice.key !== key) });
}

/** One row: the newest action, and Undo. `column`: undefined on other tabs. */
export function undoRow(state: State, column: Status | undefined): View {
  const newest = state.notices.findLast((notice) => notice.column === column);
  if (newest === undefined) return h("div", { key: "undo", class: "undo none" });
  const { key, text, undo } = newest;
  const press = (): void => {
    drop(key);
    undo?.();
  };
  return h("div", { key: "undo", class: "undo", pressKey: `${key}` },
    h("p", {}, text),
    undo && h("button", { class: "plain", onclick: canAct(state) && press }, t("Undo")));
}
