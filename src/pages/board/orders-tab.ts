/** The columns of open orders, and the sums of all items to be made. */

import { isBase } from "../drawing/cheeses.ts";
import { button, type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import type { MenuKind, Reference } from "../shared/types.ts";
import { number, t } from "../shared/words.ts";
import { statusNames } from "./actions.ts";
import { cardView } from "./card-view.ts";
import { type Card, columnsOf, countIn } from "./cards.ts";
import { undoRow } from "./notices.ts";
import { type Stage, stages } from "./orders.ts";
import { canAct, isLive, isReader, type State } from "./state.ts";

export function ordersTab(state: State): View {
  const columns = columnsOf(state);
  const isEmpty = state.hasRead && isLive(state)
    && stages.every((stage) => columns[stage].length === 0);
  return h("main", { key: "orders", id: "orders", class: classes(isEmpty && "empty") },
    sums(state),
    h("div", { class: "fit", style: { "--scale": state.settings.scale } },
      h("div", { class: "columns" },
        ...stages.map((stage) => column(state, stage, columns[stage])))),
    isEmpty && emptyBoard(state));
}

function emptyBoard({ isStaff }: State): View {
  return h("div", { key: "empty", class: "nothing" },
    h("h2", {}, t("No open orders")),
    h("p", {}, t("They come in here by themselves.")),
    isStaff && h("p", {}, t("Print a card for a table, or take one by phone.")),
    isStaff && h("p", { class: "actions" },
      button("table-cards", "", {}, icon("print"), t("Table cards")),
      h("a", { class: "button", href: "./", target: "_blank" }, icon("phone"), t("Phone order"))));
}

/** Counts the items of all orders that are Pending or Preparing. */
function sums(state: State): View {
  const { orders, isSumsOpen, bar, isMuted, settings: { chimes } } = state;
  const toMake = [...orders.values()].filter(({ status }) =>
    status === "Pending" || status === "Preparing");
  const toppings = toMake.flatMap((order) => order.toppings);
  const isBaseItem = ({ name }: Reference): boolean => isBase(name);
  const lists: readonly (readonly [MenuKind | "base", readonly Reference[]])[] = [
    ["pizzasizes", toMake.map(({ pizzaSize }) => pizzaSize)],
    ["toppings", toppings.filter((one) => !isBaseItem(one))],
    ["beverages", toMake.flatMap(({ beverages }) => beverages)],
    // Every pizza has them: they may fade out.
    ["base", toppings.filter(isBaseItem)],
  ];
  const look = classes("sums", isSumsOpen && "open");
  return h("section", { class: look, "aria-labelledby": "to-make", "data-guard": bar?.of },
    button("sums", "", {
      id: "to-make", class: "plain", "aria-expanded": String(isSumsOpen), "aria-controls": "sums",
    }, t("To make"), icon("down")),
    h("div", { id: "sums", tabindex: isSumsOpen && 0 }, ...lists.map(([kind, all]) =>
      h("ul", { key: kind, class: kind }, ...mostFirst(all).map(({ id, name, count }) =>
        h("li", { key: id }, h("b", {}, number(count)), " ", h("bdi", {}, name)))))),
    // Here no button moves when it goes.
    isMuted && chimes && canAct(state) && h("p", { class: "muted" },
      icon("muted"), h("span", {}, t("Tap for sound"))));
}

function mostFirst(references: readonly Reference[]): ReturnType<typeof tally> {
  return tally(references).toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

function column(state: State, stage: Stage, cards: readonly Card[]): View {
  const isChosen = state.chosen === stage;
  // Where two fit, the next one stands beside the chosen one.
  const at = stages.indexOf(state.chosen);
  const isBeside = stages.indexOf(stage) === (at === 3 ? 2 : at + 1);
  const id = `column-${stages.indexOf(stage)}`;
  return h("section", {
    key: stage, "aria-labelledby": id,
    class: classes("column", isChosen && "is-chosen", isBeside && "is-beside"),
  },
    h("div", { class: "column-head", "data-guard": `${stage} ${state.bar?.of}` },
      heading(state, stage, cards, id), belowButton(state, stage)),
    // Where no button of a card takes the focus, the list does, to be scrolled by keyboard.
    h("ol", {
      class: "cards", "data-stage": stage, "aria-labelledby": id,
      tabindex: isReader(state) && 0,
    }, ...cards.map((card) => cardView(state, card))),
    undoRow(state, stage));
}

/** Where all four columns are in sight there is nothing to choose. */
function heading(state: State, stage: Stage, cards: readonly Card[], id: string): View {
  const count = countIn(cards);
  // While orders may be missing, no count says zero.
  const none = !isLive(state) ? "?" : state.hasRead ? number(0) : "…";
  const waits = stage === "Pending" && count > 0 && canAct(state);
  const words = [h("span", { class: "count" }, count > 0 ? number(count) : none),
    h("span", {}, statusNames[stage])];
  return h("h2", { id },
    h("span", { class: "head" }, ...words),
    button("choose", stage, {
      class: classes("plain head", waits && "waits"),
      "aria-pressed": String(state.chosen === stage),
    }, ...words));
}

function belowButton(state: State, stage: Stage): Child {
  const { count = 0, hasNew = false } = state.below[stage] ?? {};
  return count > 0 && button("below", stage, { class: classes("plain below", hasNew && "has-new") },
    h("span", { "aria-hidden": "true" }, `${number(count)} ↓`),
    unseen(t("{count} more below", { count })));
}
