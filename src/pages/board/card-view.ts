/** Draws a card: an order alone, or those of a group that are in one column. */

import { type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { clockText, numberText, t } from "../shared/words.ts";
import { openCardActions } from "./card-actions.ts";
import {
  ageMs, type Card, type CardOrder, hasOneButton, isChanged, isKept, isLateInTotal, isNew,
  isSending, labelFor, latenessOf, movableOrders, movesOn, notReadyCount, ordersOn, type Row,
} from "./cards.ts";
import { changedTag, drinksView, pizzaView, rowNote, tag } from "./contents.ts";
import { markSeen, moveOrders } from "./moves.ts";
import { canAct, type State } from "./state.ts";
import { type Move, statuses } from "./statuses.ts";

/** Every card begins alike: head, buttons, who has ordered. */
export function cardView(state: State, card: Card, guard: number): View {
  const { key, rows, group } = card;
  const { dialog, menu, now } = state;
  const [first] = rows as [Row];
  const orders = ordersOn(card);
  const lateness = latenessOf(card, now);
  const isCancelled = !orders.some(isKept);
  const className = classes("card",
    lateness > 0 && `late-${lateness}`, isNew(card, now) && "is-new",
    group !== undefined && "group", orders.every(isSending) && "is-sending",
    isCancelled && "is-gone", dialog?.type === "card" && dialog.key === key && "is-open");
  const drinks = drinksView(menu, (isCancelled ? orders : orders.filter(isKept))
    .map(({ order }) => order));
  return h("li", {
    key, class: className, pressKey: `${guard}`, onclick: markCardSeen(state, card),
  },
    h("article", {},
      header(state, card),
      group === undefined ? rowMoves(state, card, first)
        : hasOneButton(card) && !isCancelled && groupMove(state, card),
      ...whoOrdered(card),
      ...group === undefined ? rowContents(state, card, first)
        : rows.map((row) => rowView(state, card, row)),
      drinks,
      // Last, so that the focus of who works through a column goes to the main button.
      !isCancelled && moreButton(state, card)));
}

/** A press anywhere on a card says that somebody has seen what was changed. */
function markCardSeen(state: State, card: Card): (() => void) | false {
  const changed = ordersOn(card).filter(({ mark }) => mark?.type === "changed")
    .map(({ order }) => order);
  return changed.length > 0 && canAct(state) && (() => { markSeen(changed, "changed"); });
}

function moreButton(state: State, card: Card): Child {
  return canAct(state) && h("button", {
    key: "more", class: "plain more", "aria-label": t("More for {name}", { name: card.title }),
    "aria-haspopup": "dialog", onclick: () => { openCardActions(card); },
  }, "⋯");
}

function header(state: State, card: Card): View {
  const { title, number } = card;
  const isChangedTable = isChanged(ordersOn(card), "table");
  return h("header", {},
    h("h3", { class: classes(number !== "" && "named", title.length > 14 && "long") },
      unseen(`${t("Order")} `), h("bdi", {}, title)),
    isChangedTable && tag(t("Changed"), "changed"),
    h("p", { class: "when" }, ...clocks(state, card)));
}

/** Who has ordered, the number below a table, and how much of a group is ready. */
function whoOrdered(card: Card): readonly Child[] {
  const { name, number } = card;
  const isChangedName = isChanged(ordersOn(card), "name");
  const counts = [number !== "" && h("bdi", {}, number), groupText(card)]
    .filter((count) => count !== false);
  return [
    (name !== "" || isChangedName)
      && h("p", { key: "name", class: "name" }, h("bdi", {}, name), ...changedTag(isChangedName)),
    counts.length > 0 && h("p", { key: "counts", class: "counts" },
      ...counts.flatMap((count, index) => index > 0 ? [" · ", count] : [count])),
  ];
}

/** How many pizzas; while some may not be ready, how many of them are. */
function groupText(card: Card): string | false {
  const { group, status } = card;
  const kept = ordersOn(card).filter(isKept).length;
  if (group === undefined || kept === 0) return false;
  const { isOneByOne, needsAll } = statuses[status];
  return isOneByOne || needsAll
    ? t("{count} of {total} ready", { count: group.ready, total: group.count })
    : t("{count} pizzas", { count: kept });
}

function rowView(state: State, card: Card, row: Row): View {
  const [{ order }] = row;
  return h("div", {
    key: order.id,
    class: classes("order", row.every(isSending) && "is-sending",
      !row.some(isKept) && "is-gone"),
  },
    (!hasOneButton(card) || !row.some(isKept)) && rowMoves(state, card, row),
    // Where several people have ordered.
    card.name === "" && order.name !== undefined
      && h("p", { key: "name", class: "name" }, h("bdi", {}, order.name)),
    ...rowContents(state, card, row));
}

function rowContents(state: State, card: Card, row: Row): readonly Child[] {
  return [rowNote(row), pizzaView(state.menu, row, card.group !== undefined)];
}

/** The one button of a group. */
function groupMove(state: State, card: Card): Child {
  const [move] = movesOn(card);
  if (move === undefined) return undefined;
  const waiting = notReadyCount(card);
  return h("div", { class: "moves all" },
    waiting > 0 ? h("p", {}, t("{count} still being made", { count: waiting }))
      : moveButton(state, move, ordersOn(card).filter(isKept), card.title, mainLook(card)));
}

/** The buttons of one row. One that was cancelled elsewhere has OK. */
function rowMoves(state: State, card: Card, row: Row): Child {
  const [{ order }] = row;
  const about = card.group === undefined ? card.title : `${card.title} · ${pizzaTitle(order)}`;
  if (!row.some(isKept)) {
    const orders = row.map((cardOrder) => cardOrder.order);
    const seen = canAct(state) && (() => { markSeen(orders, "cancelled"); });
    return h("div", { class: "moves" },
      h("button", { onclick: seen }, t("OK"), unseen(` ${about}`)));
  }
  return h("div", { class: "moves" }, ...movesOn(card).map((move, rank) =>
    moveButton(state, move, row, about, rank > 0 ? "" : mainLook(card))));
}

function mainLook({ status }: Card): string {
  return statuses[status].isWaiting ? "go main" : "main";
}

function moveButton(
  state: State, move: Move, all: readonly CardOrder[], about: string, className: string,
): View {
  const orders = movableOrders(all);
  const isSent = orders.length === 0;
  const label = labelFor(move, isSent ? all.length : orders.length);
  const press = (): void => { void moveOrders(orders, move.to); };
  return h("button", { key: move.to, class: className, onclick: !isSent && canAct(state) && press },
    isSent ? t("{action}…", { action: label }) : label, unseen(` ${about}`));
}

function clocks({ now }: State, card: Card): readonly Child[] {
  const { status, since, placedAt, rows: [[alone] = []], group } = card;
  const mark = group === undefined ? alone?.mark : undefined;
  if (mark?.type === "cancelled") return [tag(t("Cancelled")), timeView(mark.notedAt)];
  const lateness = latenessOf(card, now);
  const age = ageText(since, now, (minutes) => t("{minutes} min", { minutes }));
  const first = isNew(card, now) ? tag(t("New"))
    : h("b", { class: "age" }, lateness === 2 && "! ", age,
      lateness > 0 && unseen(` ${t("late")}`));
  if (statuses[status].isWaiting) return [first, timeView(placedAt)];
  return [first, isLateInTotal(card, now) && h("span", { class: "over" },
    t("{time} total", { time: ageText(placedAt, now, numberText) }))];
}

function timeView(moment: string | number): View {
  return h("time", { datetime: new Date(moment).toISOString() }, clockText(moment));
}

const maxMinutes = 180;

/** Minutes, and after three hours hours: "71 min", "3 h". */
function ageText(since: string, now: number, inMinutes: (minutes: number) => string): string {
  const minutes = Math.floor(ageMs(since, now) / 60_000);
  return minutes <= maxMinutes ? inMinutes(minutes)
    : t("{hours} h", { hours: Math.floor(minutes / 60) });
}
