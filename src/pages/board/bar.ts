/**
 * The bar that `⋯` opens, for a card or a row of the menu. It lies in the space above the columns,
 * so it covers no card and moves nothing. Its last action, which takes something away, stands
 * apart.
 */

import { type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { cardBar } from "./card-bar.ts";
import type { Columns } from "./cards.ts";
import { itemBar, pizzaBar } from "./menu-bar.ts";
import { focusColumn } from "./sight.ts";
import { type Bar, canAct, set, state, type State } from "./state.ts";

export interface BarContents {
  readonly name: string;
  readonly below: Child;
  readonly actions: readonly View[];
  readonly apart: View;
}

/** Opens the bar. `opened`: what else the press does. */
export function moreButton(
  state: State, bar: Bar, name: string, opened = (): void => undefined,
): Child {
  const press = (): void => {
    set({ bar });
    opened();
  };
  return canAct(state) && h("button", {
    key: "more", class: "plain more", "aria-label": t("More for {name}", { name }),
    "aria-expanded": String(barId(state.bar) === barId(bar)), onclick: press,
  }, "⋯");
}

/** The same for the same card or row. */
export function barId(bar: Bar | undefined): string {
  return JSON.stringify(bar?.type === "card" ? bar.key : bar) ?? "";
}

/** Nothing where its card has left the column, or the row the menu. */
export function barView(state: State, columns: Columns): Child {
  const { bar } = state;
  if (bar === undefined || !canAct(state)) return undefined;
  const contents = bar.type === "card" ? cardBar(columns, bar)
    : bar.type === "item" ? itemBar(state, bar) : pizzaBar(state, bar);
  if (contents === undefined) return undefined;
  const { name, below, actions, apart } = contents;
  return h("section", {
    key: "bar", class: "bar", "aria-label": t("More for {name}", { name }),
    guard: `${JSON.stringify(bar)} ${name}`,
  },
    h("div", {}, h("h2", {}, h("bdi", {}, name)), below),
    h("div", { class: "acts" }, ...actions, h("span", { class: "apart" }, apart)),
    h("button", { class: "plain", "aria-label": t("Close"), onclick: closeBar }, icon("cross")));
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

const focused: { bar: string } = { bar: "" };

/**
 * After each draw: a bar that opens takes the focus; one whose card has left is closed, and the
 * focus goes to the column.
 */
export function showBar(): void {
  const bar = document.querySelector<HTMLElement>(".bar");
  const { bar: shown } = state();
  const opened = barId(shown);
  if (bar === null && shown !== undefined) {
    set({ bar: undefined });
    if (shown.type === "card") focusColumn(shown.stage);
  }
  if (bar !== null && focused.bar !== opened) {
    bar.querySelector("button")?.focus({ preventScroll: true });
  }
  focused.bar = bar === null ? "" : opened;
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
