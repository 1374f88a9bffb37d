/** Actions of this device, and the way to undo each for ten seconds. */

import { button, type Child, classes, h, type View } from "../shared/dom.ts";
import { number, t } from "../shared/words.ts";
import type { Stage } from "./orders.ts";
import { canAct, set, state, type State } from "./state.ts";

const shownForMs = 10_000;

const last = { key: 0 };

/** `stage`: the column that an order has left. Returns the notice's key. */
export function notify(text: string, stage?: Stage, undo?: () => Promise<unknown>): number {
  const key = last.key += 1;
  set({ notices: [...state().notices, { key, text, stage, undo }] });
  setTimeout(() => { dropNotice(key); }, shownForMs);
  return key;
}

function dropNotice(key: number): void {
  const notices = state().notices.filter((one) => one.key !== key);
  const { unfolded } = state();
  const hasMore = notices.filter(({ stage }) => stage === unfolded).length > 1;
  set({ notices, unfolded: hasMore ? unfolded : undefined });
}

export async function undoNotice(key: number): Promise<void> {
  const { undo } = state().notices.find((one) => one.key === key) ?? {};
  dropNotice(key);
  await undo?.();
}

/** One row: the newest, how many came before it, and Undo. `stage`: undefined on other tabs. */
export function undoRow(state: State, stage: Stage | undefined): View {
  const all = state.notices.filter((one) => one.stage === stage).toReversed();
  const [newest, ...others] = all;
  if (newest === undefined) return h("div", { class: "undo none" });
  const isOpen = stage !== undefined && state.unfolded === stage;
  const undo = (one: typeof newest): Child => one.undo !== undefined
    && button("undo", one.key, { "aria-disabled": !canAct(state) && "true" }, t("Undo"));
  return h("div", { class: "undo", "data-guard": newest.key },
    isOpen && h("ol", {}, ...others.map((one) =>
      h("li", { key: one.key }, h("span", {}, one.text), undo(one)))),
    h("p", {}, newest.text),
    others.length > 0 && stage !== undefined && button("unfold", stage, {
      class: classes("earlier", isOpen && "open"), "aria-expanded": String(isOpen),
      "aria-label": t("{count} more to undo", { count: others.length }),
    }, `+${number(others.length)}`),
    undo(newest));
}
