/**
 * The bar that `⋯` opens, for a card or a row of the menu. It lies in the space above the columns,
 * so it covers no card and moves nothing. Its last action, which takes something away, stands
 * apart.
 */

import { type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { cardBar } from "./card-bar.ts";
import type { Columns } from "./cards.ts";
import { focusColumn } from "./sight.ts";
import { canAct, type CardBar, drawNow, type RowBar, set, state, type State } from "./state.ts";

export interface BarContents {
  readonly name: string;
  readonly below: Child;
  readonly actions: readonly View[];
  readonly apart: View;
}

/** Opens the bar, which takes the focus. */
export function moreButton(state: State, bar: CardBar | RowBar, name: string): Child {
  const open = (): void => {
    set({ bar });
    drawNow();
    document.querySelector<HTMLElement>(".bar button")?.focus({ preventScroll: true });
  };
  return canAct(state) && h("button", {
    key: "more", class: "plain more", "aria-label": t("More for {name}", { name }),
    "aria-expanded": String(state.bar?.key === bar.key), onclick: open,
  }, "⋯");
}

/** Nothing where its card has left the column. */
export function barView(state: State, columns: Columns): Child {
  const { bar } = state;
  if (bar === undefined || !canAct(state)) return undefined;
  const contents = bar.type === "card" ? cardBar(columns, bar) : rowBar(bar);
  if (contents === undefined) return undefined;
  const { name, below, actions, apart } = contents;
  return h("section", {
    key: "bar", class: "bar", "aria-label": t("More for {name}", { name }),
    guard: JSON.stringify([bar, name]),
  },
    h("div", {}, h("h2", {}, h("bdi", {}, name)), below),
    h("div", { class: "acts" }, ...actions, h("span", { class: "apart" }, apart)),
    h("button", { class: "plain", "aria-label": t("Close"), onclick: closeBar }, icon("cross")));
}

function rowBar({ name, change, remove }: RowBar): BarContents {
  return {
    name, below: undefined,
    actions: [barAction(t("Change"), name, change)],
    apart: barAction(t("Remove"), name, remove),
  };
}

/** A button of the bar, which closes with the press. */
export function barAction(label: string, about: string, act: () => void): View {
  const press = (): void => {
    closeBar();
    act();
  };
  return h("button", { key: label, onclick: press }, label, unseen(` ${about}`));
}

/** The focus goes back to the button that has opened it. */
export function closeBar(): void {
  if (state().bar === undefined) return;
  const opener = document.querySelector<HTMLElement>(".more[aria-expanded=true]");
  if (document.activeElement?.closest(".bar")) opener?.focus({ preventScroll: true });
  set({ bar: undefined });
}

/** After each draw: a bar whose card has left is closed, and the focus goes to the column. */
export function closeLeftBar(): void {
  const { bar } = state();
  if (bar === undefined || document.querySelector(".bar") !== null) return;
  set({ bar: undefined });
  if (bar.type === "card") focusColumn(bar.status);
}

/** While it is open, a press elsewhere closes it and does nothing else. Escape closes it too. */
export function listenForBar(): void {
  addEventListener("click", (event) => {
    const { target } = event;
    if (document.querySelector(".bar") === null || (target as Element).closest(".bar, dialog")) {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    closeBar();
  }, { capture: true });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") closeBar(); });
}
