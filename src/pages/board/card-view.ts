/** Draws a card: an order alone, or those of a group that are in one column. */

import { type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import type { Order } from "../shared/types.ts";
import { clockText, number, t } from "../shared/words.ts";
import { closeBar, moreButton } from "./bar.ts";
import {
  ageMs, type Card, type Group, hasOneButton, isKept, isNew, isOverInAll, isSending, latenessOf,
  movable, type Part, stillMade,
} from "./cards.ts";
import { contentsOf, notesOf, noteView, tag } from "./contents.ts";
import { markSeen, moveOrders } from "./moves.ts";
import { canAct, type State } from "./state.ts";
import { type Way, ways } from "./ways.ts";

/** Every card begins alike: head, buttons, a group's count, note. */
export function cardView(state: State, card: Card): View {
  const { key, parts, group, note, guard } = card;
  const [alone] = parts as [Part];
  const lateness = latenessOf(card, state.now);
  const isCancelled = !parts.some(isKept);
  const look = classes("card", lateness > 0 && `late-${lateness}`,
    isNew(card, state.now) && "is-new", group !== undefined && "group",
    parts.every(isSending) && "is-sending", isCancelled && "is-gone",
    state.bar?.type === "card" && state.bar.key === key && "is-open");
  return h("li", { key, class: look, guard, onclick: readCard(state, parts) },
    h("article", {},
      h("header", {}, titleOf(card), h("p", { class: "when" }, ...clocks(state, card))),
      ...group === undefined
        ? [partWays(state, card, alone), ...notesOf(alone, ""), contentsOf(state.menu, alone)]
        : [hasOneButton(card) && !isCancelled && groupWay(state, card), countLine(card, group),
          noteView(note, "same"), ...parts.map((part) => partView(state, card, part))],
      // Last, so that the focus of who works through a column goes to the main button.
      !isCancelled
        && moreButton(state, { type: "card", key, stage: card.stage, picked: "" }, card.name)));
}

function ordersOf(parts: readonly Part[]): readonly Order[] {
  return parts.map(({ order }) => order);
}

/** A press anywhere on a card says that somebody has seen what was changed. */
function readCard(state: State, parts: readonly Part[]): (() => void) | false {
  const isChanged = parts.some(({ mark }) => mark?.type === "changed");
  return isChanged && canAct(state) && (() => { markSeen(ordersOf(parts), "changed"); });
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
function countLine({ stage, parts }: Card, group: Group): Child {
  const kept = parts.filter(isKept).length;
  const { isOneByOne, needsAll } = ways[stage];
  return kept > 0 && h("p", { class: "counts" }, isOneByOne || needsAll
    ? t("{count} of {total} ready", { count: group.ready, total: group.count })
    : t("{count} pizzas", { count: kept }));
}

function partView(state: State, card: Card, part: Part): View {
  return h("div", {
    key: part.order.id,
    class: classes("part", isSending(part) && "is-sending", !isKept(part) && "is-gone"),
  },
    (!hasOneButton(card) || !isKept(part)) && partWays(state, card, part),
    ...notesOf(part, card.note), contentsOf(state.menu, part));
}

/** The one button of a group. */
function groupWay(state: State, card: Card): Child {
  const { parts, stage, name } = card;
  const [way] = ways[stage].onCard;
  if (way === undefined) return undefined;
  const waiting = stillMade(card);
  const moving = movable(card);
  const isSent = moving.length === 0;
  const count = isSent ? parts.filter(isKept).length : moving.length;
  const label = count < 2 ? way.label : ways[stage].labelForAll(count);
  return h("div", { class: "ways all" },
    waiting > 0 ? h("p", {}, t("{count} still being made", { count: waiting }))
      : wayButton(state, { ...way, label }, ordersOf(moving), name, isSent, mainLook(card)));
}

/** The buttons of one order. One that was cancelled elsewhere has OK. */
function partWays(state: State, card: Card, part: Part): Child {
  const { name, stage } = card;
  const { order, number: partNumber } = part;
  const about = partNumber === 0 ? name
    : `${name} · ${t("Pizza {number}", { number: partNumber })}`;
  if (!isKept(part)) {
    const seen = canAct(state) && (() => { markSeen([order], "cancelled"); });
    return h("div", { class: "ways" },
      h("button", { onclick: seen }, t("OK"), unseen(` ${about}`)));
  }
  return h("div", { class: "ways" }, ...ways[stage].onCard.map((way, index) =>
    wayButton(state, way, [order], about, isSending(part), index > 0 ? "" : mainLook(card))));
}

function mainLook({ stage }: Card): string {
  return ways[stage].isWaiting ? "go main" : "main";
}

/** `isSent`: it is on its way to the shop. */
function wayButton(
  state: State, { to, label }: Way, orders: readonly Order[], about: string, isSent: boolean,
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
  const { stage, since, placedAt, parts: [alone], group } = card;
  const mark = group === undefined ? alone?.mark : undefined;
  if (mark?.type === "cancelled") return [tag(t("Cancelled")), timeView(mark.notedAt)];
  const lateness = latenessOf(card, now);
  const age = ageText(since, now, (minutes) => t("{minutes} min", { minutes }));
  const first = isNew(card, now) ? tag(t("New"))
    : h("b", { class: "age" }, lateness === 2 && "! ", age,
      lateness > 0 && unseen(` ${t("late")}`));
  if (mark?.type === "changed") return [first, tag(t("Changed"), "changed")];
  if (ways[stage].isWaiting) return [first, timeView(placedAt)];
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
