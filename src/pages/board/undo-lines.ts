/** What this device has done, a line each, and the way to undo it for ten seconds. */

import { h, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import type { BoardOrder } from "./cards.ts";
import { canAct, type State } from "./state.ts";
import { set, state } from "./store.ts";

export interface UndoLine {
  readonly key: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
  /** The orders as they were before. One that has left its place there keeps it for the line. */
  readonly before: readonly BoardOrder[];
}

const shownForMs = 10_000;
const maxLines = 3;

const last = { key: 0 };

export function notify(
  text: string, undo?: () => void, before: readonly BoardOrder[] = [],
): void {
  const key = last.key += 1;
  set({ undoLines: [...state().undoLines, { key, text, undo, before }].slice(-maxLines) });
  setTimeout(() => { drop(key); }, shownForMs);
}

function drop(key: number): void {
  set({ undoLines: state().undoLines.filter((line) => line.key !== key) });
}

/** Stands in the place that it holds, or below the lists. */
export function undoLineView(state: State, { key, text, undo }: UndoLine): View {
  const press = (): void => {
    drop(key);
    undo?.();
  };
  return h("div", { key: `undo ${key}`, class: "undo", pressKey: `${key}` },
    h("p", {}, text),
    undo && h("button", { class: "plain", onclick: canAct(state) && press }, t("Undo")));
}

/** Lines that hold no place in sight. */
export function undoLinesView(state: State, lines: readonly UndoLine[]): View {
  return h("div", {
    key: "undo", class: "undo-lines", pressKey: lines.map(({ key }) => key).join(),
  }, ...lines.map((line) => undoLineView(state, line)),
  state.newBuild !== "" && h("p", { key: "build", class: "undo", role: "status" },
    t("There is a new version of this page. It loads once nothing is open.")));
}
