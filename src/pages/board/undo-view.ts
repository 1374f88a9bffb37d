/** Draws the lines about what this device has done, each with its undo. */

import { h, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { canAct, type State, type UndoLine } from "./state.ts";
import { dropLine } from "./store.ts";

/** Stands in the place that it holds, or below the lists. */
export function undoLineView(state: State, { key, text, undo }: UndoLine): View {
  const press = (): void => {
    dropLine(key);
    undo?.();
  };
  return h("div", { key: `undo ${key}`, class: "undo spread dark", pressKey: `${key}` },
    h("p", {}, text),
    undo && h("button", { class: "plain strong", onclick: canAct(state) && press }, t("Undo")));
}

/** Lines that hold no place in sight. */
export function undoLinesView(state: State, lines: readonly UndoLine[]): View {
  return h("div", {
    key: "undo", class: "undo-lines wrap if-any", pressKey: lines.map(({ key }) => key).join(),
  }, ...lines.map((line) => undoLineView(state, line)),
  state.newBuild !== "" && h("p", { key: "build", class: "undo spread dark", role: "status" },
    t("There is a new version of this page. It loads once nothing is open.")));
}
