/** Small parts that several views of the board show: tags, buttons, notes, drinks. */

import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { type CountedItem, tally } from "../shared/menu.ts";
import type { Reference } from "../shared/types.ts";
import { comma, numberText, t } from "../shared/words.ts";
import type { Lateness, Move } from "./cards.ts";
import {
  type BoardOrder, type CardPart, isCancelledElsewhere, isChanged, isSending, type Pizza,
} from "./known-orders.ts";
import { moveOrders } from "./moves.ts";
import { forgetCancelled, markSeen } from "./order-writes.ts";
import { canAct, isStaff, type State, type UndoLine } from "./state.ts";
import { dropUndoLine } from "./store.ts";

export function tag(text: string, className = "ink"): View {
  return h("b", { class: `tag ${className}` }, text);
}

/** An age or a time. A late one stands out by its color, and is said to be late. */
export function clockView(text: string, lateness: Lateness): View {
  const color = lateness > 0 && (lateness === 1 ? "late amber" : "late red");
  return h("b", { class: classes("clock", color) }, text,
    lateness > 0 && unseen(`${comma}${t("late")}`));
}

/** Parts of a line, with a dot between them. A line breaks behind a dot, not within a part. */
export function dotted(...parts: readonly Child[]): readonly Child[] {
  const shown = parts.filter((part) => part !== undefined && part !== false && part !== "");
  return shown.flatMap((part, index) => [
    index > 0 && " ", h("span", { class: "part" }, part, index < shown.length - 1 && "\u00a0·"),
  ]);
}

/** Where a press on one of these pizzas could not be sent. */
export function failedText(pizzas: readonly Pizza[]): Child {
  return pizzas.some(({ mark }) => mark?.type === "failed")
    && h("p", { key: "failed", class: "not-sent tint strong", role: "alert" },
      t("Not sent. Press again."));
}

/** `⋯`, which opens what else can be done with what has that name. */
export function moreButton(state: State, name: string, open: () => void): Child {
  return canAct(state) && h("button", {
    key: "more", class: "plain tight more-button", "aria-label": t("More for {name}", { name }),
    "aria-haspopup": "dialog", onclick: open,
  }, "⋯");
}

/** In the place of a list that is empty: why, and what can be done. */
export function nothingView(
  title: string, sentences: readonly string[], ...buttons: readonly Child[]
): View {
  return h("div", { key: title, class: "stack empty-list" },
    title !== "" && h("h2", { class: "large" }, title),
    ...sentences.map((sentence) => h("p", {}, sentence)),
    h("p", { class: "actions" }, ...buttons));
}

/** A press of this device, and its undo: in the place that it holds, or below the lists. */
export function undoLineView(state: State, { key, text, undo }: UndoLine): View {
  const press = (): void => {
    dropUndoLine(key);
    undo?.();
  };
  return h("div", { key: `undo ${key}`, class: "undo spread dark", pressKey: `${key}` },
    h("p", {}, text),
    undo && h("button", { class: "plain strong", onclick: canAct(state) && press }, t("Undo")));
}

export function noteView(note: string): Child {
  return note !== "" && h("p", { key: "note", class: "note" }, icon("note"), h("bdi", {}, note));
}

export function withCommas(texts: readonly string[]): readonly Child[] {
  return texts.flatMap((text, index) => [index > 0 && comma, h("bdi", {}, text)]);
}

/** "4 Margherita", an element of a list each. */
export function countedViews(items: readonly CountedItem[]): readonly View[] {
  return items.map(({ id, name, count }) => h("li", { key: id },
    h("b", { class: "display" }, numberText(count)), " ", h("bdi", {}, name)));
}

/** The drinks of the whole order. */
export function drinksView(drinks: readonly Reference[]): Child {
  return drinks.length > 0 && h("p", { key: "drinks", class: "drinks" },
    ...withCommas(tally(drinks).map(({ name, count }) =>
      count > 1 ? `${numberText(count)} ${name}` : name)));
}

/** "1 of 2", where several have that title. */
export function positionText(titles: readonly string[], index: number): readonly Child[] {
  const same = titles.flatMap((title, position) => title === titles[index] ? [position] : []);
  const [number, total] = [same.indexOf(index) + 1, same.length];
  return total < 2 ? []
    : [" ", h("span", { class: "soft" }, t("{number} of {total}", { number, total }))];
}

/** A press on it says that somebody has seen the new table or name. */
export function changedTag(state: State, { pizzas }: BoardOrder): Child {
  const changed = pizzas.filter((pizza) => isChanged(pizza, "head"));
  const [first] = changed;
  if (first?.mark?.type !== "changed") return undefined;
  const { table: before } = first.mark.before;
  const text = before !== undefined && before !== first.table
    ? t("was {table}", { table: before }) : t("Changed");
  return seenButton(state, changed, "head", text);
}

export function seenButton(
  state: State, pizzas: readonly Pizza[], part: CardPart, text: string,
): View {
  if (!isStaff(state)) return tag(text, "amber changed");
  return h("button", {
    key: "changed", class: "plain tight seen-button", onclick: canAct(state) && (() => {
      markSeen(pizzas, part);
    }),
  }, tag(text, "amber changed"));
}

/** For all of an order that others have cancelled. */
export function okButton(state: State, { pizzas, title }: BoardOrder): Child {
  const cancelled = pizzas.filter(isCancelledElsewhere);
  return cancelled.length > 0 && h("button", {
    key: "ok", onclick: canAct(state) && (() => { forgetCancelled(cancelled); }),
  }, t("OK"), unseen(` ${title}`));
}

/** Moves pizzas of the order or the table with that name. Says at once that it was pressed. */
export function moveButton(
  state: State, name: string, { pizzas, to, label }: Move, isGreen = false,
): View {
  const idle = pizzas.filter((pizza) => !isSending(pizza));
  const press = (): void => { void moveOrders(idle, to); };
  return h("button", {
    key: "move", class: classes("move-button", isGreen && "go"),
    pressKey: `${to} ${pizzas.map(({ id }) => id).join()}`,
    onclick: idle.length > 0 && canAct(state) && press,
  }, idle.length === 0 ? t("{action}…", { action: label }) : label, unseen(` ${name}`));
}
