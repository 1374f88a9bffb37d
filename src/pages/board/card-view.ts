/** Draws a card: an order alone, or those of one column that were placed together. */

import { button, type Child, classes, h, unseen, type View } from "../shared/dom.ts";
import { clockText, number, t } from "../shared/words.ts";
import { actions, labelForAll } from "./actions.ts";
import { moreButton } from "./bar.ts";
import {
  ageMs, type Card, hasOneButton, isNew, isOver, isThere, latenessOf, mainMove, type Part,
  stillMade,
} from "./cards.ts";
import { contentsOf, noteLine, noteLines, tag } from "./contents.ts";
import type { Mark, Stage } from "./orders.ts";
import { canAct, type State } from "./state.ts";

/** Every card begins alike: head, buttons, count and number, note. */
export function cardView(state: State, card: Card): View {
  const { key, parts, group, note } = card;
  const [only] = parts as [Part];
  const isGone = !parts.some(isThere);
  const lateness = latenessOf(card, state.now);
  const look = classes("card", lateness > 0 && `late-${lateness}`,
    isNew(card, state.now) && "is-new", group !== undefined && "group",
    parts.every(isSending) && "is-sending", isGone && "is-gone",
    state.bar?.of === key && "is-open");
  return h("li", {
    key, class: look, "data-do": "read", "data-of": parts.map(({ order }) => order.id).join(" "),
    "data-order": group === undefined && only.order.id, "data-count": parts.filter(isThere).length,
  },
    h("article", {},
      h("header", {}, titleOf(card),
        h("p", { class: "when" },
          ...clocks(state, card, group === undefined ? only.mark : undefined))),
      ...group === undefined
        ? [partButtons(state, card, only), told(card), ...noteLines(only),
          contentsOf(state.menu, card, only)]
        : [hasOneButton(card) && !isGone && allButton(state, card), told(card), noteLine(note),
          ...parts.map((part) => partView(state, card, part))],
      // Last, so that the focus of who works through a column goes to the main button.
      !isGone && moreButton(key, card.name, state)));
}

function isSending({ mark }: Part): boolean {
  return mark?.type === "sending";
}

function titleOf({ name, number: text }: Card): View {
  return h("h3", { class: classes((text !== "" || name.length > 7) && "named",
    name.length > 14 && "long") }, unseen(`${t("Order")} `), h("bdi", {}, name));
}

/** The count of pizzas, or how many of them are ready, and the number below a table's name. */
function told({ stage, group, parts, number: text }: Card): Child {
  const there = parts.filter(isThere).length;
  const count = group === undefined || there === 0 ? undefined
    : stage === "Preparing" || stage === "Ready"
      ? t("{count} of {total} ready", { count: group.ready, total: group.count })
      : t("{count} pizzas", { count: there });
  return (count !== undefined || text !== "") && h("p", { class: "told" },
    count !== undefined && h("b", {}, count), " ",
    text !== "" && h("bdi", { class: "number" }, text));
}

function partView(state: State, card: Card, part: Part): View {
  return h("div", {
    key: part.order.id, "data-order": part.order.id,
    class: classes("part", isSending(part) && "is-sending", !isThere(part) && "is-gone"),
  },
    (!hasOneButton(card) || !isThere(part)) && partButtons(state, card, part),
    ...noteLines(part, card.note), contentsOf(state.menu, card, part));
}

function allButton(state: State, card: Card): View {
  const { parts, stage, name } = card;
  const waiting = stillMade(card);
  const [ids, to] = mainMove(card);
  const isSent = ids.length === 0;
  const label = labelForAll(stage, isSent ? parts.filter(isThere).length : ids.length);
  return h("div", { class: "ways all", "data-guard": `${ids.join(" ")} ${waiting}` },
    waiting > 0 ? h("p", {}, t("{count} still being made", { count: waiting }))
      : moveButton(state, `${ids.join(" ")}/${to}`, label, name, isSent, mainLook(stage)));
}

/** A gone order's button says that it was seen. */
function partButtons(state: State, card: Card, part: Part): View {
  const { stage, name, group } = card;
  const { order: { id }, number: of, mark } = part;
  const about = group === undefined ? name : `${name} · ${t("Pizza {number}", { number: of })}`;
  const { main, other } = actions[stage];
  return h("div", { class: "ways", "data-guard": `${id} ${mark?.type ?? ""}` },
    ...mark?.type === "cancelled" ? [button("seen", id, {}, t("OK"), unseen(` ${about}`))]
      : [main, ...other === undefined ? [] : [other]].map(([to, label], index) =>
        moveButton(state, `${id}/${to}`, label, about, isSending(part),
          index > 0 ? "" : mainLook(stage))));
}

function mainLook(stage: Stage): string {
  return stage === "Pending" ? "go main" : "main";
}

/** `isSent`: it is on its way to the shop. */
function moveButton(
  state: State, of: string, label: string, name: string, isSent: boolean, look: string,
): View {
  return button("move", of, {
    class: look, "aria-disabled": (isSent || !canAct(state)) && "true",
  }, isSent ? t("{action}…", { action: label }) : label, unseen(` ${name}`));
}

function clocks(state: State, card: Card, mark: Mark | undefined): readonly Child[] {
  const { now } = state;
  const { stage, since, placedAt } = card;
  if (mark?.type === "cancelled") return [tag(t("Cancelled")), timeView(mark.at)];
  const lateness = latenessOf(card, now);
  const sign = lateness === 3 ? "!! " : lateness === 2 ? "! " : "";
  const first = isNew(card, now) ? tag(t("New"))
    : h("b", { class: "age" }, sign,
      ageText(since, now, (minutes) => t("{minutes} min", { minutes })),
      lateness > 0 && unseen(` ${t("late")}`));
  if (mark?.type === "changed") return [first, tag(t("Changed"), "changed")];
  if (stage === "Pending") return [first, timeView(placedAt)];
  return [first, h("span", { class: classes("total", isOver(card, now) && "over") },
    t("{time} total", { time: ageText(placedAt, now, number) }))];
}

function timeView(moment: string): View {
  return h("time", { datetime: moment }, clockText(moment));
}

const mostMinutes = 180;

/** Minutes, and after three hours hours: "71 min", "3 h". */
function ageText(since: string, now: number, inMinutes: (minutes: number) => string): string {
  const minutes = Math.floor(ageMs(since, now) / 60_000);
  return minutes <= mostMinutes ? inMinutes(minutes)
    : t("{hours} h", { hours: Math.floor(minutes / 60) });
}
