/** The columns of open orders, and what is to be made in all. */

import { button, type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import type { MenuKind, Reference } from "../shared/types.ts";
import { number, t } from "../shared/words.ts";
import { statusNames } from "./actions.ts";
import { cardView } from "./card-view.ts";
import { type Card, columnsOf, countIn } from "./cards.ts";
import { mostFirst } from "./day.ts";
import { undoRow } from "./notices.ts";
import { isBase } from "../shared/toppings.ts";
import { type Stage, stages } from "./orders.ts";
import { canAct, isReader, type State } from "./state.ts";

export function ordersTab(state: State): View {
  const { alone, scale } = state.settings;
  const columns = columnsOf(state);
  return h("main", { key: "orders", id: "orders" },
    sums(state),
    h("div", { class: "fit", style: { "--scale": scale } },
      h("div", { class: classes("columns", alone !== "" && "alone") },
        button("all-columns", "", { class: "all", "data-guard": "" },
          icon("next"), t("All columns")),
        ...stages.map((stage) => column(state, stage, columns[stage])))));
}

/** Counts the items of all orders that are Pending or Preparing. */
function sums({ orders, isSumsOpen }: State): View {
  const toMake = [...orders.values()].filter(({ status }) =>
    status === "Pending" || status === "Preparing");
  const toppings = toMake.flatMap((order) => order.toppings);
  const isBaseItem = ({ id, name }: Reference): boolean => isBase(name ?? id);
  const lists: readonly (readonly [MenuKind | "base", readonly Reference[]])[] = [
    ["pizzasizes", toMake.map(({ pizzaSize }) => pizzaSize)],
    ["toppings", toppings.filter((one) => !isBaseItem(one))],
    ["beverages", toMake.flatMap(({ beverages }) => beverages)],
    // Every pizza has them: they may fade out.
    ["base", toppings.filter(isBaseItem)],
  ];
  const look = classes("sums", isSumsOpen && "open");
  return h("section", { class: look, "aria-labelledby": "to-make" },
    button("sums", "", {
      id: "to-make", "aria-expanded": String(isSumsOpen), "aria-controls": "sums",
    }, t("To make"), icon("down")),
    h("div", { id: "sums", tabindex: isSumsOpen && 0 }, ...lists.map(([kind, all]) =>
      h("ul", { key: kind, class: kind }, ...mostFirst(all).map(([name, count]) =>
        h("li", { key: name }, h("b", {}, number(count)), " ", h("bdi", {}, name)))))));
}

function column(state: State, stage: Stage, cards: readonly Card[]): View {
  const isChosen = state.chosen === stage;
  // Where two fit, the next one stands beside the chosen one.
  const at = stages.indexOf(state.chosen);
  const isBeside = stages.indexOf(stage) === (at === 3 ? 2 : at + 1);
  const id = `column-${stages.indexOf(stage)}`;
  const hasKeys = state.withKeys && canAct(state) && isChosen;
  return h("section", {
    key: stage, "aria-labelledby": id,
    class: classes("column", isChosen && "is-chosen", isBeside && "is-beside"),
  },
    h("div", { class: "column-head", "data-guard": stage }, columnHeading(state, stage, cards, id),
      belowButton(state, stage)),
    // Where no button of a card takes the focus, the list does, to be scrolled by keyboard.
    h("ol", {
      class: "cards", "data-stage": stage, "aria-labelledby": id,
      tabindex: isReader(state) && 0,
    },
      ...cards.map((card, at) => cardView(state, card, hasKeys && at < 9 ? at + 1 : undefined))),
    undoRow(state, stage));
}

function columnHeading(state: State, stage: Stage, cards: readonly Card[], id: string): View {
  const count = countIn(cards);
  // While orders may be missing, no count says zero.
  const none = state.orderReads === "refused" || !state.isSignedIn ? "?"
    : state.orderReads === "loading" ? "…" : number(0);
  const waits = stage === "Pending" && count > 0 && canAct(state);
  return h("h2", {},
    button("choose", stage, {
      id, class: classes("head", waits && "waits"), "aria-pressed": String(state.chosen === stage),
    },
      h("span", { class: "count" }, count > 0 ? number(count) : none),
      h("span", {}, statusNames[stage])));
}

function belowButton(state: State, stage: Stage): Child {
  const { count = 0, hasNew = false, isScrolled = false } = state.below[stage] ?? {};
  const isUsed = count > 0 || isScrolled;
  const arrow = count > 0 ? `${number(count)} ↓` : "↑";
  return button("below", stage, {
    class: classes("below", hasNew && "has-new", !isUsed && "none"),
  },
    h("span", { "aria-hidden": "true" }, arrow),
    unseen(count > 0 ? t("{count} more below", { count }) : t("Back to the top")));
}
