/** Draws orders that are ready, on the way, or wanted later: a row each. */

import { type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { clockText, dayText, joined, numberText, t } from "../shared/words.ts";
import { ageText, isCold, mainMove } from "./cards.ts";
import { dateOf } from "./day.ts";
import { type BoardOrder, isCancelledElsewhere, isSending } from "./known-orders.ts";
import { type List, type Place, sinceOf, spokenTitle } from "./lists.ts";
import { openOrderDialog } from "./order-dialog.ts";
import {
  changedTag, dotted, drinksView, failedText, moreButton, moveButton, okButton, tag, undoLineView,
} from "./parts.ts";
import { canAct, isStaff, type State } from "./state.ts";

type SideList = Exclude<List, "make">;

const headings: Readonly<Record<SideList, string>> = {
  ready: t("Ready"), "on the way": t("On the way"), later: t("Later"),
};

/** Nothing where none is there, but the heading of what is ready. */
export function listSection(
  state: State, list: SideList, places: readonly (readonly [Place, string])[],
): Child {
  if (places.length === 0 && list !== "ready") return undefined;
  const id = `list-${list.replaceAll(" ", "-")}`;
  const count = places.filter(([{ undoLine }]) => undoLine === undefined).length;
  return h("section", { key: list, "aria-labelledby": id },
    h("h2", { id }, headings[list], " ",
      h("span", { class: "soft count" }, state.hasRead ? numberText(count) : "…")),
    h("ol", { class: "stack" }, ...places.map(([place, pressKey]) =>
      orderRow(state, place, list, pressKey))));
}

function orderRow(
  state: State, { order, undoLine }: Place, list: SideList, pressKey: string,
): View {
  const move = list === "later" ? undefined : mainMove(order);
  return h("li", {
    key: order.id, pressKey,
    class: classes("order-row", undoLine !== undefined && "is-left",
      order.stage === "closed" && "is-cancelled",
      move?.pizzas.every(isSending) === true && "is-sending"),
  },
    undoLine && undoLineView(state, undoLine),
    h("article", { class: "wrap", "aria-label": order.title, inert: undoLine !== undefined },
      h("div", { class: "row-text" }, failedText(order.pizzas), rowText(state, order, list),
        drinksView(order.drinks), changedTag(state, order), cancelledView(order)),
      okButton(state, order),
      move === undefined ? list === "later"
        && moreButton(state, spokenTitle(state, order), () => { openOrderDialog(order); })
        : moveButton(state, spokenTitle(state, order), move)));
}

/** A press on the words opens what else can be done. */
function rowText(state: State, order: BoardOrder, list: SideList): View {
  const { name, title, table, number, count, wantedAt = "" } = order;
  const about = [
    list === "ready" ? h("b", { class: classes(isCold(order, state.now) && "late amber") },
      t("ready {age}", { age: ageText(sinceOf(order), state.now) }))
      : list === "on the way"
        ? h("b", {}, t("left {age} ago", { age: ageText(sinceOf(order), state.now) }))
        : h("b", {}, wantedText(wantedAt, state.now)),
    t("{count} pizzas", { count }),
    name !== "" && name !== title && h("bdi", {}, name),
    table === "" && name !== "" && h("bdi", {}, number),
  ];
  const press = {
    "aria-haspopup": "dialog", onclick: canAct(state) && (() => { openOrderDialog(order); }),
  };
  const isCancelled = order.stage === "closed";
  const opens = isStaff(state) && !isCancelled;
  return h(opens ? "button" : "div", {
    key: "words", class: "plain row-button row-text-button", ...opens && press,
  },
    h("span", { class: "display" }, unseen(`${t("Order")} `),
      h("bdi", {}, title)), " ",
    !isCancelled && h("span", { class: "soft" }, ...dotted(...about)));
}

/** "19:30", or "tomorrow, 19:30". */
function wantedText(wantedAt: string, now: number): string {
  const moment = new Date(wantedAt);
  const tomorrow = new Date(now);
  tomorrow.setDate(tomorrow.getDate() + 1);
  const date = dateOf(wantedAt);
  const day = date === dateOf(now) ? "" : date === dateOf(tomorrow.toISOString())
    ? t("tomorrow") : dayText(moment);
  return joined(day, clockText(wantedAt));
}

function cancelledView({ pizzas }: BoardOrder): Child {
  const cancelled = pizzas.filter(isCancelledElsewhere).map(pizzaTitle);
  return cancelled.length > 0 && h("p", { key: "cancelled" }, ...dotted(...cancelled.map((title) =>
    h("s", {}, h("bdi", {}, title)))), " ", tag(t("Cancelled")));
}
