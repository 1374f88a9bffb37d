/** Draws a card: an order alone, or those of one column that were placed together. */

import { button, type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { lookOfDrink } from "../shared/drinks.ts";
import { isSoldOut, itemOf, type Line, type Menu, tally } from "../shared/menu.ts";
import type { MenuKind, Order, Reference } from "../shared/types.ts";
import { clockText, comma, number, t } from "../shared/words.ts";
import { actions, labelForAll } from "./actions.ts";
import {
  ageMs, type Card, hasOneButton, isNew, isThere, type Lateness, latenessOf, mainMove, type Part,
  stillMade,
} from "./cards.ts";
import { isBase } from "../shared/toppings.ts";
import type { Mark } from "./orders.ts";
import { moreButton } from "./popup.ts";
import { canAct, type State } from "./state.ts";

/** `digit`: the number key that moves the card. */
export function cardView(state: State, card: Card, digit: number | undefined): View {
  const { key, parts, group, stage } = card;
  const [only] = parts as [Part];
  const lateness = latenessOf(card, state.settings.limits, state.now);
  const isSending = parts.every(({ mark }) => mark?.type === "sending");
  const isGone = !parts.some(isThere);
  const look = classes("card", group !== undefined && "group", lateness > 0 && `late-${lateness}`,
    isNew(card, state.now) && "is-new", isSending && "is-sending", isGone && "is-gone");
  return h("li", {
    key, class: look, "data-guard": key, "data-do": "read", "data-of": idsOf(card),
    "data-order": group === undefined && only.order.id, "data-count": parts.filter(isThere).length,
    // Room for the menu's rows, and a column a part where the column fills the screen.
    style: { "--rows": actions[stage].more.length + 2, "--parts": Math.min(parts.length, 3) },
  },
    h("article", {}, ...group === undefined ? aloneView(state, card, only, lateness, digit)
      : groupView(state, card, lateness, digit),
    !isGone && moreButton(key, card.name, state)));
}

function idsOf({ parts }: Card): string {
  return parts.map(({ order }) => order.id).join(" ");
}

function aloneView(
  state: State, card: Card, part: Part, lateness: Lateness, digit: number | undefined,
): readonly Child[] {
  return [
    h("header", {}, heading(card), h("p", { class: "when" }, ...clocks(state, card, lateness,
      part.mark), numberLine(card))),
    partButtons(state, card, part, digit),
    contentsOf(state.menu, card, part),
  ];
}

function groupView(
  state: State, card: Card, lateness: Lateness, digit: number | undefined,
): readonly Child[] {
  const [ids] = mainMove(card);
  const isOne = hasOneButton(card);
  return [
    h("header", {}, heading(card, " ",
      card.parts.some(isThere) && h("span", {}, progress(card)))),
    isOne && h("div", { class: "ways", "data-guard": `${ids.join(" ")} ${stillMade(card)}` },
      allButton(state, card, digit)),
    h("p", { class: "when" }, ...clocks(state, card, lateness, undefined), numberLine(card)),
    h("div", { class: "together" }, ...card.parts.map((part) => h("div", {
      key: part.order.id, "data-order": part.order.id,
      class: classes("part", isFaded(part) && "is-sending", !isThere(part) && "is-gone"),
    },
      (!isOne || !isThere(part))
        && partButtons(state, card, part, part.order.id === ids[0] ? digit : undefined),
      contentsOf(state.menu, card, part)))),
  ];
}

function isFaded({ mark }: Part): boolean {
  return mark?.type === "sending";
}

function heading({ name }: Card, ...more: readonly Child[]): View {
  return h("h3", { class: classes(name.length > 7 && "long", name.length > 14 && "endless") },
    unseen(`${t("Order")} `), h("bdi", {}, name), ...more);
}

function numberLine({ number: text }: Card): Child {
  return text !== "" && h("bdi", { class: "number" }, text);
}

/** How many of those placed together are ready; before and after, how many there are. */
function progress({ stage, group, parts }: Card): string {
  const { ready, count } = group ?? { ready: 0, count: 0 };
  return stage === "Preparing" || stage === "Ready"
    ? t("{count} of {total} ready", { count: ready, total: count })
    : t("{count} pizzas", { count: parts.filter(isThere).length });
}

function allButton(state: State, card: Card, digit: number | undefined): Child {
  const { parts, stage, name } = card;
  const waiting = stillMade(card);
  const there = parts.filter(isThere);
  if (there.length === 0) return undefined;
  if (waiting > 0) return h("p", {}, t("{count} still being made", { count: waiting }));
  const [ids, to] = mainMove(card);
  const isSending = ids.length === 0;
  const label = labelForAll(stage, isSending ? there.length : ids.length);
  return moveButton(state, `${ids.join(" ")}/${to}`, {
    label, name, isSending, look: stage === "Pending" ? "go main" : "main", digit,
  });
}

/** A gone order's button says that it was seen. */
function partButtons(state: State, card: Card, part: Part, digit: number | undefined): View {
  const { stage, name, group } = card;
  const { order: { id }, number: of, mark } = part;
  const about = group === undefined ? name : `${name} · ${t("Pizza {number}", { number: of })}`;
  const { main, other } = actions[stage];
  const ways = other === undefined ? [main] : [main, other];
  return h("div", { class: "ways", "data-guard": `${id} ${mark?.type ?? ""}` },
    ...mark?.type === "cancelled" ? [button("seen", id, {}, t("OK"), unseen(` ${about}`))]
      : ways.map(([to, label], index) => moveButton(state, `${id}/${to}`, {
        label, name: about, isSending: mark?.type === "sending",
        look: index > 0 ? "" : stage === "Pending" ? "go main" : "main",
        digit: index > 0 ? undefined : digit,
      })));
}

interface Move {
  readonly label: string;
  readonly name: string;
  readonly isSending: boolean;
  readonly look: string;
  readonly digit: number | undefined;
}

function moveButton(state: State, of: string, move: Move): View {
  const { label, name, isSending, look, digit } = move;
  return button("move", of, {
    class: look, "aria-disabled": (isSending || !canAct(state)) && "true",
  },
    digit !== undefined && h("kbd", { "aria-hidden": "true" }, String(digit)),
    isSending ? t("{action}…", { action: label }) : label, unseen(` ${name}`));
}

function clocks(
  state: State, card: Card, lateness: Lateness, mark: Mark | undefined,
): readonly Child[] {
  const { now, settings: { promise } } = state;
  const { stage, since, placedAt } = card;
  if (mark?.type === "cancelled") {
    return [h("b", { class: "tag" }, t("Cancelled")), timeView(mark.at)];
  }
  const sign = lateness === 3 ? "!! " : lateness === 2 ? "! " : "";
  const first = isNew(card, now) ? h("b", { class: "tag" }, t("New"))
    : h("b", { class: "age" }, `${sign}${ageText(since, now)}`,
      lateness > 0 && unseen(` ${t("late")}`));
  if (mark?.type === "changed") return [first, changedTag()];
  if (stage === "Pending") return [first, timeView(placedAt)];
  const isOver = ageMs(placedAt, now) >= promise * 60_000;
  return [first, h("span", { class: classes("total", isOver && "over") },
    t("{time} total", { time: minutesText(placedAt, now) }))];
}

function changedTag(): View {
  return h("b", { class: "tag changed" }, t("Changed"));
}

function timeView(moment: string): View {
  return h("time", { datetime: moment }, clockText(moment));
}

/** "12 min", and "1 h 05": as wide as minutes are, so that nothing moves after an hour. */
function ageText(since: string, now: number): string {
  const text = minutesText(since, now);
  return text.includes(" ") ? text : t("{minutes} min", { minutes: text });
}

function minutesText(since: string, now: number): string {
  const minutes = Math.floor(ageMs(since, now) / 60_000);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? number(minutes)
    : t("{hours} h {minutes}", { hours, minutes: String(minutes % 60).padStart(2, "0") });
}

function contentsOf(menu: Menu, card: Card, part: Part): View {
  const { order, mark, number: of } = part;
  const before = mark?.type === "changed" ? mark.before : undefined;
  const lines = toldLines(order, before);
  const isBaseLine = ({ line, news }: Told): boolean =>
    news === "" && line.count === 1 && isBase(line.name);
  const base = lines.toppings.filter(isBaseLine);
  const rest = lines.toppings.filter((line) => !isBaseLine(line));
  const remark = (kind: MenuKind, id: string): Child[] => remarkOn(menu, card, kind, id);
  const show = (kind: MenuKind, look: string, head: Child = undefined) =>
    ({ line: { id, name, text, count }, news }: Told): View => h("li", {
      key: `${kind} ${id} ${news}`,
      class: classes(look, (count > 1 || news === "+") && "strong", news === "-" && "gone"),
    },
      head, kind === "beverages" && icon(lookOfDrink(name).shape),
      news === "+" && "+ ", h(news === "-" ? "s" : "bdi", {}, text),
      ...news === "-" ? [] : remark(kind, id));
  const ring = of > 0 && h("span", { class: "ring" },
    unseen(t("Pizza {number}", { number: of })), h("i", { "aria-hidden": "true" }, number(of)));
  const tag = of === 0 ? undefined : mark?.type === "changed" ? changedTag()
    : mark?.type === "cancelled" && h("b", { class: "tag" }, t("Cancelled"));
  return h("ul", { class: "contents" },
    mark?.type === "failed" && h("li", { key: "failed", class: "note", role: "alert" },
      t("Not sent. Press again.")),
    ...lines.sizes.map((line, index) => show("pizzasizes", "size", index === 0 && ring)(line)),
    tag && h("li", { key: "tag" }, tag),
    base.length > 0 && h("li", { key: "base", class: "base" },
      ...base.flatMap(({ line: { id, name } }, index) => [
        index > 0 && comma, h("bdi", {}, name), ...remark("toppings", id),
      ])),
    ...rest.map(show("toppings", "topping")),
    ...lines.drinks.map(show("beverages", "drink")));
}

/** `news`: "+" was not there before, "-" is not there any more. */
interface Told {
  readonly line: Line;
  readonly news: "" | "+" | "-";
}

function toldLines(order: Order, before: Order | undefined) {
  const told = (now: readonly Reference[], then: readonly Reference[]): readonly Told[] => {
    const [lines, old] = [tally(now), tally(then)];
    const isIn = (all: readonly Line[], { id, count }: Line): boolean =>
      all.some((one) => one.id === id && one.count === count);
    return [
      ...lines.map((line) => ({ line, news: isIn(old, line) ? "" : "+" } as const)),
      ...old.filter((line) => !isIn(lines, line)).map((line) => ({ line, news: "-" } as const)),
    ];
  };
  const { pizzaSize, toppings, beverages } = before ?? order;
  return {
    sizes: told([order.pizzaSize], [pizzaSize]),
    toppings: told(order.toppings, toppings),
    drinks: told(order.beverages, beverages),
  };
}

/** From Ready on it no longer matters what has run out. */
function remarkOn(menu: Menu, { stage }: Card, kind: MenuKind, id: string): Child[] {
  if (menu.shop.name === "" || (stage !== "Pending" && stage !== "Preparing")) return [];
  const remark = itemOf(menu, kind, id) === undefined ? t("off the menu")
    : isSoldOut(menu, kind, id) ? t("sold out") : "";
  return remark === "" ? [] : [" ", h("span", { class: "remark" }, remark)];
}
