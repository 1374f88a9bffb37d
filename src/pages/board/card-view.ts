/** Draws a card: an order alone, or those of a group that are in one column. */

import { type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import type { Order } from "../shared/types.ts";
import { clockText, number, t } from "../shared/words.ts";
import { closeBar, moreButton } from "./bar.ts";
import {
  ageMs, type Card, type Group, hasOneButton, isKept, isNew, isOverInAll, isSending, latenessOf,
  movable, type CardOrder, stillMade,
} from "./cards.ts";
import { contentsOf, notesOf, noteView, tag } from "./contents.ts";
import { markSeen, moveOrders } from "./moves.ts";
import { canAct, type State } from "./state.ts";
import { type Move, statuses } from "./statuses.ts";

/** Every card begins alike: head, buttons, a group's count, note. */
export function cardView(state: State, card: Card): View {
  const { key, cardOrders, group, note, guard } = card;
  const [alone] = cardOrders as [CardOrder];
  const lateness = latenessOf(card, state.now);
  const isCancelled = !cardOrders.some(isKept);
  const look = classes("card", lateness > 0 && `late-${lateness}`,
    isNew(card, state.now) && "is-new", group !== undefined && "group",
    cardOrders.every(isSending) && "is-sending", isCancelled && "is-gone",
    state.bar?.type === "card" && state.bar.key === key && "is-open");
  return h("li", { key, class: look, guard, onclick: readCard(state, cardOrders) },
    h("article", {},
      h("header", {}, titleOf(card), h("p", { class: "when" }, ...clocks(state, card))),
      ...group === undefined
        ? [orderMoves(state, card, alone), ...notesOf(alone, ""), contentsOf(state.menu, alone)]
        : [hasOneButton(card) && !isCancelled && groupMove(state, card), countLine(card, group),
          noteView(note, "same"),
          ...cardOrders.map((cardOrder) => orderView(state, card, cardOrder))],
      // Last, so that the focus of who works through a column goes to the main button.
      !isCancelled
        && moreButton(state, { type: "card", key, status: card.status, picked: "" }, card.name)));
}

function ordersOf(cardOrders: readonly CardOrder[]): readonly Order[] {
  return cardOrders.map(({ order }) => order);
}

/** A press anywhere on a card says that somebody has seen what was changed. */
function readCard(state: State, cardOrders: readonly CardOrder[]): (() => void) | false {
  const isChanged = cardOrders.some(({ mark }) => mark?.type === "changed");
  return isChanged && canAct(state) && (() => { markSeen(ordersOf(cardOrders), "changed"); });
}

/** A table's name has the number below it, where every head has room. */
function titleOf({ name, number: text }: Card): View {
  const look = classes("title", (text !== "" || name.length > 7) && "named",
    name.length > 14 && "long");
  return h("div", { class: look },
    h("h3", {}, unseen(`${t("Order")} `), h("bdi", {}, name)),
    text !== "" && h("p", { class: "number" }, h("bdi", {}, text)));
}

/** How many pizzas; while some may not be ready, how many of them are. */
function countLine({ status, cardOrders }: Card, group: Group): Child {
  const kept = cardOrders.filter(isKept).length;
  const { isOneByOne, needsAll } = statuses[status];
  return kept > 0 && h("p", { class: "counts" }, isOneByOne || needsAll
    ? t("{count} of {total} ready", { count: group.ready, total: group.count })
    : t("{count} pizzas", { count: kept }));
}

function orderView(state: State, card: Card, cardOrder: CardOrder): View {
  return h("div", {
    key: cardOrder.order.id,
    class: classes("order", isSending(cardOrder) && "is-sending", !isKept(cardOrder) && "is-gone"),
  },
    (!hasOneButton(card) || !isKept(cardOrder)) && orderMoves(state, card, cardOrder),
    ...notesOf(cardOrder, card.note), contentsOf(state.menu, cardOrder));
}

/** The one button of a group. */
function groupMove(state: State, card: Card): Child {
  const { cardOrders, status, name } = card;
  const [move] = statuses[status].onCard;
  if (move === undefined) return undefined;
  const waiting = stillMade(card);
  const moving = movable(card);
  const isSent = moving.length === 0;
  const count = isSent ? cardOrders.filter(isKept).length : moving.length;
  const label = count < 2 ? move.label : statuses[status].labelForAll(count);
  return h("div", { class: "moves all" },
    waiting > 0 ? h("p", {}, t("{count} still being made", { count: waiting }))
      : moveButton(state, { ...move, label }, ordersOf(moving), name, isSent, mainLook(card)));
}

/** The buttons of one order. One that was cancelled elsewhere has OK. */
function orderMoves(state: State, card: Card, cardOrder: CardOrder): Child {
  const { name, status } = card;
  const { order, index } = cardOrder;
  const about = index === 0 ? name
    : `${name} · ${t("Pizza {number}", { number: index })}`;
  if (!isKept(cardOrder)) {
    const seen = canAct(state) && (() => { markSeen([order], "cancelled"); });
    return h("div", { class: "moves" },
      h("button", { onclick: seen }, t("OK"), unseen(` ${about}`)));
  }
  return h("div", { class: "moves" }, ...statuses[status].onCard.map((move, rank) =>
    moveButton(state, move, [order], about, isSending(cardOrder),
      rank > 0 ? "" : mainLook(card))));
}

function mainLook({ status }: Card): string {
  return statuses[status].isWaiting ? "go main" : "main";
}

/** `isSent`: it is on its way to the shop. */
function moveButton(
  state: State, { to, label }: Move, orders: readonly Order[], about: string, isSent: boolean,
  look: string,
): View {
  const press = (): void => {
    closeBar();
    void moveOrders(orders, to);
  };
  return h("button", { key: to, class: look, onclick: !isSent && canAct(state) && press },
    isSent ? t("{action}…", { action: label }) : label, unseen(` ${about}`));
}

function clocks({ now }: State, card: Card): readonly Child[] {
  const { status, since, placedAt, cardOrders: [alone], group } = card;
  const mark = group === undefined ? alone?.mark : undefined;
  if (mark?.type === "cancelled") return [tag(t("Cancelled")), timeView(mark.notedAt)];
  const lateness = latenessOf(card, now);
  const age = ageText(since, now, (minutes) => t("{minutes} min", { minutes }));
  const first = isNew(card, now) ? tag(t("New"))
    : h("b", { class: "age" }, lateness === 2 && "! ", age,
      lateness > 0 && unseen(` ${t("late")}`));
  if (mark?.type === "changed") return [first, tag(t("Changed"), "changed")];
  if (statuses[status].isWaiting) return [first, timeView(placedAt)];
  return [first, h("span", { class: classes("total", isOverInAll(card, now) && "over") },
    t("{time} total", { time: ageText(placedAt, now, number) }))];
}

function timeView(moment: string | number): View {
  return h("time", { datetime: new Date(moment).toISOString() }, clockText(moment));
}

const mostMinutes = 180;

/** Minutes, and after three hours hours: "71 min", "3 h". */
function ageText(since: string, now: number, inMinutes: (minutes: number) => string): string {
  const minutes = Math.floor(ageMs(since, now) / 60_000);
  return minutes <= mostMinutes ? inMinutes(minutes)
    : t("{hours} h", { hours: Math.floor(minutes / 60) });
}
