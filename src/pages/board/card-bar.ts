/** The buttons in the bar of a card. For a group, it first asks which orders are meant. */

import { type Child, h, type View } from "../shared/dom.ts";
import type { Order } from "../shared/types.ts";
import { number, t } from "../shared/words.ts";
import { barAction, type BarContents } from "./bar.ts";
import { type Card, type Columns, isKept, movable } from "./cards.ts";
import { moveOrders } from "./moves.ts";
import { type CardBar, set } from "./state.ts";
import { printTickets } from "./ticket.ts";
import { type Way, ways } from "./ways.ts";

export function cardBar(columns: Columns, bar: CardBar): BarContents | undefined {
  const card = [...columns.values()].flat().find(({ key }) => key === bar.key);
  if (card === undefined) return undefined;
  const { name, group } = card;
  const picked = card.parts.find(({ order }) => order.id === bar.picked);
  const orders = movable(card).filter((part) => picked === undefined || part === picked)
    .map(({ order }) => order);
  const count = orders.length;
  if (count === 0) return undefined;
  const about = picked === undefined ? name
    : `${name} · ${t("Pizza {number}", { number: picked.number })}`;
  const move = ({ to, label }: Way): View =>
    barAction(label, about, () => { void moveOrders(orders, to); });
  const isGroup = group !== undefined;
  return {
    name,
    below: isGroup ? picks(card, bar) : stageAndSize(card),
    actions: [
      ...waysOf(card, picked !== undefined).map(move),
      barAction(isGroup ? t("Print {count} tickets", { count }) : t("Print ticket"), about,
        () => { printTickets(orders); }),
    ],
    apart: move({
      to: "Cancelled",
      label: isGroup ? t("Cancel {count} pizzas", { count }) : t("Cancel order"),
    }),
  };
}

/** Ways that have no button on the card. */
function waysOf({ stage, group }: Card, isPicked: boolean): readonly Way[] {
  const { onCard: [first, ...others], inBar, back, isOneByOne } = ways[stage];
  // A group's button moves all of it: one alone goes on from here.
  const isFirstHere = group !== undefined && isPicked && !isOneByOne;
  return [
    ...isFirstHere && first !== undefined ? [first] : [],
    ...group !== undefined ? others : [],
    ...inBar,
    ...back === stage ? []
      : [{ to: back, label: t("Back to {stage}", { stage: ways[back].name }) }],
  ];
}

function stageAndSize({ stage, parts: [part] }: Card): View {
  return h("p", { class: "soft" }, ways[stage].name,
    h("span", {}, `, ${part?.order.pizzaSize.name ?? ""}`));
}

function picks(card: Card, bar: CardBar): Child {
  const count = movable(card).length;
  const pick = (id: Order["id"], label: Child, text: string): View => h("button", {
    key: id, "aria-pressed": String(bar.picked === id), "aria-label": text,
    onclick: () => { set({ bar: { ...bar, picked: id } }); },
  }, label);
  const all = t("All {number}", { number: count });
  return count > 1 && h("div", { class: "picks", role: "group", "aria-label": card.name },
    pick("", all, all),
    ...card.parts.filter(isKept).map(({ order, number: partNumber }) =>
      pick(order.id, h("i", { class: "ring" }, number(partNumber)),
        t("Pizza {number}", { number: partNumber }))));
}
