/** Small parts that several lists of the board show. */

import { type Child, h, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import type { Pizza } from "./known-orders.ts";
import { canAct, type State, type UndoLine } from "./state.ts";
import { dropLine } from "./store.ts";

export function tag(text: string, className = "ink"): View {
  return h("b", { class: `tag ${className}` }, text);
}

/** Parts of a line, with a dot between them. */
export function dotted(...parts: readonly Child[]): readonly Child[] {
  return parts.filter((part) => part !== undefined && part !== false && part !== "")
    .flatMap((part, index) => [index > 0 && " · ", part]);
}

/** Where a press on one of these pizzas could not be sent. */
export function failedText(pizzas: readonly Pizza[]): Child {
  return pizzas.some(({ mark }) => mark?.type === "failed")
    && h("p", { key: "failed", class: "failed tint strong", role: "alert" },
      t("Not sent. Press again."));
}

/** `⋯`, which opens what else can be done with what has that name. */
export function moreButton(state: State, name: string, open: () => void): Child {
  return canAct(state) && h("button", {
    key: "more", class: "plain tight more", "aria-label": t("More for {name}", { name }),
    "aria-haspopup": "dialog", onclick: open,
  }, "⋯");
}

/** In the place of a list that is empty: why, and what can be done. */
export function nothingView(
  title: string, sentences: readonly string[], ...buttons: readonly Child[]
): View {
  return h("div", { key: title, class: "stack nothing" },
    title !== "" && h("h2", { class: "large" }, title),
    ...sentences.map((sentence) => h("p", {}, sentence)),
    h("p", { class: "actions" }, ...buttons));
}

/** A press of this device, and its undo: in the place that it holds, or below the lists. */
export function undoLineView(state: State, { key, text, undo }: UndoLine): View {
  const press = (): void => {
    dropLine(key);
    undo?.();
  };
  return h("div", { key: `undo ${key}`, class: "undo spread dark", pressKey: `${key}` },
    h("p", {}, text),
    undo && h("button", { class: "plain strong", onclick: canAct(state) && press }, t("Undo")));
}
